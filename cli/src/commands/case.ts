/** Cases of Article 14 of Regulation (EU) 2024/2847: clocks, drafts, and what was reported. Nothing is sent from here. */
import type { Command } from 'commander'
import {
  type BodyOf,
  type Case,
  CASE_STATE,
  CASE_TYPE,
  type CaseClock,
  type CaseSummary,
} from '../../../api-client/src/index.ts'
import { CASE, CASES, openCase, withCase } from '../case-named.ts'
import { printDone } from '../done.ts'
import { type Fact, printFacts } from '../facts.ts'
import { usageError } from '../failure.ts'
import { formatTime } from '../instant.ts'
import { readJsonObject } from '../json-file.ts'
import { type ListOptions as Listed, printListing, withListOptions } from '../listing.ts'
import { collect, readOneOf } from '../option-values.ts'
import { notePage } from '../portal-page.ts'
import { printJson, printLine } from '../print.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { addCaseActs } from './case-acts.ts'
import { addCaseDrafts } from './case-draft.ts'
import { addCaseEnds } from './case-ends.ts'
import { findLine } from './product-line.ts'

interface ListOptions extends Listed {
  all?: boolean
  state?: (typeof CASE_STATE)[number]
  drill?: boolean
  cve?: string
  listedBefore?: string
}

export function addCaseCommands(program: Command): void {
  const command = program
    .command('case')
    .description('Cases of Article 14: clocks, drafts, and what was reported')

  withListOptions(command.command('list'))
    .description('List cases, open clocks first; closed and dismissed ones with --all')
    .option('--all', 'also closed and dismissed ones')
    .option('--state <state>', CASE_STATE.join(', '), readOneOf(CASE_STATE))
    .option('--drill', 'only drills')
    .option('--no-drill', 'no drills')
    .option('--cve <cve>', 'about this vulnerability')
    .option(
      '--listed-before <day>',
      'whose vulnerability was listed as exploited before: 2026-09-11',
    )
    .action(list)
  withCase(command.command('show'))
    .description('Show a case: clocks, versions, answers and reports')
    .option('--facts', 'all that was stated, with instants and by whom')
    .action(show)
  withConnection(command.command('create'))
    .description('Begin a case by hand; no clock starts')
    .option('--file <file>', 'the case as JSON; - for stdin')
    .option('--example', 'print a case as JSON, and begin none')
    .option('--title <text>', 'what people call it')
    .option('--type <type>', CASE_TYPE.join(', '), readOneOf(CASE_TYPE))
    .option('--cve <cve>', 'the vulnerability; versions that have it come along')
    .option('--product-line <line>', 'id or name; may be repeated', collect)
    .option('--drill', 'the same clocks, marked as an exercise')
    .option('--reason <text>', 'what the first hint was')
    .action(create)
  addCaseActs(command)
  addCaseDrafts(command)
  addCaseEnds(command)
}

const isLate = ({ clocks }: CaseSummary) => clocks.some(({ state }) => state === 'Late')

const COLUMNS: readonly Column<CaseSummary>[] = [
  { title: 'CASE', value: ({ title, isDrill }) => (isDrill ? `DRILL ${title}` : title) },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'NEXT', value: ({ nextStage }) => nextStage },
  {
    title: 'DUE (UTC)',
    value: ({ nextDueAt, assessBefore, nextLookAt }) =>
      formatTime(nextDueAt ?? nextLookAt) ??
      (assessBefore === null ? null : `assess before ${formatTime(assessBefore)}`),
    style: (one) => (isLate(one) ? 'red' : undefined),
  },
  { title: 'CVE', value: ({ cveId }) => cveId },
  {
    title: 'PRODUCTS',
    value: ({ productLines }) => productLines.map(({ name }) => name).join(', ') || 'not known',
  },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

