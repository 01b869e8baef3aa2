/** Why a component is not matched: what its declaration lacks, or what the knowledge lacks about its package. */
import { type RawBuilder, sql } from 'kysely'
import { isRegistryOfDistribution, REGISTRIES } from '../../../formats/ecosystems.ts'
import { codesOf, GAP } from './not-matched.ts'

const registriesWithRecords = (registries: readonly string[]) => sql`array(
  select asked.registry from unnest(${registries}::text[]) as asked (registry)
  where exists (
    select from advisory_affected as affected
    where affected.key >= asked.registry and affected.key < left(asked.registry, -1) || '0'))`

/** Evaluated once a statement: it reads one entry of an index for each registry. */
const knownRegistries = registriesWithRecords(REGISTRIES)
const knownDistributions = registriesWithRecords(REGISTRIES.filter(isRegistryOfDistribution))

/**
 * The reason, or the code of what the knowledge lacks. Of a row of `sbom_components` beside its `package`. A package of a registry whose records are in the store is judged, even
 * if no record names it. Of a package that has other names, silence says nothing: records may call it otherwise.
 */
export function notMatchedReasonOf(table: 'component' | 'member'): RawBuilder<string | null> {
  const stated = sql.ref(`${table}.notMatchedReason`)
  return sql`case
    when ${stated} is not null then ${stated}
    when package.unknown_distribution is not null
      then ${GAP.release} || package.unknown_distribution
    when package.registry ~ '^purl:(deb|rpm|apk|alpm)/'
      and not package.registry = any(${knownDistributions}) then ${GAP.distribution}
    when not package.is_named
      and (package.registry is null or not package.registry = any(${knownRegistries})) then ${GAP.unknown}
  end`
}

/** Whether the reason of `component` is the text, or begins with it: `invalid identifier` goes on with the identifier. */
export function isNotMatchedFor(text: string): RawBuilder<boolean> {
  const reason = notMatchedReasonOf('component')
  const { codes, prefixes } = codesOf(text)
  const begins = [`${text} `, `${text}:`, ...prefixes]
  return sql<boolean>`(${reason} = any(${[text, ...codes]}::text[])
    or ${sql.join(
      begins.map((prefix) => sql`starts_with(${reason}, ${prefix})`),
      sql` or `,
    )})`
}
