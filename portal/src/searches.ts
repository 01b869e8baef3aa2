/** The search of each page that has one. The router validates by them, and links to these pages are checked against them. */
import {
  CASE_STATE,
  CASE_TYPE,
  FIGURE_NAME,
  KEY_ROTATION_STATE,
  LICENCE_OUTCOME,
} from '@plimsoll/api-client'
import { EXPOSURE_RANGES, LAYERS } from './components/exposure/exposure-rows.ts'
import { LOG_SEVERITIES } from './components/log-severities.ts'
import { SEVERITIES } from './components/severity.tsx'
import { SUPPORT_FILTERS } from './components/support/support-filters.ts'
import { DEVICE_STATES } from './components/update-states.ts'
import { formatCountOf } from './format/counts.ts'
import { flag, oneOf, pageSearch, pastInstant, type SearchOf, text } from './page-search.ts'

const quoted = (value: string) => `“${value}”`
const days = oneOf(EXPOSURE_RANGES.map(({ value }) => value))

const disputed = oneOf(['yes', 'no'], (value) => (value === 'yes' ? 'disputed' : 'undisputed'))

/** On each page: the day that one looked at, or came from. */
export const WORKSPACE = pageSearch({ asOf: pastInstant() })

export const SUPPLIERS = pageSearch({
  /** The id of the feed of which something is shown. */
  feed: text(),
  show: oneOf(['affected', 'documents']),
})
export type SuppliersSearch = SearchOf<typeof SUPPLIERS>

export const OVERVIEW = pageSearch({ days, wall: flag() })

export const SETUP = pageSearch({ step: oneOf(['sources', 'sbom', 'device']) })
export type SetupStep = NonNullable<SearchOf<typeof SETUP>['step']>

export const EXPOSURE = pageSearch({ days, cve: text(), firmware: text() })
export type ExposureSearch = SearchOf<typeof EXPOSURE>

export const FIGURES = pageSearch({
  from: text(),
  to: text(),
  firmware: text(),
  /** The name of a release line of the firmware. */
  line: text(),
  /** The figure whose cases are shown. */
  figure: oneOf(FIGURE_NAME),
})
export type FiguresSearch = SearchOf<typeof FIGURES>

export const SEVERITY_STEPS = ['Critical', 'High', 'Medium', 'Low'] as const

export const FINDINGS = pageSearch({
  /** Without it, what is to decide. */
  show: oneOf(['active', 'all']),
  exploited: flag('exploited'),
  recheck: flag('check again'),
  overdue: flag('overdue'),
  /** Days back. */
  since: text(() => 'new'),
  /** `High`: High or worse. */
  severity: oneOf(SEVERITY_STEPS, (step) => `${step} or worse`),
  /** An outcome of the SSVC tree: this or a more urgent one. */
  ssvc: text((outcome) => `SSVC ${outcome} or more urgent`),
  disputed,
  /** Only what devices run. */
  devices: flag('on devices'),
  /** The id of the member who looks after it, or `nobody`. */
  assignee: text((value) => (value === 'nobody' ? 'nobody’s' : 'one person’s')),
  /** A part of a title, an id or an alias, or several ids. */
  q: text(quoted),
  component: text((name) => `component ${name}`),
  firmware: text(() => 'one firmware'),
  version: text(() => 'one version'),
  sort: text(),
  group: oneOf(['component', 'outcome', 'single']),
  /** Whose findings are listed, where they are grouped by outcome. */
  outcome: text(),
  /** The row that is open. */
  at: text(),
})
export type FindingsSearch = SearchOf<typeof FINDINGS>

export const ACCEPTANCES = pageSearch({
  state: oneOf(['Open', 'EndingSoon', 'Ended']),
  /** The id of a member, or `nobody`. */
  owner: text((value) => (value === 'nobody' ? 'nobody’s' : 'one person’s')),
  /** It ends within so many days. */
  within: oneOf(['7', '30', '90'], (value) => `ends within ${formatCountOf(Number(value), 'day')}`),
  cause: oneOf(
    ['Time', 'KnownExploited', 'EpssAbove', 'DevicesAbove', 'FixAvailable', 'Person'],
    () => 'by what ended it',
  ),
  q: text(quoted),
})
export type AcceptancesSearch = SearchOf<typeof ACCEPTANCES>

export const PROPOSALS = pageSearch({
  state: oneOf(['Taken', 'Changed', 'Refused', 'Replaced']),
  firmware: text(() => 'of one firmware'),
  by: text(() => 'of one author'),
  assessment: oneOf(['InTriage', 'Exploitable', 'NotAffected', 'FalsePositive', 'Resolved']),
})
export type ProposalsSearch = SearchOf<typeof PROPOSALS>

/** The firmware that a new product line is made of. */
export const PRODUCT_LINE = pageSearch({ firmware: text() })

