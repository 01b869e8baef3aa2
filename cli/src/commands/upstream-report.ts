/** What was reported to whoever makes a component, Article 13(6). Nothing is sent from here. */
import type { Command } from 'commander'
import type { UpstreamReport } from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { formatTime, parseInstant } from '../instant.ts'
import { type ListOptions as Listed, printListing, withListOptions } from '../listing.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { type FindingOptions, findFindingId, withFinding } from './findings-show.ts'

const REPORTS = '/workspaces/{workspaceId}/upstream-reports'
const REPORT = `${REPORTS}/{upstreamReportId}` as const

export function addUpstreamReportCommands(program: Command): void {
  const command = program
    .command('upstream-report')
    .description('What was reported to whoever makes a component, 13(6)')

  withListOptions(command.command('list'))
    .description('List what was reported to makers of components, the newest first')
    .option('--cve <cve>', 'about this vulnerability')
    .action(list)
  withConnection(withFinding(command.command('create')))
    .description(
      'Record that a finding was reported to the maker of its component; nothing is sent',
    )
    .requiredOption('--to <recipient>', 'whoever makes or maintains the component')
    .requiredOption('--text <text>', 'what was reported')
    .option('--at <time>', 'when: a time, or a duration ago (default: now)', (text: string) =>
      parseInstant(text),
    )
    .option('--fix <text>', 'what was shared to mend it, such as the address of a patch')
    .action(create)
  withConnection(command.command('fix').argument('<report>', 'its id'))
    .description('State what was shared to mend it')
    .argument('<text>', 'such as the address of a patch')
    .action((id: string, text: string, options: ConnectionOptions) => fix(id, text, options))
  withConfirmation(withConnection(command.command('delete').argument('<report>', 'its id')))
    .description('Delete what was recorded by mistake; the audit log keeps it')
    .action(remove)
}

const COLUMNS: readonly Column<UpstreamReport>[] = [
  { title: 'REPORTED (UTC)', value: ({ reportedAt }) => formatTime(reportedAt) },
  { title: 'CVE', value: ({ cveId }) => cveId },
  {
    title: 'COMPONENT',
    value: ({ componentName, componentVersion }) =>
      [componentName, componentVersion].filter(Boolean).join(' '),
  },
  { title: 'TO', value: ({ recipient }) => recipient },
  { title: 'FIX', value: ({ fix: shared }) => shared },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

async function list(options: Listed & { cve?: string }): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const query = options.cve === undefined ? {} : { cveId: options.cve }
  const found = await client.get(REPORTS, { params: { workspaceId }, query })
  printListing(options, {
    rows: found.upstreamReports,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'upstream report',
    ...(found.hasMore && { total: { count: found.upstreamReports.length, isLowerBound: true } }),
    answer: (upstreamReports) => ({ ...found, upstreamReports }),
  })
}

interface CreateOptions extends ConnectionOptions, FindingOptions {
  to: string
  text: string
  at?: string
  fix?: string
}

async function create(
  finding: string,
  version: string | undefined,
  options: CreateOptions,
): Promise<void> {
  const { to: recipient, text, at: reportedAt = new Date().toISOString() } = options
  const session = await openSession(options)
  const { client, workspaceId } = session
  const findingId = await findFindingId(session, { finding, version }, options)
  const answer = await client.post(
    '/workspaces/{workspaceId}/vulnerability-findings/{findingId}/upstream-reports',
    {
      params: { workspaceId, findingId },
      body: { reportedAt, recipient, text, ...(options.fix !== undefined && { fix: options.fix }) },
    },
  )
  const done = `${answer.cveId} in ${answer.componentName}: recorded as reported to ${recipient}`
  printDone(options, { answer, id: answer.id, text: done })
}

async function openReport(upstreamReportId: string, options: ConnectionOptions) {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, upstreamReportId }
  return { client, params, found: await client.get(REPORT, { params }) }
}

async function fix(id: string, text: string, options: ConnectionOptions): Promise<void> {
  const { client, params, found } = await openReport(id, options)
  const answer = await client.patch(REPORT, { params, body: { fix: text }, ifStill: found })
  printDone(options, { answer, text: `${answer.cveId}: the fix is recorded` })
}

async function remove(id: string, options: ConnectionOptions & ConfirmOptions): Promise<void> {
  const { client, params, found } = await openReport(id, options)
  await confirm(`Delete the record of ${found.cveId} to ${found.recipient}?`, options)
  await client.delete(REPORT, { params })
  printDone(options, { answer: { id }, text: `${found.cveId}: the record is deleted` })
}