async function list(options: ListOptions): Promise<void> {
  const { all = false, state, drill, cve, listedBefore } = options
  const { client, workspaceId } = await openSession(options)
  const found = await client.get(CASES, {
    params: { workspaceId },
    query: {
      ...(!all && state === undefined && { isOpen: 'true' as const }),
      ...(state !== undefined && { state }),
      ...(drill !== undefined && { isDrill: drill ? ('true' as const) : ('false' as const) }),
      ...(cve !== undefined && { cveId: cve.toUpperCase() }),
      ...(listedBefore !== undefined && { listedBefore }),
    },
  })
  printListing(options, {
    rows: found.cases,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'case',
    ...(found.hasMore && { total: { count: found.cases.length, isLowerBound: true } }),
    answer: (cases) => ({ ...found, cases }),
  })
}

const CLOCKS: readonly Column<CaseClock>[] = [
  { title: 'STAGE', value: ({ stage }) => stage },
  { title: 'ARTICLE', value: ({ article }) => article },
  {
    title: 'DUE (UTC)',
    value: ({ dueAt, basis }) => formatTime(dueAt) ?? NO_DUE_TIME[basis] ?? 'no due date yet',
  },
  {
    title: 'STATE',
    value: ({ state, doneAt }) =>
      doneAt === null ? state : `${state} ${formatTime(doneAt) ?? ''}`,
    style: ({ state }) => (state === 'Late' ? 'red' : undefined),
  },
  {
    title: 'NOTE',
    value: ({ isInterpretation, platformShowsAt }) =>
      [
        isInterpretation ? 'an interpretation: the law does not settle it' : '',
        platformShowsAt === null ? '' : `the platform shows ${formatTime(platformShowsAt)}`,
      ]
        .filter(Boolean)
        .join('; '),
  },
]

const NO_DUE_TIME: Partial<Record<CaseClock['basis'], string>> = {
  NoHours: 'no number of hours',
  WaitsForMeasure: 'no due date yet: no measure is available',
  WaitsForNotification: 'no due date yet: the notification is not submitted',
}

async function show(text: string, options: ConnectionOptions & { facts?: boolean }): Promise<void> {
  const { session, client, params } = await openCase(text, options)
  const shown = await client.get(CASE, { params })
  if (options.json) return printJson(shown)
  const { stdout } = getTerminal()
  printFacts(listFacts(shown))
  if (shown.clocks.length > 0) {
    printLine('')
    writeTable(stdout, CLOCKS, shown.clocks)
  }
  if (shown.versions.length > 0) {
    printLine('')
    writeTable(stdout, VERSIONS, shown.versions)
  }
  if (shown.reports.length > 0) {
    printLine('')
    writeTable(stdout, REPORTS, shown.reports)
  }
  if (options.facts === true) {
    printLine('')
    writeTable(stdout, FACTS, shown.facts)
  }
  await notePage(session, 'case', { caseId: shown.id })
}

const tellAnswer = (given: Case['canBeExploited'], proposed: string | null = null) =>
  given
    ? [given.answer, given.reason].filter(Boolean).join(': ')
    : `nobody has answered${proposed === null ? '' : `; decisions say ${proposed.toLowerCase()}`}`

function listFacts(shown: Case): Fact[] {
  const { proposedMeasure } = shown
  return [
    ['Case', shown.isDrill ? `DRILL ${shown.title}` : shown.title],
    ['Id', shown.id],
    ['Type', shown.type],
    ['State', shown.state],
    ['CVE', shown.cveId],
    ['Manufacturer', shown.manufacturer || 'not known: no product line'],
    ['Products', shown.productLines.map(({ name }) => name).join(', ')],
    ['Member States', shown.memberStates.join(', ') || 'not known'],
    ['Coordinator (14(7))', shown.coordinatorStates.join(', ') || 'not known'],
    ['Article 14 applies from', shown.appliesFrom],
    ['Devices', shown.deviceCount],
    ['First hint', formatTime(shown.signalAt)],
    ['Assess before (good practice)', formatTime(shown.assessBefore)],
    ['Can be exploited', tellAnswer(shown.canBeExploited, shown.proposedAnswer)],
    ['Was exploited', tellAnswer(shown.wasExploited)],
    [
      'Aware since',
      [formatTime(shown.awareAt), shown.isAwarenessEstimated ? '(estimated)' : '']
        .filter(Boolean)
        .join(' ') || 'nobody has said: no clock runs',
    ],
    ['Next look', formatTime(shown.nextLookAt)],
    ['Measure available since', formatTime(shown.measureAvailableAt)],
    [
      'Proposed measure',
      proposedMeasure && `${proposedMeasure.version}, ${formatTime(proposedMeasure.at)}`,
    ],
    ['New versions', shown.hasNewVersions ? 'found after it ended' : null],
  ]
}

