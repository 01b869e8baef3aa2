/** Why a component is not matched: what its declaration lacks, or what the knowledge lacks about its package, in codes and words. */
import { type RawBuilder, sql } from 'kysely'

/** A name follows the codes that end with a space. */
export const GAP = {
  /** The records of this release, or of this registry, are not loaded. */
  release: '#release ',
  /** No source has records of the distribution. */
  distribution: '#distribution',
  /** Records are of one release each, and the package does not say which is its own. */
  releaseUnstated: '#release-unstated',
  /** The registry names no package like this. */
  form: '#form ',
  unknown: '#unknown',
} as const

interface Words {
  before: string
  /** Stands behind the name. */
  after?: string
}

const WORDS = new Map<string, Words>([
  [GAP.release, { before: 'no records of ', after: ' are loaded' }],
  [GAP.form, { before: 'not named like packages of ', after: '' }],
  [GAP.releaseUnstated, { before: 'release of the distribution not stated' }],
  [GAP.distribution, { before: 'no records of this distribution' }],
  [GAP.unknown, { before: 'known to no source' }],
])

/** The reason as the API states it. */
export function describeReason<Code extends string | null>(code: Code): string | Code {
  if (code === null) return code
  for (const [prefix, { before, after }] of WORDS) {
    if (after === undefined && code === prefix) return before
    if (after !== undefined && code.startsWith(prefix))
      return before + code.slice(prefix.length) + after
  }
  return code
}

export function withReasonInWords<Row extends { notMatchedReason: string | null }>(row: Row): Row {
  return { ...row, notMatchedReason: describeReason(row.notMatchedReason) }
}

/** The codes whose words are the text, or begin with it and go on with another word. */
export function findReasonCodes(text: string): { codes: string[]; prefixes: string[] } {
  const codes: string[] = []
  const prefixes: string[] = []
  for (const [code, { before, after }] of WORDS) {
    if (after === undefined) {
      if (before === text || before.startsWith(`${text} `)) codes.push(code)
    } else if (before.startsWith(`${text} `)) prefixes.push(code)
    else if (text.startsWith(before)) {
      const name = text.slice(before.length)
      codes.push(code + removeBegin(name, after))
      prefixes.push(`${code}${name} `)
    }
  }
  return { codes, prefixes }
}

/** `Debian 11` of `Debian 11`, `Debian 11 are` and `Debian 11 are loaded`. */
function removeBegin(name: string, after: string): string {
  const words = after.trim().split(' ')
  const ends = words.map((_, index) => ` ${words.slice(0, index + 1).join(' ')}`)
  const end = ends.findLast((one) => after !== '' && name.endsWith(one)) ?? ''
  return name.slice(0, name.length - end.length)
}

/**
 * The reason, or the code of what the knowledge lacked when the package was matched. Of a row of `sbom_components` beside its
 * `package`. Everything that says whether a component is judged asks this: lists, coverage, and the counters that marks are drawn from.
 */
export function selectNotMatchedReason(table: 'component' | 'member'): RawBuilder<string | null> {
  return sql`coalesce(${sql.ref(`${table}.notMatchedReason`)}, package.gap)`
}

/** Whether the reason of `component` is the text, or begins with it: `invalid identifier` goes on with the identifier. */
export function isNotMatchedFor(text: string): RawBuilder<boolean> {
  const reason = selectNotMatchedReason('component')
  const { codes, prefixes } = findReasonCodes(text)
  const begins = [`${text} `, `${text}:`, ...prefixes]
  return sql<boolean>`(${reason} = any(${[text, ...codes]}::text[])
    or ${sql.join(
      begins.map((prefix) => sql`starts_with(${reason}, ${prefix})`),
      sql` or `,
    )})`
}
