/** What a member knows of a vulnerability that they watch, and what has changed since, in sentences. */
import type { Severity } from '../../formats/advisories/model.ts'
import type { Assessment, DecisionSource } from '../../formats/assessments.ts'
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import { describeAct, describeDecider, nameSource } from '../printed-reports/index.ts'

/** Kept in the database. */
export interface KnownState {
  /** null: no source knows it. */
  severity: Severity | null
  exploitedSources: string[]
  isDisputed: boolean
  records: { source: string; id: string; isWithdrawn: boolean; modifiedAt: string | null }[]
  findingCount: number
  /** By the id of the finding: where it is. Those of a very large number are not all named. */
  findings: Record<string, string>
  fixedIn: Record<string, string>
  decisions: Decision[]
}

interface Decision {
  type: 'Assessment' | 'Ignored' | 'Unignored'
  at: string
  source: DecisionSource
  email: string | null
  assessment: Assessment
  isUndo: boolean
  findingCount: number
}

/** One sentence for each change. What the member decided is no news to them: `email` is theirs. */
export function describeChanges(before: KnownState, after: KnownState, email: string): string[] {
  return [
    ...describeRecords(before, after),
    ...describeRisk(before, after),
    ...describeFindings(before, after),
    ...describePlaces('Fixed in', before.fixedIn, after.fixedIn),
    ...describeDecisions(before, after, email),
  ]
}

function describeRecords(before: KnownState, after: KnownState): string[] {
  const had = new Map(before.records.map((record) => [nameOf(record), record]))
  return after.records.flatMap((record) => {
    const known = had.get(nameOf(record))
    const name = `${nameSource(record.source)} (${record.id})`
    if (!known) return [`New record of ${name}.`]
    if (record.isWithdrawn && !known.isWithdrawn) return [`Record of ${name} withdrawn.`]
    return record.modifiedAt === known.modifiedAt ? [] : [`Record of ${name} changed.`]
  })
}

const nameOf = ({ source, id }: KnownState['records'][number]) => `${source} ${id}`

function describeRisk(before: KnownState, after: KnownState): string[] {
  const listed = after.exploitedSources.filter((one) => !before.exploitedSources.includes(one))
  const { severity, isDisputed } = after
  return [
    ...listed.map((source) => `Listed as exploited by ${nameSource(source)}.`),
    ...(severity === before.severity || severity === null
      ? []
      : [`Severity is ${severity} now${before.severity ? `, was ${before.severity}` : ''}.`]),
    ...(isDisputed === before.isDisputed
      ? []
      : [`${isDisputed ? 'Disputed' : 'No longer disputed'}.`]),
  ]
}

function describeFindings(before: KnownState, after: KnownState): string[] {
  if (isWhole(before) && isWhole(after))
    return [
      ...describePlaces('Found in', before.findings, after.findings),
      ...describePlaces('No longer found in', after.findings, before.findings),
    ]
  if (before.findingCount === after.findingCount) return []
  const now = formatCountOf(after.findingCount, 'finding')
  return [`${now} now, ${formatNumber(before.findingCount)} before.`]
}

const isWhole = ({ findings, findingCount }: KnownState) =>
  Object.keys(findings).length === findingCount

const MOST_NAMED = 10

function describePlaces(
  what: string,
  before: KnownState['findings'],
  after: KnownState['findings'],
): string[] {
  const added = Object.entries(after).flatMap(([id, place]) => (id in before ? [] : [place]))
  if (added.length === 0) return []
  const rest = added.length - MOST_NAMED
  const named = added.slice(0, MOST_NAMED).join(', ')
  return [`${what} ${named}${rest > 0 ? ` and ${formatCountOf(rest, 'other')}` : ''}.`]
}

function describeDecisions(before: KnownState, after: KnownState, email: string): string[] {
  const known = new Set(before.decisions.map(identify))
  return after.decisions
    .filter((one) => !known.has(identify(one)) && one.email !== email)
    .map((one) => {
      const who = describeDecider(one.source, one.email)
      return `${describeAct(one)} for ${formatCountOf(one.findingCount, 'finding')}, by ${who}.`
    })
}

const identify = ({ type, at, source, assessment, isUndo }: Decision) =>
  [type, at, source, assessment, isUndo].join(' ')
