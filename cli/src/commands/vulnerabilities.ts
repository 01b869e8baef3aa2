import type { Command } from 'commander'
import {
  SEVERITY,
  readAllPages,
  type BodyOf,
  type WorkspaceVulnerabilityPage,
} from '../../../api-client/src/index.ts'
import { styleSeverity } from '../findings-table.ts'
import { readLimit, withListOptions, type ListOptions as Listed, printListing } from '../listing.ts'
import { asComponent, readListOf, readNames, readOneOf, collect } from '../option-values.ts'
import { type GroupedOptions, printOutcomes, withGrouping } from '../outcomes.ts'
import { openSession, type Session } from '../session.ts'
import type { Column } from '../table.ts'
import { findMember } from './member.ts'
import { readOwner } from './owner.ts'
import { addVulnerabilityAssign } from './vulnerability-assign.ts'
import { addVulnerabilityShow } from './vulnerability-show.ts'
import { addVulnerabilityWatch } from './vulnerability-watch.ts'

type Query = Omit<BodyOf<'listWorkspaceVulnerabilities'>, 'cursor' | 'limit'>
type Filter = NonNullable<Query['filter']>
type Vulnerability = WorkspaceVulnerabilityPage['vulnerabilities'][number]
type Answer = Pick<
  WorkspaceVulnerabilityPage,
  'vulnerabilities' | 'totalCount' | 'totalCountIsLowerBound'
>

const SORT_COLUMNS = [
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'KnownCisaExploit',
  'DetectedAt',
  'FindingCount',
  'Ssvc',
] as const satisfies readonly Query['sortColumn'][]

interface ListOptions extends Listed, GroupedOptions {
  severity?: NonNullable<Filter['severities']>
  kev?: boolean
  active?: boolean
  onDevices?: boolean
  overdue?: boolean
  ssvc?: string[]
  assignee?: string
  unassigned?: boolean
  owner?: string
  name?: string[]
  component?: string[]
  sort: (typeof SORT_COLUMNS)[number]
  ascending?: boolean
}

const DEFAULT_LIMIT = 100

export function addVulnerabilityCommands(program: Command): void {
  const vulnerabilities = program
    .command('vulnerabilities')
    .description('Vulnerabilities over all firmware versions')

  withGrouping(withListOptions(vulnerabilities.command('list'), DEFAULT_LIMIT))
    .description('List the findings of all firmware versions by vulnerability, worst first')
    .option(
      '--severity <list>',
      `of these severities: ${SEVERITY.join(', ')}`,
      readListOf(SEVERITY),
    )
    .option('--kev', 'only those in the catalogue of known exploits (CISA)')
    .option('--no-kev', 'only those not in that catalogue')
    .option('--active', 'only those with an active finding')
    .option('--on-devices', 'only those of packages that a device runs')
    .option('--overdue', 'only those past the target of their severity or outcome')
    .option('--ssvc <list>', 'of these outcomes of SSVC: track, track*, attend, act', readNames)
    .option('--assignee <member>', 'that this member looks after: e-mail address or id')
    .option('--unassigned', 'only those that nobody looks after')
    .option('--owner <owner>', 'with findings of this member or team, of me, or of none')
    .option('--name <text>', 'whose name, CVE id or alias contains it; may be repeated', collect)
    .option('--component <name[@version]>', 'in this component; may be repeated', collect)
    .option('--sort <column>', `by: ${SORT_COLUMNS.join(', ')}`, readOneOf(SORT_COLUMNS), 'Risk')
    .option('--ascending', 'sort in ascending order')
    .action(listVulnerabilities)

  addVulnerabilityShow(vulnerabilities)
  addVulnerabilityAssign(vulnerabilities)
  addVulnerabilityWatch(vulnerabilities)
}

