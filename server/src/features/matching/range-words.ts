/** What a record says of versions, as people say it: "every release before 6.6.137, except 6.1.170 and later of 6.1". */
import type { AffectedStatement, VersionStatement } from '../../formats/advisories/model.ts'
import type { AffectedRow } from './affected-packages.ts'
import type { Evidence } from './evidence.ts'

/** What decides where no entry names the version. */
const DEFAULT_RANGE = /^every version not named is (?:affected|unaffected)$/

/** The range that decided. Where the default of a statement did, what its entries say otherwise: `rows` have them. */
export function describeDecidingRange(
  { source, advisoryId, key, comparator, range, statement }: Evidence,
  rows: readonly AffectedRow[],
): string {
  if (!DEFAULT_RANGE.test(range)) return describeRange(range)
  const own = rows.find(
    (row) => row.source === source && row.advisoryId === advisoryId && row.key === key,
  )
  const whole = own?.statements.find(
    ({ scheme, defaultStatus }) =>
      scheme === comparator && defaultStatus === statement.defaultStatus,
  )
  return whole ? describeDefault(whole) : 'every release except those that the record names'
}

function describeDefault({ defaultStatus, versions }: AffectedStatement): string {
  const named = versions.filter(({ status }) => status !== defaultStatus)
  if (defaultStatus !== 'affected')
    return named.length === 0
      ? 'every release'
      : `every release except ${joinWords(named.map(nameRange))}`
  const first = named.find((one) => startOf(one) === undefined && endOf(one) !== undefined)
  const last = named.find((one) => one !== first && endOf(one) === undefined && startOf(one))
  const others = named.filter((one) => one !== first && one !== last)
  const from =
    first?.fixed === undefined ? first && `after ${first.lastAffected}` : `from ${first.fixed} on`
  const to =
    last?.introduced === undefined
      ? last && `up to ${last.introducedAfter}`
      : `before ${last.introduced}`
  const bounds = [from, to].filter((one) => one !== undefined)
  const every = ['every release', bounds.join(', ')].join(' ').trim()
  if (others.length === 0) return every
  return `${every}${bounds.length > 0 ? ',' : ''} except ${joinWords(others.map(nameRange))}`
}

function startOf({ introduced, introducedAfter, versions }: VersionStatement): string | undefined {
  return introducedAfter ?? versions?.[0] ?? (introduced === '0' ? undefined : introduced)
}

const endOf = ({ fixed, lastAffected, versions }: VersionStatement): string | undefined =>
  fixed ?? lastAffected ?? versions?.at(-1)

/** `>= 6.6.137, <= 6.6.*` ends with its branch. */
const BRANCH = /^>= *(\S+), *<=? *(\S+)\.\*$/

const nameRange = ({ text }: VersionStatement): string => describeRange(text)

const BOUND = /^(>=|>|<=|<) *(\S+)$/
const BOUND_WORDS: Readonly<Record<string, (version: string) => string>> = {
  '>=': (version) => `from ${version} on`,
  '>': (version) => `after ${version}`,
  '<=': (version) => `up to ${version}`,
  '<': (version) => `before ${version}`,
}

/** ">= 6.2, < 6.6.137" is "from 6.2 on, before 6.6.137". What is no such range stays as the record has it. */
export function describeRange(range: string): string {
  const [, begin, branch] = BRANCH.exec(range) ?? []
  if (begin !== undefined) return `${begin} and later of ${branch}`
  const bounds = range.split(',').map((part) => BOUND.exec(part.trim()))
  const words = bounds.map((bound) => BOUND_WORDS[bound?.[1] ?? '']?.(bound?.[2] ?? ''))
  return words.every((word) => word !== undefined) ? words.join(', ') : range
}

const MOST_NAMED = 6

/** "a, b and c"; of a long list how many more there are. */
function joinWords(words: readonly string[]): string {
  const distinct = [...new Set(words)]
  const rest = distinct.length - MOST_NAMED
  const named = rest > 1 ? [...distinct.slice(0, MOST_NAMED), `${rest} more ranges`] : distinct
  // A range has commas of its own.
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join('; ')}; and ${named.at(-1)}`
}
