/** `affected[].ranges` of an OSV record: events on a line of versions (ossf.github.io/osv-schema, section 4.5). */
import { compareVersions } from '../versions/compare.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import type { VersionStatement } from './model.ts'
import { readObjects, requireText, readText, type JsonObject } from './record-reader.ts'

export interface OsvRange {
  type: string
  repo: string | undefined
  events: Event[]
}

interface Event {
  kind: (typeof KINDS)[number]
  version: string
}

const KINDS = ['introduced', 'fixed', 'last_affected', 'limit'] as const

export function readOsvRanges(of: JsonObject, at: string, key = 'ranges'): OsvRange[] {
  return readObjects(of, key, at).map((range, index) => {
    const path = `${at}/${key}/${index}`
    return {
      type: requireText(range, 'type', path),
      repo: readText(range, 'repo', path),
      events: readObjects(range, 'events', path).flatMap((event, position) =>
        KINDS.flatMap((kind) => {
          const version = readText(event, kind, `${path}/events/${position}`)?.trim()
          return version ? [{ kind, version }] : []
        }),
      ),
    }
  })
}

/**
 * With the ranges that Go's database gives beside those of module versions (`custom_ranges`). It does so for versions that are
 * none of the module's, and then says "all versions" where it knows no module version with the fix
 * (https://go.dev/doc/security/vuln/database#schema). Where it knows one, a custom range without an end only says where the
 * flaw begins: it ends with the next fix of the module.
 */
export function withCustomRanges(
  ranges: readonly OsvRange[],
  custom: readonly OsvRange[],
): readonly OsvRange[] {
  if (custom.length === 0) return ranges
  const bounded = ranges.filter(({ events }) => events.some(isEnd))
  const fixes = bounded.flatMap(({ events }) => events.filter(isEnd))
  return [...bounded, ...custom.map((range) => endedBy(range, fixes))]
}

function isEnd({ kind }: Event): boolean {
  return kind !== 'introduced'
}

function endedBy(range: OsvRange, fixes: readonly Event[]): OsvRange {
  const sorted = inOrder(range.events, 'go')
  const open = sorted.slice(sorted.findLastIndex(isEnd) + 1)
  const ends = open.flatMap(({ version }) => firstAfter(version, fixes) ?? [])
  return { ...range, events: [...range.events, ...new Set(ends)] }
}

function firstAfter(version: string, fixes: readonly Event[]): Event | undefined {
  const later = fixes.filter((fix) => (compareVersions('go', fix.version, version) ?? 0) > 0)
  return inOrder(later, 'go')[0]
}

/**
 * One range from each `introduced` to the next event that ends it. `0` sorts before every version and `*` after all of them,
 * so they leave their side open. `lastKnown` ends a range without an end (GHSA's `last_known_affected_version_range`).
 */
export function readEventRanges(
  range: OsvRange,
  scheme: VersionScheme,
  lastKnown: Partial<VersionStatement>,
): VersionStatement[] {
  const statements: VersionStatement[] = []
  let open: string[] = []
  const events = scheme === 'apk' ? range.events.map(withRevision) : range.events
  for (const { kind, version } of inOrder(events, scheme)) {
    if (kind === 'introduced') open.push(version)
    else if (!(kind === 'limit' && version === '*')) {
      for (const each of open.map((introduced) => stretch(introduced, createEnd(kind, version))))
        statements.push(each)
      open = []
    }
  }
  return [...statements, ...open.map((introduced) => stretch(introduced, lastKnown))]
}

/** Alpine's records misspell a few revisions: `10.2.26.r0`. */
function withRevision({ kind, version }: Event): Event {
  return { kind, version: version.replace(/\.r(?=\d+$)/, '-r') }
}

type End = Partial<VersionStatement>

function createEnd(kind: Event['kind'], version: string): End {
  if (kind === 'last_affected') return { lastAffected: version }
  return kind === 'limit' ? { fixed: version, fixedIsDerived: true } : { fixed: version }
}

function stretch(introduced: string, end: End): VersionStatement {
  const start = introduced === '0' ? {} : { introduced }
  const last = end.lastAffected === undefined ? undefined : `<= ${end.lastAffected}`
  const limit = end.fixed === undefined ? last : `< ${end.fixed}`
  const text = [introduced === '0' ? undefined : `>= ${introduced}`, limit].filter(
    (part) => part !== undefined,
  )
  return { status: 'affected', ...start, ...end, text: text.join(', ') || 'all versions' }
}

/** Sorts the events, whose list has no order; keeps the published order where versions cannot be compared. */
function inOrder(events: readonly Event[], scheme: VersionScheme): Event[] {
  return events.toSorted((a, b) => {
    // Also before `fixed: 0`, by which distributions say that they never had the flaw.
    if (a.kind === 'introduced' && a.version === '0') return -1
    if (b.kind === 'introduced' && b.version === '0') return 1
    if (a.version === b.version) return rank(a) - rank(b)
    return compareVersions(scheme, a.version, b.version) ?? 0
  })
}

/** At one version, an end comes before a begin; a last affected version comes after both. */
function rank({ kind }: Event): number {
  if (kind === 'introduced') return 1
  return kind === 'last_affected' ? 2 : 0
}

/** Commits decide by equality: introducing and last affected commits are affected; fixes and limits are not. */
export function readCommits(ranges: readonly OsvRange[]): VersionStatement[] {
  const events = ranges
    .flatMap((range) => range.events)
    .filter(({ version }) => version !== '0' && version !== '*')
  const affected = events.filter(({ kind }) => kind === 'introduced' || kind === 'last_affected')
  const unaffected = events.filter(({ kind }) => kind === 'fixed' || kind === 'limit')
  return [...exactly('affected', affected), ...exactly('unaffected', unaffected)]
}

function exactly(status: VersionStatement['status'], events: readonly Event[]): VersionStatement[] {
  if (events.length === 0) return []
  const versions = [...new Set(events.map(({ version }) => version))]
  const kinds = [...new Set(events.map(({ kind }) => kind.replace('_', ' ')))]
  return [
    {
      status,
      versions,
      text: `${kinds.join(' or ')} in ${versions[0] ?? ''}${versions.length > 1 ? ' and others' : ''}`,
    },
  ]
}

/** `<= 9.0.5` or `< 9.1`: the last known affected version where no fix is known. */
export function readLastKnownEnd(text: string | undefined): End {
  const [, operator, version] = /^\s*(<=?)\s*([^\s,]+)\s*$/.exec(text ?? '') ?? []
  if (version === undefined) return {}
  return operator === '<' ? { fixed: version, fixedIsDerived: true } : { lastAffected: version }
}