async function listVulnerabilities(options: ListOptions): Promise<void> {
  const { sort: sortColumn, ascending = false } = options
  const session = await openSession(options)
  const { assignee } = options
  const member = assignee === undefined ? undefined : await findMember(session, assignee)
  const owner = options.owner === undefined ? undefined : await readOwner(session, options.owner)
  const filter = {
    ...readFilter(options),
    ...(member && { assigneeIds: [member.id] }),
    ...(owner !== undefined && { owners: [owner] }),
  }
  if (options.by === 'outcome') return printOutcomes(session, options, filter)
  const query = { sortColumn, ascending, filter }
  const listed = await readVulnerabilities(session, query, readLimit(options))
  const { totalCount: count, totalCountIsLowerBound: isLowerBound } = listed
  printListing(options, {
    rows: listed.vulnerabilities,
    columns: COLUMNS,
    nameOf: ({ cveId }) => cveId,
    noun: 'vulnerability',
    nouns: 'vulnerabilities',
    total: { count, isLowerBound },
    answer: () => listed,
  })
}

const MOST_OF_A_PAGE = 1000

/** Reads page by page, at most `most`; counts all that meet the filter. */
async function readVulnerabilities(
  { client, workspaceId }: Session,
  query: Query,
  most: number,
): Promise<Answer> {
  const path = '/workspaces/{workspaceId}/vulnerabilities/list'
  const limit = Math.min(MOST_OF_A_PAGE, most)
  const pages = readAllPages((cursor) =>
    client.post(path, { params: { workspaceId }, body: { ...query, limit, ...cursor } }),
  )
  const all: Vulnerability[] = []
  let total = { totalCount: 0, totalCountIsLowerBound: false }
  for await (const { vulnerabilities, totalCount, totalCountIsLowerBound } of pages) {
    for (const each of vulnerabilities) all.push(each)
    total = { totalCount, totalCountIsLowerBound }
    if (all.length >= most) break
  }
  return { vulnerabilities: all.slice(0, most), ...total }
}

const COLUMNS: readonly Column<Vulnerability>[] = [
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => styleSeverity(severity),
  },
  { title: 'CVSS', value: ({ cvssScore }) => cvssScore?.toFixed(1) ?? null },
  {
    title: 'EPSS',
    value: ({ epssScore }) => epssScore?.toFixed(3) ?? null,
    isSpare: true,
  },
  { title: 'KEV', value: ({ isKnownCisaExploit }) => (isKnownCisaExploit ? 'yes' : '') },
  {
    title: 'SSVC',
    value: ({ ssvcOutcome: most, ssvcLeastOutcome: least }) =>
      least === most ? most : `${least} to ${most}`,
    isSpare: true,
  },
  { title: 'DEVICES', value: ({ affectedDeviceCount }) => affectedDeviceCount },
  {
    title: 'VERSIONS',
    value: ({ firmwareVersionCount }) => firmwareVersionCount,
    isSpare: true,
  },
  { title: 'FINDINGS', value: ({ findingCount }) => findingCount, isSpare: true },
  { title: 'ACTIVE', value: ({ activeFindingCount }) => activeFindingCount },
  { title: 'CVE', value: ({ cveId }) => cveId, isWhole: true },
  { title: 'COMPONENTS', value: formatComponents },
  { title: 'ASSIGNEE', value: ({ assignee }) => assignee?.displayName ?? '', isSpare: true },
  { title: 'COMMENTS', value: ({ commentCount }) => commentCount || '', isSpare: true },
  {
    title: 'NAME',
    value: ({ name, isDisputed }) => (isDisputed ? `disputed: ${name}` : name),
  },
]

function formatComponents({ components, componentCount }: Vulnerability): string {
  const [newest] = components
  if (!newest) return ''
  const name = newest.version === null ? newest.name : `${newest.name} ${newest.version}`
  return componentCount > 1 ? `${name}, and ${componentCount - 1} more` : name
}

function readFilter(options: ListOptions) {
  const { severity, kev, active, onDevices, overdue, ssvc, unassigned, name, component } = options
  return {
    ...(severity && { severities: severity }),
    ...(kev !== undefined && { knownCisaExploit: kev }),
    ...(active && { activeOnly: true }),
    ...(onDevices && { affectedDevicesOnly: true }),
    ...(overdue && { overdue: true }),
    ...(ssvc && { ssvcOutcomes: ssvc }),
    ...(unassigned && { assigned: false }),
    ...(name && { name: name.map((contains) => ({ contains })) }),
    ...(component && { components: component.map(asComponent) }),
  } satisfies Filter
}
