import { deriveUuid } from '../content-uuid.ts'
import type { Distro } from './distro.ts'

/** One name of a package and its version under that name. */
export interface PackagePair {
  /** `purl:type/namespace/name`, `cpe:vendor:product`, `repo:host/path` or `name:vendor/product`. */
  key: string
  version: string
  /**
   * The identifier in one spelling that depends only on the package: every SBOM with the package gives the same.
   */
  identifier: string
  /** The product of the alias table that the name belongs to; undefined for other names. */
  alias?: string
  origin?: PairOrigin
}

/**
 * Why a name says less than it seems to. `distribution`: the version is upstream's but the build is a distribution's, which
 * patches without raising the version. `guess`: a scanner invented several names, each with another vendor. `name`: nothing but
 * a name and a version is stated. `registry`: a CPE beside the purl of a registry, which scanners make up. `platform`: a CPE of the
 * system or product line that the package is part of. `whole`: the package is one part of the product of this name. `other
 * part`: the name is of another part of that product, so that its records say what the package is not affected by.
 * `supplied`: another vendor is stated, who may only have supplied the package. `stand-in`: NVD's product for a package of a registry, and
 * `stand-in of whole` that of which it is a part: they count only where the registry's own records are not loaded.
 */
export type PairOrigin =
  | 'distribution'
  | 'guess'
  | 'name'
  | 'registry'
  | 'platform'
  | 'whole'
  | 'other part'
  | 'supplied'
  | 'stand-in'
  | 'stand-in of whole'

/** What components stand for: a canonical set of names with versions, global and matched once (docs/design/matching.md, package identity). */
export interface PackageIdentity {
  id: string
  rulesVersion: number
  /** Sorted and unique. */
  pairs: PackagePair[]
  distro?: Distro
  /**
   * The addresses of its project (`github.com/curl/curl`), sorted. Present only where a name leaves open which product it means: the
   * references of records may tell.
   */
  addresses?: string[]
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Raise it when a name is looked up by other product keys: `package_keys` of a stored package never changes. */
const NAME_LOOK_UPS_VERSION = 4
const PRODUCT_LOOK_UPS_VERSION = 2

/** `cpe:*:thing`, `name:*\/thing`: of a vendor that the records have to tell. */
export function isVendorless(key: string): boolean {
  return /^(?:cpe:\*:|name:\*\/)/.test(key)
}

function lookUpsVersion(key: string): number[] {
  if (isVendorless(key)) return [NAME_LOOK_UPS_VERSION]
  return /^(?:cpe|name):/.test(key) ? [PRODUCT_LOOK_UPS_VERSION] : []
}

interface IdentityTerms {
  distro: Distro | undefined
  /** Sorted and unique. */
  addresses: readonly string[]
  rulesVersion: number
}

/** The same names give the same package, whatever their order and whoever declares them. */
export function createIdentity(
  drafts: readonly PackagePair[],
  { distro, addresses, rulesVersion }: IdentityTerms,
): PackageIdentity {
  const unique = new Map(
    drafts.map((pair) => {
      const { key, version, identifier, origin } = pair
      const further = [...(origin ? [origin] : []), ...lookUpsVersion(key)]
      return [JSON.stringify([key, version, identifier, ...further]), pair]
    }),
  )
  const pairs = [...unique].toSorted(([a], [b]) => order(a, b)).map(([, pair]) => pair)
  const canonical = JSON.stringify([
    [...unique.keys()].toSorted(order),
    distro?.ecosystem ?? null,
    distro?.release ?? null,
    ...(addresses.length > 0 ? [addresses] : []),
    ...(distro?.otherBuilder ? [distro.otherBuilder] : []),
  ])
  return {
    id: deriveUuid(canonical),
    rulesVersion,
    pairs,
    ...(distro && { distro }),
    ...(addresses.length > 0 && { addresses: [...addresses] }),
  }
}