export const CASES = pageSearch({
  /** Without it, those that are neither closed nor dismissed. */
  state: oneOf(['All', ...CASE_STATE], (state) => (state === 'All' ? 'in any state' : state)),
  type: oneOf(CASE_TYPE, (type) => (type === 'Incident' ? 'incidents' : 'vulnerabilities')),
  drill: oneOf(['only', 'without'], (drill) => (drill === 'only' ? 'drills' : 'no drills')),
  late: flag('late'),
  /** Listed as exploited before reporting began. */
  older: flag('listed before reporting began'),
  q: text(quoted),
})
/** Without `show`, those that are neither dismissed nor disclosed. */
export const DISCLOSURE_REPORTS = pageSearch({ show: oneOf(['waiting', 'all']) })
export type CasesSearch = SearchOf<typeof CASES>

export const ADVISORIES = pageSearch({
  show: oneOf(['draft', 'waiting', 'changed', 'published', 'withdrawn'], () => 'the state'),
  q: text(quoted),
})
export type AdvisoriesSearch = SearchOf<typeof ADVISORIES>

export const FINDING = pageSearch({ asOf: pastInstant() })
export const VULNERABILITY = pageSearch({ asOf: pastInstant() })

const SORTS = [
  'Risk',
  'Severity',
  'EpssScore',
  'CveId',
  'ComponentName',
  'Assessment',
  'DetectedAt',
  'Ssvc',
] as const

export const FIRMWARES = pageSearch({
  show: oneOf(['InField', 'Overloaded', 'ToDecide', 'Unknown', 'OnNoDevice'], () => 'the group'),
  /** Slugs of firmwares whose versions are folded, between commas. */
  folded: text(),
})
export type FirmwaresSearch = SearchOf<typeof FIRMWARES>

const findingsOfVersion = {
  show: oneOf(['all']),
  severity: oneOf(SEVERITIES, (severity) => severity),
  /** An outcome of the SSVC tree: this or a more urgent one. */
  ssvc: text((outcome) => `SSVC ${outcome} or more urgent`),
  exploited: flag('exploited'),
  open: flag('to decide'),
  disputed,
  q: text(quoted),
  package: text((name) => name),
  sort: oneOf(SORTS),
  order: oneOf(['up']),
}
const componentsOfVersion = {
  q: text(quoted),
  licence: text(quoted),
  support: oneOf(SUPPORT_FILTERS, () => 'the support'),
  outcome: oneOf(LICENCE_OUTCOME, () => 'the licence rules'),
  /** What the pane shows: the component, and the vulnerability that it is asked about. */
  component: text(),
  cve: text(),
}

export const VERSION_FINDINGS = pageSearch(findingsOfVersion)
export const COMPONENTS = pageSearch(componentsOfVersion)
export const VERSION = pageSearch({
  tab: oneOf([
    'findings',
    'components',
    'support',
    'licences',
    'sboms',
    'artifacts',
    'crashes',
    'compare',
    'documents',
  ]),
  asOf: pastInstant(),
  ...findingsOfVersion,
  ...componentsOfVersion,
  /** The version to compare with. */
  base: text(),
})
export type VersionSearch = SearchOf<typeof VERSION>
export type VersionTab = NonNullable<VersionSearch['tab']>

export const DEVICES = pageSearch({
  show: oneOf(
    [
      'connected',
      'silent',
      'never',
      'unknown',
      'unregistered',
      'otherImage',
      'unjudged',
      'vulnerable',
      'exploited',
      'loose',
    ],
    () => 'the chip',
  ),
  text: text(quoted),
  cohort: text(() => 'the cohort'),
  firmware: text(() => 'the firmware'),
  version: text(() => 'the version'),
  /** The mark of what they run. */
  mark: oneOf(['Overloaded', 'ToDecide', 'Unknown', 'Clear'], () => 'the mark'),
  tag: text((tag) => `the tag ${tag}`),
  cve: text((cve) => cve),
  rotation: oneOf(KEY_ROTATION_STATE, () => 'replacing the key'),
  /** Days that their oldest own key is older than, or that they have none. */
  key: oneOf(['30', '90', '180', '365', 'none'], (key) =>
    key === 'none' ? 'no key of its own' : `keys older than ${formatCountOf(Number(key), 'day')}`,
  ),
  /** The hash that they report of their image. */
  image: text(() => 'the image'),
  /** The layer of the exposure chart that counts it. */
  worst: oneOf(
    LAYERS.map(({ id }) => id),
    (layer) => `worst finding ${layer}`,
  ),
  sort: oneOf(['Id', 'LastSeenAt', 'OldestKeyAt']),
})
export type DevicesSearch = SearchOf<typeof DEVICES>

