/**
 * `affected[].versions` of a CVE record (CVE Record Format 5.x, versions.md): each entry is one version, or a range
 * from `version` to `lessThan` or `lessThanOrEqual`, in which `changes` may turn the status.
 */
import { compareVersions } from '../versions/compare.ts'
import { findNextBranch, withBranches, withListsOfExact } from './cve5-branches.ts'
import { listText } from './criteria-statements.ts'
import type { VersionStatement } from './model.ts'
import { fault, readObjects, requireText, readText, type JsonObject } from './record-reader.ts'
import { isCommitText, isPlaceholder, parseBound, shortenVersion } from './version-bounds.ts'
import { withUnstatedStart } from './unstated-start.ts'
import { parseVersionText } from './version-text.ts'

type Status = VersionStatement['status']
const STATUSES: readonly string[] = ['affected', 'unaffected', 'unknown'] satisfies Status[]

export interface CveVersions {
  /** Statements that can be compared with a version number. */
  dotted: VersionStatement[]
  /** Commits that begin or end a range; their order is unknown. */
  commits: VersionStatement[]
  /** Why entries could not be understood. */
  reasons: string[]
  /** The statuses of entries that cannot be compared with a version number. */
  hidden: Set<Status>
  /** Every `versionType` of the dotted entries. */
  versionTypes: Set<string>
  /** Whether the record states the status of all other versions. */
  isRestStated: boolean
}

interface Entry {
  status: Status
  version: string
  end: { text: string; isInclusive: boolean } | undefined
  versionType: string
  changes: { at: string; status: Status }[]
}

export function readCveVersions(affected: JsonObject, at: string): CveVersions {
  const entries = readObjects(affected, 'versions', at).map((item, index) =>
    readEntry(item, `${at}/versions/${index}`),
  )
  const { commits: ofCommits = [], releases = [] } = Object.groupBy(entries, (entry) =>
    isCommitEntry(entry) ? 'commits' : 'releases',
  )
  const hidden = new Set(ofCommits.map(({ status }) => status))
  const dotted: VersionStatement[] = []
  const reasons: string[] = []
  const versionTypes = new Set<string>()
  for (const entry of releases) {
    const statements = entry.end === undefined ? textStatements(entry) : rangeStatements(entry)
    if ('undecidable' in statements) {
      reasons.push(statements.undecidable)
      hidden.add(entry.status)
    } else {
      for (const each of statements.ranges) dotted.push(each)
      if (entry.versionType !== '') versionTypes.add(entry.versionType)
    }
  }
  const commits = commitStatements(ofCommits)
  return {
    dotted: withListsOfExact(withBranches(dotted)),
    commits,
    reasons,
    hidden,
    versionTypes,
    isRestStated: affected['defaultStatus'] !== undefined,
  }
}

export function readStatus(of: JsonObject, key: string, at: string): Status | undefined {
  const status = readText(of, key, at)
  if (status === undefined) return undefined
  if (!isStatus(status)) throw fault(`${at}/${key}`, 'is not a status')
  return status
}

function isStatus(text: string): text is Status {
  return STATUSES.includes(text)
}

function readEntry(item: JsonObject, at: string): Entry {
  const lessThan = readText(item, 'lessThan', at)
  const lessThanOrEqual = readText(item, 'lessThanOrEqual', at)
  const end = lessThan ?? lessThanOrEqual
  return {
    status: readStatus(item, 'status', at) ?? 'unknown',
    version: readText(item, 'version', at) ?? '',
    end: end === undefined ? undefined : { text: end, isInclusive: lessThan === undefined },
    versionType: (readText(item, 'versionType', at) ?? '').toLowerCase(),
    changes: readObjects(item, 'changes', at).map((change, index) => ({
      at: requireText(change, 'at', `${at}/changes/${index}`),
      status: readStatus(change, 'status', `${at}/changes/${index}`) ?? 'unknown',
    })),
  }
}

type Statements = { ranges: VersionStatement[] } | { undecidable: string }

/** The texts decide, since some CNAs write `versionType: git` beside dotted versions. */
function isCommitEntry({ version, end, versionType }: Entry): boolean {
  const isCommit = (text: string) => isCommitText(text, versionType === 'git')
  if (end === undefined) return isCommit(version)
  return isCommit(end.text) || (isCommit(version) && (end.text === '*' || isPlaceholder(end.text)))
}