const VERSIONS: readonly Column<Case['versions'][number]>[] = [
  { title: 'FIRMWARE', value: ({ firmware }) => firmware },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount ?? 'version deleted' },
  {
    title: 'COMPONENTS',
    value: ({ components }) =>
      components.map(({ name, version }) => [name, version].filter(Boolean).join(' ')).join(', '),
  },
]

const REPORTS: readonly Column<Case['reports'][number]>[] = [
  { title: 'REPORT', value: ({ stage }) => stage },
  { title: 'SUBMITTED (UTC)', value: ({ submittedAt }) => formatTime(submittedAt) },
  { title: 'REFERENCE', value: ({ reference }) => reference },
  { title: 'RECORDED BY', value: ({ recordedBy }) => recordedBy },
  {
    title: 'NOT ACCEPTED',
    value: ({ invalidatedAt, invalidation }) =>
      invalidatedAt === null ? null : [formatTime(invalidatedAt), invalidation].join(' '),
  },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

const FACTS: readonly Column<Case['facts'][number]>[] = [
  { title: 'RECORDED (UTC)', value: ({ recordedAt }) => formatTime(recordedAt) },
  { title: 'FACT', value: ({ kind, isWithdrawn }) => (isWithdrawn ? `${kind}, withdrawn` : kind) },
  { title: 'INSTANT (UTC)', value: ({ instant }) => formatTime(instant) },
  {
    title: 'SAYS',
    value: ({ question, answer, stage, field, names, reason, text }) =>
      [question, answer, stage, field, names.join(', '), reason, text].filter(Boolean).join(' '),
  },
  { title: 'BY', value: ({ byEmail, byType }) => byEmail ?? byType },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

const EXAMPLE = {
  type: 'Vulnerability',
  title: 'Remote root over the console',
  cveId: 'CVE-2026-31431',
  productLineIds: [],
  isDrill: false,
  reason: 'A customer saw it in a log.',
} satisfies BodyOf<'createCase'>

interface CreateOptions extends ConnectionOptions {
  file?: string
  example?: boolean
  title?: string
  type?: (typeof CASE_TYPE)[number]
  cve?: string
  productLine?: string[]
  drill?: boolean
  reason?: string
}

async function create(options: CreateOptions): Promise<void> {
  if (options.example === true) return printLine(JSON.stringify(EXAMPLE, null, 2))
  const { title, type, cve, productLine = [], drill, reason } = options
  const stated = options.file === undefined ? {} : await readJsonObject(options.file)
  const session = await openSession(options)
  const productLineIds: string[] = []
  for (const line of productLine) productLineIds.push((await findLine(session, line)).id)
  const body = {
    type: 'Vulnerability',
    productLineIds,
    ...stated,
    ...(title !== undefined && { title }),
    ...(type !== undefined && { type }),
    ...(cve !== undefined && { cveId: cve.toUpperCase() }),
    ...(productLine.length > 0 && { productLineIds }),
    ...(drill === true && { isDrill: true }),
    ...(reason !== undefined && { reason }),
  }
  if (!('title' in body)) throw usageError('Say --title, or give a --file; --example shows a case.')
  const { client, workspaceId } = session
  const answer = await client.post(CASES, {
    params: { workspaceId },
    // The service checks what a file states, and says where it is wrong.
    body: body as BodyOf<'createCase'>,
  })
  const text = `${answer.title}: begun, ${answer.id}. No clock runs before: plimsoll case aware ${answer.id}`
  printDone(options, { answer, id: answer.id, text })
}
