/** Why a component is not matched: what its declaration lacks, or what the knowledge lacks about its package, in codes and words. */
import { type RawBuilder, sql } from 'kysely'
import { isRegistryOfDistribution, REGISTRIES } from '../../../formats/ecosystems.ts'

/** The name of a release follows. */
const RELEASE = '#release '

/** What the knowledge lacks about a package. Reasons that its declaration has are stored in words. */
export const GAP = {
  release: RELEASE,
  distribution: '#distribution',
  unknown: '#unknown',
} as const

const RELEASE_WORDS = 'no records of '
const RELEASE_END = ' are loaded'
const WORDS = new Map<string, string>([
  [GAP.distribution, 'no records of this distribution'],
  [GAP.unknown, 'known to no source'],
])

/** The reason as the API states it. */
export function reasonInWords<Code extends string | null>(code: Code): string | Code {
  if (code === null) return code
  if (code.startsWith(RELEASE)) return RELEASE_WORDS + code.slice(RELEASE.length) + RELEASE_END
  return WORDS.get(code) ?? code
}

export function withReasonInWords<Row extends { notMatchedReason: string | null }>(row: Row): Row {
  return { ...row, notMatchedReason: reasonInWords(row.notMatchedReason) }
}

/** The codes whose words are the text, or begin with it and go on with another word. */
export function codesOf(text: string): { codes: string[]; prefixes: string[] } {
  const codes = [...WORDS].flatMap(([code, words]) =>
    words === text || words.startsWith(`${text} `) ? [code] : [],
  )
  if (RELEASE_WORDS.startsWith(`${text} `)) return { codes, prefixes: [RELEASE] }
  if (!text.startsWith(RELEASE_WORDS)) return { codes, prefixes: [] }
  const name = text.slice(RELEASE_WORDS.length)
  const whole = name.replace(/ are(?: loaded)?$/, '')
  return { codes: [...codes, RELEASE + whole], prefixes: [`${RELEASE}${name} `] }
}

const registriesWithRecords = (registries: readonly string[]) => sql`array(
  select asked.registry from unnest(${registries}::text[]) as asked (registry)
  where exists (
    select from advisory_affected as affected
    where affected.key >= asked.registry and affected.key < left(asked.registry, -1) || '0'))`

/** Evaluated once a statement: it reads one entry of an index for each registry. */
const knownRegistries = registriesWithRecords(REGISTRIES)
const knownDistributions = registriesWithRecords(REGISTRIES.filter(isRegistryOfDistribution))

/**
 * The reason, or the code of what the knowledge lacks. Of a row of `sbom_components` beside its `package`. A package of a
 * registry whose records are in the store is judged, even if no record names it. Of a package that has other names, silence
 * says nothing: records may call it otherwise.
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
