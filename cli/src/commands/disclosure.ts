/** Reports of vulnerabilities from outside: read, answered, and what becomes of them. */
import type { Command } from 'commander'
import {
  DISCLOSURE_REPORT_DISMISSAL,
  DISCLOSURE_REPORT_STATE,
  type DisclosureReport,
  type DisclosureReportSummary,
} from '../../../api-client/src/index.ts'
import { findCaseId } from '../case-named.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { type Fact, printFacts } from '../facts.ts'
import { formatTime, parseInstant, parseLaterInstant } from '../instant.ts'
import { type ListOptions as Listed, printListing, withListOptions } from '../listing.ts'
import { collect, readOneOf } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise, sanitiseLines } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { addDisclosurePolicy } from './disclosure-policy.ts'
import { findLine } from './product-line.ts'

const REPORTS = '/workspaces/{workspaceId}/disclosure-reports'
const REPORT = `${REPORTS}/{reportId}` as const
const REASON = ['--reason <text>', 'why; whoever reported does not see it'] as const

const withReport = (command: Command) =>
  withConnection(command.argument('<report>', 'its id, as disclosure list shows it'))

export function addDisclosureCommands(program: Command): void {
  const command = program
    .command('disclosure')
    .description('Reports of vulnerabilities from outside: answers, cases, and when they are due')

  withListOptions(command.command('list'))
    .description('List reports from outside, what is due first; ended ones with --all')
    .option('--all', 'also dismissed and disclosed ones')
    .option(
      '--state <state>',
      DISCLOSURE_REPORT_STATE.join(', '),
      readOneOf(DISCLOSURE_REPORT_STATE),
    )
    .option('--waiting', 'only what somebody is to answer or to assess')
    .action(list)
  withReport(command.command('show'))
    .description('Show a report and all that was written about it')
    .action(show)
  withReport(command.command('answer'))
    .description('Answer whoever reported, on the page of their link')
    .argument('<text>', 'what they read')
    .action((id: string, text: string, options: ConnectionOptions) => answer(id, text, options))
  withReport(command.command('note'))
    .description('Write a note for the team; whoever reported never sees it')
    .argument('<text>', 'what it says')
    .action((id: string, text: string, options: ConnectionOptions) => note(id, text, options))
  withReport(command.command('join'))
    .description('Let a report join a case; no clock of the case starts')
    .argument('<case>', 'its id, its CVE id or its title')
    .action((id: string, text: string, options: ConnectionOptions) => join(id, text, options))
  addDecisions(command)
  addDisclosurePolicy(command)
}

function addDecisions(command: Command): void {
  withReport(command.command('propose'))
    .description('Propose a case of a report; no clock starts')
    .requiredOption('--title <text>', 'what people call the case')
    .option('--cve <cve>', 'the vulnerability, where it has an id')
    .option('--product-line <line>', 'id or name; may be repeated', collect)
    .action(propose)
  withReport(command.command('dismiss'))
    .description('Dismiss a report with a reason; it can be reopened')
    .requiredOption(
      '--kind <kind>',
      DISCLOSURE_REPORT_DISMISSAL.join(', '),
      readOneOf(DISCLOSURE_REPORT_DISMISSAL),
    )
    .requiredOption(...REASON)
    .option('--duplicate-of <report>', 'the report that it repeats')
    .action(dismiss)
  withReport(command.command('reopen'))
    .description('Reopen a report that was dismissed or disclosed')
    .requiredOption(...REASON)
    .action(reopen)
  withReport(command.command('embargo'))
    .description('State until when nothing is published, or let the policy count again')
    .option(
      '--until <time>',
      'a time, or a duration from now: 30d; left out: as the policy says',
      (text: string) => parseLaterInstant(text),
    )
    .requiredOption(...REASON)
    .action(embargo)
  withReport(command.command('credit'))
    .description('State under which name whoever reported is thanked')
    .argument('[name]', 'left out: nobody is named')
    .action((id: string, name: string | undefined, options: ConnectionOptions) =>
      credit(id, name, options),
    )
  withConfirmation(withReport(command.command('erase-contact')))
    .description('Erase how whoever reported can be reached; it cannot be undone')
    .requiredOption(...REASON)
    .action(eraseContact)
  withReport(command.command('disclosed'))
    .description('Record that it was published; nothing is published by that')
    .requiredOption('--at <time>', 'a time, or a duration ago: 2h', (text: string) =>
      parseInstant(text),
    )
    .option('--text <text>', 'where, such as the number of the advisory')
    .action(disclose)
}

