/** Whose records are loaded, and what can therefore be judged: silence tells something only where all records were read. */
import {
  findEcosystemOfRegistry,
  isRegistryOfDistribution,
  findRegistryOfEcosystem,
} from '../../formats/ecosystems.ts'
import {
  normaliseDistribution,
  hasOwnRecords,
  isOfExtendedStream,
  isStandIn,
  type PackageIdentity,
  findUnknownDistribution,
} from '../../formats/identity.ts'
import { isOfRegistryForm } from '../../formats/registry-names.ts'
import { GAP } from '../components/index.ts'
import { findRegistry } from './name-resolution.ts'

export interface LoadedKnowledge {
  /** `purl:npm/`, `purl:deb/debian/`. */
  registries: ReadonlySet<string>
  /** Releases of distributions, as `packages.distribution` names them. */
  distributions: ReadonlySet<string>
}

/**
 * @param complete ecosystems of which an archive was read to its end, some of them with a release
 * @param stated distributions, as records state them. Those of an extended stream are about the builds of a few minor releases:
 * they tell nothing of the release.
 */
export function indexLoadedKnowledge(
  complete: readonly string[],
  stated: readonly string[],
): LoadedKnowledge {
  const whole = new Set(complete.map(normaliseDistribution))
  const distributions = stated
    .filter((one) => !isOfExtendedStream(one))
    .map(normaliseDistribution)
    .filter((one) => whole.has(one) || whole.has(one.replace(/:.*/, '')))
  return {
    registries: new Set(complete.flatMap((one) => findRegistryOfEcosystem(one) ?? [])),
    distributions: new Set(distributions),
  }
}

/** Takes away the names that stand in for the records of a registry whose records are loaded. `loaded` is undefined where records of all registries are. */
export function withoutNeedlessStandIns(
  identity: PackageIdentity,
  loaded: LoadedKnowledge | undefined,
): PackageIdentity {
  const registry = findRegistry(identity)
  const isLoaded = loaded === undefined || registry === undefined || loaded.registries.has(registry)
  return isLoaded && identity.pairs.some(({ origin }) => isStandIn(origin))
    ? { ...identity, pairs: identity.pairs.filter(({ origin }) => !isStandIn(origin)) }
    : identity
}

/**
 * What the knowledge lacks about a package, as a code; undefined: the package is judged. A package of a registry whose records are
 * loaded is judged even if none names it, as long as its name is one that the registry gives. Of a package that has other names,
 * silence says nothing: records may call it otherwise.
 *
 * @param named the keys of the package under which there are records
 */
export function findKnowledgeGap(
  identity: PackageIdentity,
  named: ReadonlySet<string>,
  loaded: LoadedKnowledge,
): string | undefined {
  const { distro } = identity
  const unknown = findUnknownDistribution(distro, loaded.distributions)
  if (unknown !== undefined) return GAP.release + unknown
  const registry = findRegistry(identity)
  if (registry === undefined) return named.size > 0 ? undefined : GAP.unknown
  if (isRegistryOfDistribution(registry))
    return gapOfDistribution(identity, registry, { named, loaded })
  const ecosystem = findEcosystemOfRegistry(registry) ?? ''
  if (!loaded.registries.has(registry))
    // Of the registry's own records there may be more than those that are stored.
    return [...named].some((key) => !key.startsWith(registry)) ? undefined : GAP.release + ecosystem
  const isOfForm = identity.pairs.some(
    ({ key }) => key.startsWith(registry) && isOfRegistryForm(key),
  )
  return named.size > 0 || isOfForm ? undefined : GAP.form + ecosystem
}

function gapOfDistribution(
  { distro }: PackageIdentity,
  registry: string,
  { named, loaded }: { named: ReadonlySet<string>; loaded: LoadedKnowledge },
): string | undefined {
  // Nobody publishes records of some distributions: upstream's decide.
  const isUpstreams = distro !== undefined && !hasOwnRecords(distro)
  if (isUpstreams && named.size > 0) return undefined
  if (!loaded.registries.has(registry)) return GAP.distribution
  if (distro === undefined || distro.release !== undefined) return undefined
  return loaded.distributions.has(distro.ecosystem) ? undefined : GAP.releaseUnstated
}