/** The first commit of a range has its status; the commit that ends a half-open range does not. */
function commitStatements(entries: readonly Entry[]): VersionStatement[] {
  const byStatus = new Map<Status, Set<string>>()
  const ends = new Set<string>()
  for (const { status, version, end } of entries) {
    const commits = byStatus.get(status) ?? new Set()
    byStatus.set(status, commits)
    if (isCommitText(version, true)) commits.add(version.toLowerCase())
    if (end === undefined || !isCommitText(end.text, true)) continue
    if (end.isInclusive) commits.add(end.text.toLowerCase())
    else if (status === 'affected') ends.add(end.text.toLowerCase())
  }
  return [
    ...[...byStatus].flatMap(([status, commits]) =>
      listedCommits(status, commits, `${status} from`),
    ),
    ...listedCommits('unaffected', ends, 'fixed in'),
  ]
}

function listedCommits(status: Status, commits: Set<string>, words: string): VersionStatement[] {
  const versions = [...commits]
  return versions.length === 0 ? [] : [{ status, versions, text: `${words} ${listText(versions)}` }]
}

/** A bare `0` means "from the beginning"; without an end it is not a range. */
function textStatements({ version, status }: Entry): Statements {
  if (version.trim() === '0') return { undecidable: 'version 0 without an end' }
  const parsed = parseVersionText(version)
  if ('undecidable' in parsed) return parsed
  const text = shortenVersion(version.trim())
  return { ranges: parsed.ranges.map((range) => withUnstatedStart({ status, ...range, text })) }
}

function rangeStatements(entry: Entry): Statements {
  const lower = lowerEnd(entry)
  const upper = upperEnd(entry)
  if ('undecidable' in lower) return lower
  if ('undecidable' in upper) return upper
  if (upper.isPlaceholder && lower.isPlaceholder) return { undecidable: 'no version is stated' }

  const { status } = entry
  const text = rangeText(entry)
  // Only a stated 0 says that the first version is affected.
  const begun = (range: VersionStatement) =>
    entry.version.trim() === '0' ? range : withUnstatedStart(range)
  const whole = { status, ...lower.range, ...upper.range, text }
  const turns = sortTurns(entry)
  if (turns === undefined) return { ranges: [begun(whole)] }
  return areFixesOfBranches(entry, turns)
    ? { ranges: [...fixesOfBranches(turns, upper), begun(whole)] }
    : {
        ranges: splitAtTurns(whole, turns).map((range, index) =>
          index === 0 ? begun(range) : range,
        ),
      }
}

function rangeText({ version, end }: Entry): string {
  const isFromStart = ['', '0', '*', end?.text].includes(version.trim())
  const from = isFromStart || isPlaceholder(version) ? undefined : `>= ${version.trim()}`
  const limit = end === undefined || end.text.trim() === '*' ? undefined : end
  const until = limit && `${limit.isInclusive ? '<=' : '<'} ${limit.text.trim()}`
  return (
    shortenVersion([from, until].filter((part) => part !== undefined).join(', ')) || 'all versions'
  )
}

type Turn = Entry['changes'][number]

/** The changes in the order of their versions; undefined: there are none, or one is no version. */
function sortTurns({ changes }: Entry): Turn[] | undefined {
  const turns = changes.flatMap((change) => {
    const bound = parseBound(change.at)
    return bound.kind === 'version' ? [{ at: bound.version, status: change.status }] : []
  })
  if (turns.length === 0 || turns.length < changes.length) return undefined
  return turns.toSorted((a, b) => compareVersions('generic', a.at, b.at) ?? 0)
}

/** Each change turns the status up to the next one. */
function splitAtTurns(whole: VersionStatement, turns: readonly Turn[]): VersionStatement[] {
  const { introduced, introducedAfter, fixed, lastAffected, text, startIsUnstated } = whole
  const [first] = turns
  if (first === undefined) return [whole]
  const start = {
    ...(introduced !== undefined && { introduced }),
    ...(introducedAfter !== undefined && { introducedAfter }),
    ...(startIsUnstated && { startIsUnstated }),
  }
  const end = {
    ...(fixed !== undefined && { fixed }),
    ...(whole.fixedIsDerived && { fixedIsDerived: true }),
    ...(lastAffected !== undefined && { lastAffected }),
  }
  return [
    { status: whole.status, ...start, fixed: first.at, text },
    ...turns.map(({ at, status }, index) => {
      const next = turns[index + 1]
      return { status, introduced: at, ...(next ? { fixed: next.at } : end), text }
    }),
  ]
}

