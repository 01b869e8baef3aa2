/** To which product and release cycle a package belongs. */
import type { PackageIdentity, PackagePair } from '../identity.ts'
import { isCommit } from '../versions/normalise.ts'
import { findCycle } from './cycles.ts'
import { formatDistributionKey } from './names.ts'

export interface KnownSupport {
  product: string
  keys: ReadonlySet<string>
  cycles: readonly { name: string }[]
  /** The source lists it no more; another product of the same names counts in its place. */
  isGone: boolean
}

export interface SupportMatch {
  product: string
  /** undefined: the product is known, and no cycle of it is of this version. */
  cycle: string | undefined
  /** By which name and version it was found. */
  key: string
  version: string
}

/**
 * What a distribution builds is supported as long as the distribution is. For everything else upstream's cycles hold, by names that are
 * certain to mean the product. Undefined: none of the products has the package.
 */
export function matchSupport(
  identity: Pick<PackageIdentity, 'pairs' | 'distro'>,
  products: readonly KnownSupport[],
): SupportMatch | undefined {
  const ofDistribution = matchDistribution(identity, products)
  if (ofDistribution) return ofDistribution
  const found = products.flatMap((product) => matchProduct(identity.pairs, product))
  return best(found)
}

type Candidate = SupportMatch & { isGone: boolean }

function matchDistribution(
  { distro }: Pick<PackageIdentity, 'distro'>,
  products: readonly KnownSupport[],
): SupportMatch | undefined {
  // Who else builds for a distribution does not follow its dates.
  if (!distro || distro.otherBuilder) return undefined
  const { ecosystem, release = '' } = distro
  const key = formatDistributionKey(ecosystem)
  return best(
    products
      .filter(({ keys }) => keys.has(key))
      .map(({ product, cycles, isGone }) => {
        const cycle = release === '' ? undefined : findCycle(release, cycles)?.name
        return { product, cycle, key, version: release, isGone }
      }),
  )
}

function matchProduct(pairs: readonly PackagePair[], known: KnownSupport): Candidate[] {
  return pairs
    .filter(({ key, origin }) => known.keys.has(key) && isOfUpstream(origin))
    .map(({ key, version }) => {
      const cycle = isCommit(version) ? undefined : findCycle(version, known.cycles)?.name
      return { product: known.product, cycle, key, version, isGone: known.isGone }
    })
}

/** A distribution's build is repaired by the distribution, a CPE beside the purl of a registry is often made up, and so on. */
function isOfUpstream(origin: PackagePair['origin']): boolean {
  return origin === undefined || origin === 'name' || origin === 'supplied'
}

/** A match with a cycle comes before one without, a listed product before a gone one; the rest is an order that depends on nothing else. */
function best(found: readonly Candidate[]): SupportMatch | undefined {
  const [first] = found.toSorted(
    (a, b) =>
      Number(a.cycle === undefined) - Number(b.cycle === undefined) ||
      Number(a.isGone) - Number(b.isGone) ||
      compareText(a.product, b.product) ||
      rankKey(a.key) - rankKey(b.key) ||
      compareText(a.key, b.key) ||
      compareText(a.version, b.version),
  )
  if (!first) return undefined
  const { isGone: _isGone, ...match } = first
  return match
}

/** People know a product by its CPE; a bare name says least. */
const KINDS = ['cpe:', 'purl:', 'repo:', 'name:', '']
const rankKey = (key: string) => KINDS.findIndex((kind) => key.startsWith(kind))

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
