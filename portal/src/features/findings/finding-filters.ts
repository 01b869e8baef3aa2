/** The filters of the findings page: from the address to the request, and which chips are on. */
import type { WorkspaceFindingFilter } from '@plimsoll/api-client'
import { filterByText } from '../../format/cve-ids.ts'
import { findStartOfDay } from '../../format/dates.ts'
import { type FindingsSearch, SEVERITY_STEPS } from '../../searches.ts'

export type SeverityStep = (typeof SEVERITY_STEPS)[number]

export const GROUPS = [
  ['vulnerability', 'By vulnerability'],
  ['component', 'By component'],
  ['outcome', 'By outcome'],
  ['single', 'Single'],
] as const
export type GroupName = (typeof GROUPS)[number][0]
/** What a row stands for. Under the outcomes of SSVC these are single findings, as each of them has one. */
export type Group = Exclude<GroupName, 'outcome'>

const RATED = [
  ['Risk', 'risk'],
  ['Severity', 'severity'],
  ['EpssScore', 'EPSS'],
  ['DetectedAt', 'newest'],
] as const
export const SORTS = {
  vulnerability: [...RATED, ['Ssvc', 'SSVC'], ['CvssScore', 'score'], ['CveId', 'CVE id']],
  component: [...RATED, ['Ssvc', 'SSVC'], ['VulnerabilityCount', 'how many'], ['Name', 'name']],
  single: [
    ...RATED,
    ['Ssvc', 'SSVC'],
    ['CvssScore', 'score'],
    ['CveId', 'CVE id'],
    ['ComponentName', 'component'],
  ],
} as const
export type Sort<G extends Group> = (typeof SORTS)[G][number][0]

/** In place of a member who looks after what is listed. */
export const NOBODY = 'nobody'

export function readGrouping({ group }: FindingsSearch): GroupName {
  return group ?? 'vulnerability'
}

export function readGroup(search: FindingsSearch): Group {
  const grouping = readGrouping(search)
  return grouping === 'outcome' ? 'single' : grouping
}

export function readSort<G extends Group>({ sort }: FindingsSearch, group: G): Sort<G> {
  const sorts: readonly (readonly [Sort<G>, string])[] = SORTS[group]
  return sorts.find(([name]) => name === sort)?.[0] ?? 'Risk'
}

/** What the list is asked for. `today` keeps the request the same within a day, so that it is asked for once. */
export function readFilter(search: FindingsSearch, today: Date): WorkspaceFindingFilter {
  const { q, component, firmware, version, since, assignee } = search
  return {
    ...shownOf(search),
    ...(search.exploited === '1' && { exploited: true }),
    ...(search.recheck === '1' && { recheck: true }),
    ...(search.overdue === '1' && { overdue: true }),
    ...(search.disputed !== undefined && { disputed: search.disputed === 'yes' }),
    ...(search.devices === '1' && { affectedDevicesOnly: true }),
    ...(assignee !== undefined && filterByAssignee(assignee)),
    ...urgencyOf(search),
    ...(since !== undefined && { detectedSince: daysBefore(today, Number(since)) }),
    ...(q !== undefined && filterByText(q)),
    ...(component !== undefined && { components: [{ packageName: component }] }),
    ...(firmware !== undefined && { firmwareIds: [firmware] }),
    ...(version !== undefined && { firmwareVersionIds: [version] }),
  }
}

/** Whoever is assigned, or gets findings by owner rules. */
const filterByAssignee = (assignee: string): WorkspaceFindingFilter => ({
  owners: [assignee === NOBODY ? 'none' : assignee],
})

function shownOf({ show, recheck }: FindingsSearch): WorkspaceFindingFilter {
  if (show === 'all' || recheck === '1') return {}
  if (show === 'active') return { activeOnly: true }
  return { activeOnly: true, assessments: ['NotAssessed', 'InTriage'] }
}

function urgencyOf({ severity: step, ssvc }: FindingsSearch): WorkspaceFindingFilter {
  return {
    ...(step !== undefined && {
      severities: SEVERITY_STEPS.slice(0, SEVERITY_STEPS.indexOf(step) + 1),
    }),
    ...(ssvc !== undefined && { ssvcFrom: ssvc }),
  }
}

/** What the list is asked for with one more filter, for its chip. */
export function readRecheckFilter(search: FindingsSearch, today: Date): WorkspaceFindingFilter {
  return readFilter({ ...search, recheck: '1' }, today)
}

/** Where the filter “New since yesterday” begins. */
export function formatYesterday(today: Date): string {
  return daysBefore(today, 1)
}

const daysBefore = (today: Date, days: number) =>
  findStartOfDay(today, Number.isFinite(days) ? days : 1)

export function stepText(step: SeverityStep): string {
  return step === 'Critical' ? step : `${step} or worse`
}