/**
 * Several changes to the same status are the fixes of several branches, which the format cannot express: read literally, a fix in the
 * oldest branch would clear all newer ones.
 */
function areFixesOfBranches({ status }: Entry, turns: readonly Turn[]): boolean {
  return turns.length > 1 && turns.every((turn) => turn.status !== status)
}

/**
 * `1.18.5` and `1.19.3` in a range up to 1.20.0: each applies to the end of its branch, the range to the rest. Where nothing ends the
 * range, no branch after the last fix is known to be affected.
 */
function fixesOfBranches(turns: readonly Turn[], { range }: LimitedEnd): VersionStatement[] {
  const isOpen = range.fixed === undefined && range.lastAffected === undefined
  return turns.flatMap(({ at, status }, index) => {
    if (isOpen && index === turns.length - 1) return [{ status, introduced: at, text: `>= ${at}` }]
    const fixed = findNextBranch(at)
    if (fixed === undefined) return []
    const text = `>= ${at}, < ${fixed}`
    return [{ status, introduced: at, fixed, fixedIsDerived: true, text }]
  })
}

interface LimitedEnd {
  range: Partial<VersionStatement>
  isPlaceholder: boolean
}

type End = LimitedEnd | { undecidable: string }

const OPEN: End = { range: {}, isPlaceholder: false }

function notUnderstood(text: string): End {
  return { undecidable: `not understood: ${shortenVersion(text.trim())}` }
}

/** `8.4.0` to before `8.4.0` means `< 8.4.0`: the conversion from format 4 wrote it so. */
function hasNoLowerEnd({ version, end }: Entry): boolean {
  const text = version.trim()
  const isConverted = end !== undefined && !end.isInclusive && end.text.trim() === text
  return isConverted || text === '0' || text === '*' || OPEN_BELOW.test(version)
}

function lowerEnd(entry: Entry): End {
  const { version: text } = entry
  if (hasNoLowerEnd(entry)) return OPEN
  if (isPlaceholder(text)) return { range: {}, isPlaceholder: true }
  const [, operator = '', version = ''] = OPERATOR.exec(text) ?? []
  const bound = parseBound(version)
  if (bound.kind === 'unknown' || operator.startsWith('<')) return notUnderstood(text)
  if (bound.kind === 'open') return OPEN
  const introduced = bound.kind === 'prefix' ? bound.first : bound.version
  return {
    range: operator === '>' ? { introducedAfter: introduced } : { introduced },
    isPlaceholder: false,
  }
}

const OPEN_BELOW =
  /^\s*(?:all|any|all versions|any version|previous versions|all previous versions|earlier versions)\s*$/i
const OPERATOR = /^\s*(<=|>=|<|>|==?)?\s*(.*)$/s

/** `5.10.*` ends after every 5.10 release, in `lessThan` too, where it is an arbitrarily large number. */
function upperEnd({ end }: Entry): End {
  if (end === undefined || end.text.trim() === '*') return OPEN
  if (isPlaceholder(end.text)) return { range: {}, isPlaceholder: true }
  const [, operator, version = ''] = OPERATOR.exec(end.text) ?? []
  const bound = parseBound(version)
  const isLimit = operator === undefined || operator.startsWith('<')
  if (bound.kind === 'unknown' || !isLimit) return notUnderstood(end.text)
  if (bound.kind === 'open') return OPEN
  const isInclusive = operator === undefined ? end.isInclusive : operator === '<='
  return { range: rangeUpTo(bound, isInclusive, version.includes('*')), isPlaceholder: false }
}

type LimitingBound = Extract<ReturnType<typeof parseBound>, { kind: 'prefix' | 'version' }>

function rangeUpTo(
  bound: LimitingBound,
  isInclusive: boolean,
  isWildcard: boolean,
): Partial<VersionStatement> {
  if (bound.kind === 'prefix' && (isInclusive || isWildcard))
    return { fixed: bound.next, fixedIsDerived: true }
  const last = bound.kind === 'prefix' ? bound.first : bound.version
  return isInclusive ? { lastAffected: last } : { fixed: last }
}