const logsOfDevice = {
  severity: oneOf(LOG_SEVERITIES, (least) => (least === 'Critical' ? least : `${least} and worse`)),
  text: text(quoted),
}

export const LOGS = pageSearch(logsOfDevice)
export const CRASHES = pageSearch({
  state: oneOf(['open', 'fixed'], (state) => state),
  firmware: text(() => 'one firmware'),
  /** Those that crashed in this version. */
  version: text(() => 'one version'),
  /** Those that no version before this one has. */
  new: text(() => 'new since a version'),
  q: text(quoted),
  sort: oneOf(['lastSeenAt', 'crashCount', 'deviceCount']),
})
export type CrashesSearch = SearchOf<typeof CRASHES>

export const DEVICE = pageSearch({
  tab: oneOf(['runs', 'configuration', 'metrics', 'logs', 'crashes', 'updates', 'registration']),
  // Metrics
  metric: text(),
  /** Charts that show their table. */
  tables: text(),
  of: oneOf(['Average', 'Maximum', 'Minimum', 'Last', 'Count']),
  range: text(),
  from: text(),
  to: text(),
  ...logsOfDevice,
})
export type DeviceSearch = SearchOf<typeof DEVICE>

const PHASES = ['careful', 'two', 'all'] as const
export type PhasesName = (typeof PHASES)[number]

export const NEW_DEPLOYMENT = pageSearch({
  cohort: text(),
  firmware: text(),
  version: text(),
  phases: oneOf(PHASES),
})
export type NewDeploymentSearch = SearchOf<typeof NEW_DEPLOYMENT>

export const WHAT_IF = pageSearch({ runs: text() })

export const DEPLOYMENTS = pageSearch({
  show: oneOf(['waiting', 'underWay', 'idle'], () => 'the group'),
})
export type DeploymentsShown = NonNullable<SearchOf<typeof DEPLOYMENTS>['show']>

export const DEPLOYMENT = pageSearch({
  state: oneOf(DEVICE_STATES, () => 'the state'),
  /** "is …", as an empty reason would be dropped from the address. */
  reason: text(() => 'the reason'),
})

const incidentsListed = {
  /** Incidents that whoever looks also looks after. */
  mine: flag('mine'),
  /** Incidents that nobody looks after. */
  nobodys: flag('nobody’s'),
}
const deliveriesListed = {
  state: oneOf(['Pending', 'Delivered', 'Failed', 'Dropped'], (state) => state.toLowerCase()),
  webhook: text(() => 'the webhook'),
  incident: text(() => 'the incident'),
}

export const INCIDENTS = pageSearch(incidentsListed)
export const DELIVERIES = pageSearch(deliveriesListed)
export const ALERTS = pageSearch({
  tab: oneOf(['incidents', 'rules', 'targets', 'deliveries']),
  ...incidentsListed,
  ...deliveriesListed,
  /** An id, or `new`, as in addresses of before a rule had a page. */
  rule: text(),
  metric: text(),
  /** Whom the rules tell: the id of a target. */
  target: text(),
})
/** What a new rule is to watch. */
export const RULE = pageSearch({ metric: text() })

export type AlertsSearch = SearchOf<typeof ALERTS>

export const SETTINGS = pageSearch({
  /** A part of the name of a device key, of its device, or its id. */
  key: text(quoted),
  /** Which device keys are listed; without it, all. */
  keys: oneOf(['notRevoked', 'revoked'], (value) =>
    value === 'revoked' ? 'revoked ones alone' : 'without revoked ones',
  ),
})
export type SettingsSearch = SearchOf<typeof SETTINGS>

export const AUDIT_TIMES = ['1', '7', '30', '90', 'any'] as const

export const AUDIT_LOG = pageSearch({
  contains: text(quoted),
  /** An address or an id, or the type of those who act: `User`. */
  actor: text(() => 'who'),
  kind: text(() => 'what'),
  action: text((action) => action),
  /** A type and an id: `vulnerability:CVE-2026-31431`. */
  subject: text(() => 'about'),
  /** So many days, today included. Without it, seven; of one subject or text, any. */
  when: oneOf(AUDIT_TIMES),
  /** Days of the reader: `2026-03-03`. */
  from: text(() => 'from'),
  to: text(() => 'to'),
  /** The entry that is open. */
  at: text(),
})
export type AuditSearch = SearchOf<typeof AUDIT_LOG>

/** A search is flat texts, so that addresses can be read: `?severity=High&sort=EpssScore`. */
export function readSearch(query: string): Record<string, string> {
  const search = Object.fromEntries(new URLSearchParams(query))
  // A bare `?wall` says it, too: empty values leave the address.
  return search['wall'] === '' ? { ...search, wall: '1' } : search
}

export function writeSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return query === '' ? '' : `?${query}`
}
