/** The filters of the findings page: from the address to the request, and which chips are on. */
import type { BodyOf } from '@plimsoll/api-client'

export type FindingFilter = NonNullable<BodyOf<'listWorkspaceVulnerabilities'>['filter']>

/** Of the address. All texts, all optional. */
export interface FindingsSearch {
  /** `decide` (the usual), `active` or `all`. */
  show?: string | undefined
  exploited?: string | undefined
  recheck?: string | undefined
  overdue?: string | undefined
  /** Days back. */
  since?: string | undefined
  /** `High`: High or worse. */
  severity?: string | undefined
  /** `1`: only what devices run. */
  devices?: string | undefined
  /** A part of a title, an id or an alias. */
  q?: string | undefined
  component?: string | undefined
  firmware?: string | undefined
  version?: string | undefined
  sort?: string | undefined
  /** `component` or `single`; without it, by vulnerability. */
  group?: string | undefined
  /** The row that is open. */
  at?: string | undefined
}

export const SEVERITY_STEPS = ['Critical', 'High', 'Medium', 'Low'] as const
export type SeverityStep = (typeof SEVERITY_STEPS)[number]

export const GROUPS = [
  ['vulnerability', 'By vulnerability'],
  ['component', 'By component'],
  ['single', 'Single'],
] as const
export type Group = (typeof GROUPS)[number][0]

const RATED = [
  ['Risk', 'risk'],
  ['Severity', 'severity'],
  ['EpssScore', 'EPSS'],
  ['DetectedAt', 'newest'],
] as const
export const SORTS = {
  vulnerability: [...RATED, ['CvssScore', 'score'], ['CveId', 'CVE id']],
  component: [...RATED, ['VulnerabilityCount', 'how many'], ['Name', 'name']],
  single: [...RATED, ['CvssScore', 'score'], ['CveId', 'CVE id'], ['ComponentName', 'component']],
} as const
export type Sort<G extends Group> = (typeof SORTS)[G][number][0]

const DAY_MS = 86_400_000

export function groupOf({ group }: FindingsSearch): Group {
  return GROUPS.find(([name]) => name === group)?.[0] ?? 'vulnerability'
}

export function sortOf<G extends Group>({ sort }: FindingsSearch, group: G): Sort<G> {
  const sorts: readonly (readonly [Sort<G>, string])[] = SORTS[group]
  return sorts.find(([name]) => name === sort)?.[0] ?? 'Risk'
}

export function severityStepOf({ severity }: FindingsSearch): SeverityStep | undefined {
  return SEVERITY_STEPS.find((step) => step === severity)
}

/** What the list is asked for. `today` keeps the request the same within a day, so that it is asked for once. */
export function filterOf(search: FindingsSearch, today: Date): FindingFilter {
  const { q, component, firmware, version, since } = search
  return {
    ...shownOf(search),
    ...(search.exploited === '1' && { exploited: true }),
    ...(search.recheck === '1' && { recheck: true }),
    ...(search.overdue === '1' && { overdue: true }),
    ...(search.devices === '1' && { affectedDevicesOnly: true }),
    ...severitiesOf(severityStepOf(search)),
    ...(since !== undefined && { detectedSince: daysBefore(today, Number(since)) }),
    ...(given(q) && { name: [{ contains: q }] }),
    ...(given(component) && { components: [{ packageName: component }] }),
    ...(given(firmware) && { firmwareIds: [firmware] }),
    ...(given(version) && { firmwareVersionIds: [version] }),
  }
}

function given(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}

function shownOf({ show, recheck }: FindingsSearch): FindingFilter {
  if (show === 'all' || recheck === '1') return {}
  if (show === 'active') return { activeOnly: true }
  return { activeOnly: true, assessments: ['NotAssessed', 'InTriage'] }
}

function severitiesOf(step: SeverityStep | undefined): FindingFilter {
  if (step === undefined) return {}
  return { severities: SEVERITY_STEPS.slice(0, SEVERITY_STEPS.indexOf(step) + 1) }
}

/** What the list is asked for with one more filter, for its chip. */
export function recheckFilterOf(search: FindingsSearch, today: Date): FindingFilter {
  return filterOf({ ...search, recheck: '1' }, today)
}

/** Where the filter “New since yesterday” begins. */
export function yesterday(today: Date): string {
  return daysBefore(today, 1)
}

/** The beginning of the day so many days before, in the reader's zone. */
function daysBefore(today: Date, days: number): string {
  const day = new Date(today.getTime() - (Number.isFinite(days) ? days : 1) * DAY_MS)
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

/** The names of the filters in use, for an empty list: each can be dropped. */
export function filtersInUse(
  search: FindingsSearch,
): { name: keyof FindingsSearch; text: string }[] {
  const texts: Partial<Record<keyof FindingsSearch, string>> = {
    exploited: 'exploited',
    recheck: 'check again',
    overdue: 'overdue',
    since: 'new',
    severity: `${search.severity ?? ''} or worse`,
    devices: 'on devices',
    q: `“${search.q ?? ''}”`,
    component: `component ${search.component ?? ''}`,
    firmware: 'one firmware',
    version: 'one version',
  }
  return Object.entries(texts)
    .map(([name, text]) => ({ name: name as keyof FindingsSearch, text }))
    .filter(({ name }) => given(search[name]))
}

export function stepText(step: SeverityStep): string {
  return step === 'Critical' ? step : `${step} or worse`
}
