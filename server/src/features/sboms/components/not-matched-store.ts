/** Why a component is not matched: what its declaration lacks, or what the knowledge lacks about its package. */
import { type RawBuilder, sql } from 'kysely'
import { isRegistryOfDistribution, REGISTRIES } from '../../../formats/ecosystems.ts'

const registriesWithRecords = (registries: readonly string[]) => sql`array(
  select asked.registry from unnest(${registries}::text[]) as asked (registry)
  where exists (
    select from advisory_affected as affected
    where affected.key >= asked.registry and affected.key < left(asked.registry, -1) || '0'))`

/** Evaluated once a statement: it reads one entry of an index for each registry. */
const knownRegistries = registriesWithRecords(REGISTRIES)
const knownDistributions = registriesWithRecords(REGISTRIES.filter(isRegistryOfDistribution))

/**
 * Of a row of `sbom_components` beside its `package`. A package of a registry whose records are in the store is judged, even
 * if no record names it. Of a package that has other names, silence says nothing: records may call it otherwise.
 */
export function notMatchedReasonOf(table: 'component' | 'member'): RawBuilder<string | null> {
  const stated = sql.ref(`${table}.notMatchedReason`)
  return sql`case
    when ${stated} is not null then ${stated}
    when package.unknown_distribution is not null
      then 'no records of ' || package.unknown_distribution || ' are loaded'
    when package.registry ~ '^purl:(deb|rpm|apk|alpm)/'
      and not package.registry = any(${knownDistributions}) then 'no records of this distribution'
    when not package.is_named
      and (package.registry is null or not package.registry = any(${knownRegistries})) then 'known to no source'
  end`
}