const COLUMNS: readonly Column<DisclosureReportSummary>[] = [
  { title: 'REPORT', value: ({ title }) => title },
  { title: 'STATE', value: ({ state, dismissal }) => dismissal ?? state },
  { title: 'WAITS', value: ({ isWaiting }) => (isWaiting ? 'yes' : 'no') },
  { title: 'NEXT', value: ({ nextStep }) => nextStep },
  {
    title: 'DUE (UTC)',
    value: ({ nextDueAt }) => formatTime(nextDueAt),
    style: ({ isLate }) => (isLate ? 'red' : undefined),
  },
  { title: 'PRODUCT', value: ({ productLineName }) => productLineName ?? 'not known' },
  { title: 'RECEIVED (UTC)', value: ({ receivedAt }) => formatTime(receivedAt) },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

interface ListOptions extends Listed {
  all?: boolean
  state?: (typeof DISCLOSURE_REPORT_STATE)[number]
  waiting?: boolean
}

async function list(options: ListOptions): Promise<void> {
  const { all = false, state, waiting = false } = options
  const { client, workspaceId } = await openSession(options)
  const found = await client.get(REPORTS, {
    params: { workspaceId },
    query: {
      ...(!all && state === undefined && { isOpen: 'true' as const }),
      ...(state !== undefined && { state }),
      ...(waiting && { isWaiting: 'true' as const }),
    },
  })
  printListing(options, {
    rows: found.reports,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'report',
    ...(found.hasMore && { total: { count: found.reports.length, isLowerBound: true } }),
    answer: (reports) => ({ ...found, reports }),
  })
}

async function openReport(reportId: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const { client, workspaceId } = session
  return { session, client, params: { workspaceId, reportId } }
}

async function show(id: string, options: ConnectionOptions): Promise<void> {
  const { session, client, params } = await openReport(id, options)
  const shown = await client.get(REPORT, { params })
  if (options.json) return printJson(shown)
  printFacts(listFacts(shown))
  printLine('')
  printLine(sanitiseLines(shown.text))
  for (const event of shown.events) {
    printLine('')
    const by = event.isByReporter ? 'whoever reported' : (event.byEmail ?? 'an API key')
    printLine(sanitise(`${formatTime(event.recordedAt) ?? ''} ${event.kind}, by ${by}`))
    if (event.text !== null) printLine(sanitiseLines(event.text))
  }
  await notePage(session, 'disclosureReport', { reportId: shown.id })
}

function listFacts(shown: DisclosureReport): Fact[] {
  return [
    ['Report', shown.title],
    ['Id', shown.id],
    ['State', shown.dismissal ?? shown.state],
    ['Product', shown.productLineName ?? 'not known'],
    ['Contact', shown.contact ?? (shown.contactErasedAt === null ? 'anonymous' : 'erased')],
    ['Credit', shown.credit ?? 'none'],
    ['Received', formatTime(shown.receivedAt)],
    ['Case', shown.caseId],
    ['Duplicate of', shown.duplicateOfId],
    ['Embargo until', formatTime(shown.embargoUntil)],
    ...shown.clocks.map(({ step, dueAt, doneAt, state }): Fact => [
      `${step} (good practice)`,
      doneAt === null ? `${state}, due ${formatTime(dueAt)}` : `${state} ${formatTime(doneAt)}`,
    ]),
  ]
}

function printReport(options: ConnectionOptions, done: string, answered: DisclosureReport): void {
  const text = `${answered.title}: ${done}. It is ${answered.state}.`
  printDone(options, { answer: answered, text })
}

async function answer(id: string, text: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openReport(id, options)
  const answered = await client.post(`${REPORT}/answers`, { params, body: { text } })
  printReport(options, 'answered', answered)
}

async function note(id: string, text: string, options: ConnectionOptions): Promise<void> {
  const { client, params } = await openReport(id, options)
  const answered = await client.post(`${REPORT}/notes`, { params, body: { text } })
  printReport(options, 'noted', answered)
}

async function join(id: string, text: string, options: ConnectionOptions): Promise<void> {
  const { session, client, params } = await openReport(id, options)
  const caseId = await findCaseId(session, text)
  const answered = await client.post(`${REPORT}/join`, { params, body: { caseId } })
  printReport(options, 'joined the case', answered)
}

interface ProposeOptions extends ConnectionOptions {
  title: string
  cve?: string
  productLine?: string[]
}

async function propose(id: string, options: ProposeOptions): Promise<void> {
  const { title, cve, productLine = [] } = options
  const { session, client, params } = await openReport(id, options)
  const productLineIds: string[] = []
  for (const line of productLine) productLineIds.push((await findLine(session, line)).id)
  const body = { title, productLineIds, ...(cve !== undefined && { cveId: cve.toUpperCase() }) }
  const answered = await client.post(`${REPORT}/propose`, { params, body })
  printReport(options, `the case ${answered.caseId ?? ''} is proposed`, answered)
}

interface WithReason extends ConnectionOptions {
  reason: string
}

interface DismissOptions extends WithReason {
  kind: (typeof DISCLOSURE_REPORT_DISMISSAL)[number]
  duplicateOf?: string
}

async function dismiss(id: string, options: DismissOptions): Promise<void> {
  const { kind: as, reason, duplicateOf } = options
  const { client, params } = await openReport(id, options)
  const body = { as, reason, ...(duplicateOf !== undefined && { duplicateOfId: duplicateOf }) }
  printReport(options, 'dismissed', await client.post(`${REPORT}/dismiss`, { params, body }))
}

async function reopen(id: string, options: WithReason): Promise<void> {
  const { client, params } = await openReport(id, options)
  const body = { reason: options.reason }
  printReport(options, 'reopened', await client.post(`${REPORT}/reopen`, { params, body }))
}

async function embargo(id: string, options: WithReason & { until?: string }): Promise<void> {
  const { until = null, reason } = options
  const { client, params } = await openReport(id, options)
  const answered = await client.post(`${REPORT}/embargo`, { params, body: { until, reason } })
  const done = until === null ? 'the policy counts again' : `embargo until ${formatTime(until)} UTC`
  printReport(options, done, answered)
}

async function credit(
  id: string,
  name: string | undefined,
  options: ConnectionOptions,
): Promise<void> {
  const { client, params } = await openReport(id, options)
  const answered = await client.post(`${REPORT}/credit`, { params, body: { credit: name ?? null } })
  printReport(options, name === undefined ? 'nobody is named' : `thanks to ${name}`, answered)
}

async function eraseContact(id: string, options: WithReason & ConfirmOptions): Promise<void> {
  const { client, params } = await openReport(id, options)
  const { title } = await client.get(REPORT, { params })
  await confirm(
    `Erase the contact of ${title}? Nobody can reach whoever reported by it then, and it cannot be undone. The report stays.`,
    options,
  )
  const body = { reason: options.reason }
  const answered = await client.post(`${REPORT}/erase-contact`, { params, body })
  printReport(options, 'the contact is erased', answered)
}

async function disclose(
  id: string,
  options: ConnectionOptions & { at: string; text?: string },
): Promise<void> {
  const { client, params } = await openReport(id, options)
  const body = {
    disclosedAt: options.at,
    ...(options.text !== undefined && { text: options.text }),
  }
  printReport(options, 'disclosed', await client.post(`${REPORT}/disclose`, { params, body }))
}
