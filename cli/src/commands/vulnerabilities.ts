import type { Command } from 'commander'
import { allPages, type AnswerOf, type BodyOf } from '../../../api-client/src/index.ts'
import { SEVERITIES } from '../findings.ts'
import { severityStyle } from '../findings-table.ts'
import { asComponent, listOf, oneOf, positiveInteger, repeated } from '../option-values.ts'
import { plural, printJson, printLine } from '../print.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

type Query = Omit<BodyOf<'listWorkspaceVulnerabilities'>, 'cursor' | 'limit'>
type Filter = NonNullable<Query['filter']>
type Page = AnswerOf<'listWorkspaceVulnerabilities'>
type Vulnerability = Page['vulnerabilities'][number]
type Listed = Pick<Page, 'vulnerabilities' | 'totalCount' | 'totalCountIsLowerBound'>

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
] as const satisfies readonly Query['sortColumn'][]

interface ListOptions extends ConnectionOptions {
  severity?: NonNullable<Filter['severities']>
  kev?: boolean
  active?: boolean
  onDevices?: boolean
  name?: string[]
  component?: string[]
  sort: (typeof SORT_COLUMNS)[number]
  ascending?: boolean
  limit: number
}

const DEFAULT_LIMIT = 100

export function addVulnerabilityCommands(program: Command): void {
  const vulnerabilities = program
    .command('vulnerabilities')
    .description('Vulnerabilities over all firmware versions')

  connecting(vulnerabilities.command('list'))
    .description('List the findings of all firmware versions by vulnerability, worst first')
    .option(
      '--severity <list>',
      `of these severities: ${SEVERITIES.join(', ')}`,
      listOf(SEVERITIES),
    )
    .option('--kev', 'only those in the catalogue of known exploits (CISA)')
    .option('--no-kev', 'only those not in that catalogue')
    .option('--active', 'only those with an active finding')
    .option('--on-devices', 'only those of packages that a device runs')
    .option('--name <text>', 'whose name, CVE id or alias contains it; may be repeated', repeated)
    .option('--component <name[@version]>', 'in this component; may be repeated', repeated)
    .option('--sort <column>', `by: ${SORT_COLUMNS.join(', ')}`, oneOf(SORT_COLUMNS), 'Risk')
    .option('--ascending', 'sort in ascending order')
    .option('--limit <count>', 'the largest number to list', positiveInteger, DEFAULT_LIMIT)
    .action(list)
}

async function list(options: ListOptions): Promise<void> {
  const { sort: sortColumn, ascending = false, limit } = options
  const query = { sortColumn, ascending, filter: filterOf(options) }
  const listed = await readVulnerabilities(await openSession(options), query, limit)
  if (options.json) printJson(listed)
  else print(listed)
}

const MOST_OF_A_PAGE = 1000

/** Reads page by page, at most `most`; counts all that meet the filter. */
async function readVulnerabilities(
  { client, workspaceId }: Session,
  query: Query,
  most: number,
): Promise<Listed> {
  const path = '/workspaces/{workspaceId}/vulnerabilities/list'
  const limit = Math.min(MOST_OF_A_PAGE, most)
  const pages = allPages((cursor) =>
    client.post(path, { params: { workspaceId }, body: { ...query, limit, ...cursor } }),
  )
  const all: Vulnerability[] = []
  let total = { totalCount: 0, totalCountIsLowerBound: false }
  for await (const { vulnerabilities, totalCount, totalCountIsLowerBound } of pages) {
    all.push(...vulnerabilities)
    total = { totalCount, totalCountIsLowerBound }
    if (all.length >= most) break
  }
  return { vulnerabilities: all.slice(0, most), ...total }
}

const COLUMNS: readonly Column<Vulnerability>[] = [
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => severityStyle(severity),
  },
  { title: 'CVSS', value: ({ cvssScore }) => cvssScore?.toFixed(1) ?? null },
  { title: 'EPSS', value: ({ epssScore }) => epssScore?.toFixed(3) ?? null },
  { title: 'KEV', value: ({ isKnownCisaExploit }) => (isKnownCisaExploit ? 'yes' : '') },
  { title: 'DEVICES', value: ({ affectedDeviceCount }) => affectedDeviceCount },
  { title: 'VERSIONS', value: ({ firmwareVersionCount }) => firmwareVersionCount },
  { title: 'FINDINGS', value: ({ findingCount }) => findingCount },
  { title: 'ACTIVE', value: ({ activeFindingCount }) => activeFindingCount },
  { title: 'CVE', value: ({ cveId }) => cveId },
  { title: 'COMPONENTS', value: componentsOf },
  { title: 'NAME', value: ({ name }) => name },
]

function componentsOf({ components, componentCount }: Vulnerability): string {
  const [newest] = components
  if (!newest) return ''
  const name = newest.version === null ? newest.name : `${newest.name} ${newest.version}`
  return componentCount > 1 ? `${name}, and ${componentCount - 1} more` : name
}

function print({ vulnerabilities, totalCount, totalCountIsLowerBound }: Listed): void {
  if (vulnerabilities.length > 0) writeTable(terminal().stdout, COLUMNS, vulnerabilities)
  const isAll = vulnerabilities.length >= totalCount && !totalCountIsLowerBound
  const shown = isAll
    ? ''
    : `${vulnerabilities.length} of ${totalCountIsLowerBound ? 'more than ' : ''}`
  const count = plural(totalCount, 'vulnerability', 'vulnerabilities')
  printLine(`${vulnerabilities.length > 0 ? '\n' : ''}${shown}${count}`)
}

function filterOf({ severity, kev, active, onDevices, name, component }: ListOptions) {
  return {
    ...(severity && { severities: severity }),
    ...(kev !== undefined && { knownCisaExploit: kev }),
    ...(active && { activeOnly: true }),
    ...(onDevices && { affectedDevicesOnly: true }),
    ...(name && { name: name.map((contains) => ({ contains })) }),
    ...(component && { components: component.map(asComponent) }),
  } satisfies Filter
}
