/** Reports as pages to print, into a file. */
import { type Command, InvalidArgumentError } from 'commander'
import { download } from '../download.ts'
import { findVersionId, withVersion, type VersionOptions } from '../firmware-version.ts'
import { parseInstant } from '../instant.ts'
import { type PeriodOptions, readPeriod, withPeriod } from '../period.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import { findLine } from './product-line.ts'

interface ReportOptions extends ConnectionOptions {
  output?: string
}

type PastReportOptions = ReportOptions & { asOf?: string }

const withOutput = (command: Command) =>
  withConnection(command).option('--output <file>', 'file to write (default: stdout)')

const withTable = (command: Command) => command.option('--csv', 'a table in place of the page')

const withPast = (command: Command) =>
  withOutput(command).option(
    '--as-of <time>',
    'as it was known and decided then, or so long ago (default: now)',
    (text: string) => parseInstant(text),
  )

export function addReportCommands(program: Command): void {
  const reports = program
    .command('reports')
    .description('Reports as HTML pages to print, and as tables')

  withPast(withVersion(reports.command('version')))
    .description('Write the report of a firmware version: verdict, findings, decisions, devices')
    .action(printVersion)

  withPast(reports.command('vulnerability'))
    .description('Write the report of a vulnerability: where it is, who runs it, what was decided')
    .argument('<cve>', 'its CVE id or an alias')
    .action(printVulnerability)

  withTable(withOutput(withVersion(reports.command('dossier'))))
    .description(
      'Write the dossier of a release: SBOMs, findings and reasons, accepted risks, licences, uptake',
    )
    .option('--as-of <day>', 'as it was known and decided at the end of that day (default: now)')
    .action(printDossier)

  withTable(withOutput(reports.command('quarter')))
    .description(
      'Write the report of a quarter: findings, cases and clocks, advisories, versions, figures',
    )
    .argument('<quarter>', 'such as 2026-Q3', readQuarter)
    .option('--product-line <line>', 'only this product line (id or name)')
    .action(printQuarter)

  withOutput(reports.command('decisions'))
    .description('Write the report of decisions in a period: who decided what, when and why')
    .requiredOption('--from <time>', 'from this time on, or so long ago', (text: string) =>
      parseInstant(text),
    )
    .option('--to <time>', 'before this time (default: now)', (text: string) => parseInstant(text))
    .action(printDecisions)

  withPeriod(withOutput(reports.command('figures')))
    .description(
      'Write the report of the figures of a period: how long triage, fixes and updates took',
    )
    .action(printFigures)
}

async function printVersion(
  version: string | undefined,
  options: PastReportOptions & VersionOptions,
): Promise<void> {
  const session = await openSession(options)
  const id = encodeURIComponent(await findVersionId(session, version, options))
  await download(session, withInstant(`/firmware-versions/${id}/report`, options), options.output)
}

async function printVulnerability(cveId: string, options: PastReportOptions): Promise<void> {
  const session = await openSession(options)
  const path = `/vulnerabilities/${encodeURIComponent(cveId)}/report`
  await download(session, withInstant(path, options), options.output)
}

function readQuarter(text: string): string {
  const quarter = text.toUpperCase()
  if (!/^\d{4}-Q[1-4]$/.test(quarter)) throw new InvalidArgumentError('Use a form such as 2026-Q3.')
  return quarter
}

interface TableOptions {
  csv?: boolean
}

async function printDossier(
  version: string | undefined,
  options: PastReportOptions & VersionOptions & TableOptions,
): Promise<void> {
  const session = await openSession(options)
  const id = encodeURIComponent(await findVersionId(session, version, options))
  const path = `/firmware-versions/${id}/dossier${options.csv ? '/export' : ''}`
  await download(session, withInstant(path, options), options.output)
}

async function printQuarter(
  quarter: string,
  options: ReportOptions & TableOptions & { productLine?: string },
): Promise<void> {
  const { csv, output, productLine } = options
  const session = await openSession(options)
  const line = productLine === undefined ? undefined : await findLine(session, productLine)
  const query = new URLSearchParams({ quarter, ...(line && { productLineId: line.id }) })
  await download(session, `/quarterly-report${csv ? '/export' : ''}?${query.toString()}`, output)
}

const withInstant = (path: string, { asOf }: PastReportOptions) =>
  asOf === undefined ? path : `${path}?${new URLSearchParams({ asOf }).toString()}`

async function printDecisions(
  options: ReportOptions & { from: string; to?: string },
): Promise<void> {
  const { from, to, output } = options
  const session = await openSession(options)
  const period = new URLSearchParams({ from, ...(to !== undefined && { to }) })
  await download(session, `/decisions/report?${period.toString()}`, output)
}

async function printFigures(options: ReportOptions & PeriodOptions): Promise<void> {
  const session = await openSession(options)
  const period = new URLSearchParams(await readPeriod(session, options))
  await download(session, `/figures/report?${period.toString()}`, options.output)
}
