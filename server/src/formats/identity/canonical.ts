import { contentUuid } from '../content-uuid.ts'
import type { Distro } from './distro.ts'

/** One name of a package and its version under that name. */
export interface PackagePair {
  /** `purl:type/namespace/name`, `cpe:vendor:product`, `repo:host/path` or `name:vendor/product`. */
  key: string
  version: string
  /**
   * The identifier in one spelling, made of nothing but what the package is: every SBOM that holds the package would
   * show the same.
   */
  identifier: string
  /** The product of the alias table whose names stand for each other; undefined where the name stands alone. */
  alias?: string
  origin?: PairOrigin
}

/**
 * Why a name says less than it seems to. `distribution`: the version is upstream's, the build a distribution's, which
 * repairs without raising it. `guess`: a tool that scans for packages made several names up, each of another vendor.
 */
export type PairOrigin = 'distribution' | 'guess'

/** What components stand for: a canonical set of names with versions, global and matched once (docs/design/matching.md, package identity). */
export interface PackageIdentity {
  id: string
  rulesVersion: number
  /** Sorted and unique. */
  pairs: PackagePair[]
  distro?: Distro
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Same names, same package: neither the order of identifiers nor who declares them counts. */
export function identityOf(
  drafts: readonly PackagePair[],
  distro: Distro | undefined,
  rulesVersion: number,
): PackageIdentity {
  const unique = new Map(
    drafts.map((pair) => {
      const { key, version, identifier, origin } = pair
      return [JSON.stringify([key, version, identifier, ...(origin ? [origin] : [])]), pair]
    }),
  )
  const pairs = [...unique].toSorted(([a], [b]) => order(a, b)).map(([, pair]) => pair)
  const canonical = JSON.stringify([
    [...unique.keys()].toSorted(order),
    distro?.ecosystem ?? null,
    distro?.release ?? null,
  ])
  return { id: contentUuid(canonical), rulesVersion, pairs, ...(distro && { distro }) }
}
