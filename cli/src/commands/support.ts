import { type Command, Option } from 'commander'
import type {
  SupportEntry,
  SupportStatement,
  SupportStatementCommand,
  VersionSupport,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { printDone } from '../done.ts'
import { EXIT } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { formatCount, note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'
import { getTerminal } from '../terminal.ts'

const STATEMENTS = '/workspaces/{workspaceId}/support-statements'
const STATEMENT = `${STATEMENTS}/{statementId}` as const
const OF_VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/support'

export function addSupportCommands(program: Command): void {
  const support = program
    .command('support')
    .description('Until when components get fixes: by endoflife.date, and by dates of your own')

  withListOptions(support.command('show'))
    .description('Show what of a firmware version is out of support, and what ends when')
    .argument('<version>', 'slug@name or id')
    .addOption(
      new Option(
        '--fail-within <days>',
        'exit with 2 if anything is out of support, or ends within so many days; 0: out of support only',
      ).argParser(readDays),
    )
    .action(show)
  withListOptions(support.command('list'))
    .description('List the ends of support that the workspace states itself')
    .action(listStatements)
  withConnection(support.command('state'))
    .description('State until when components get fixes; it comes before what the source says')
    .option('--name <name>', 'components of this name')
    .option('--purl <purl>', 'components with this purl; without version')
    .option('--from <version>', 'from this version on')
    .option('--before <version>', 'before this version')
    .option('--ends-on <day>', 'the first day without fixes, such as 2027-06-30')
    .option('--no-end', 'no end is planned')
    .option('--link <url>', 'where that is said')
    .option('--note <text>', 'what others should know')
    .action(stateEnd)
  withConfirmation(withConnection(support.command('delete')))
    .description('Delete a stated end of support; what the source says counts again')
    .argument('<statement>', 'its id')
    .action(remove)
}

const ENTRY_COLUMNS: readonly Column<SupportEntry>[] = [
  { title: 'PRODUCT', value: ({ label }) => label },
  { title: 'CYCLE', value: ({ cycle }) => cycle },
  { title: 'SUPPORT', value: (entry) => describeEnd(entry) },
  { title: 'COMPONENTS', value: (entry) => describeComponents(entry) },
  { title: 'WHY', value: ({ why }) => why, isSpare: true },
]

function describeEnd({ state, endsOn, extendedEndsOn, endsBeforePromise }: SupportEntry): string {
  const extended = extendedEndsOn === null ? '' : `, extended until ${extendedEndsOn}`
  if (state === 'NotKnown') return 'not known'
  if (state === 'NoEndPlanned') return 'no end planned'
  if (state === 'Ended')
    return endsOn === null ? `out of support${extended}` : `out since ${endsOn}${extended}`
  return `until ${endsOn ?? ''}${endsBeforePromise ? ', before the promise' : ''}${extended}`
}

const MOST_NAMED = 2

function describeComponents({ components, componentCount }: SupportEntry): string {
  const named = components
    .slice(0, MOST_NAMED)
    .map(({ name, version }) => (version === null ? name : `${name} ${version}`))
  const rest = componentCount - named.length
  return named.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

interface ShowOptions extends ListOptions {
  failWithin?: number
}

function readDays(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw usageError(`${JSON.stringify(text)} is not a number of days.`)
  return Number(text)
}

async function show(version: string, options: ShowOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmwareVersionId = await findStatedVersionId(session, version)
  const found = await client.get(OF_VERSION, { params: { workspaceId, firmwareVersionId } })
  if (options.failWithin !== undefined) failAtEnds(found, options.failWithin)
  if (options.json) {
    printJson(found)
    return
  }
  printListing(options, {
    rows: found.entries,
    columns: ENTRY_COLUMNS,
    nameOf: ({ label, cycle }) => (cycle === null ? label : `${label} ${cycle}`),
    noun: 'end of support',
    nouns: 'ends of support',
    answer: (entries) => ({ ...found, entries }),
  })
  if (options.csv !== true && options.quiet !== true) note(describeRest(found))
}

/** What is not known fails nothing, and is told beside the table. */
function failAtEnds({ entries, day }: VersionSupport, days: number): void {
  const last = new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)
  const isOver = ({ state, endsOn }: SupportEntry) =>
    state === 'Ended' || (state === 'Ending' && endsOn !== null && endsOn <= last)
  if (entries.some(isOver)) getTerminal().exitCode = EXIT.findings
}

const DAY_MS = 86_400_000

/** What the table leaves out. */
function describeRest({ counts, deviceCount, supportEndsOn, source }: VersionSupport): string {
  const never = source?.lastCompleteAt === null ? ' endoflife.date was never read.' : ''
  const promise = supportEndsOn === null ? '' : ` Support is promised until ${supportEndsOn}.`
  return `${formatCount(counts.notListed, 'component')} of products that nothing is known of. The version runs on ${formatCount(deviceCount, 'device')}.${promise}${never}`
}

const COLUMNS: readonly Column<SupportStatement>[] = [
  { title: 'COMPONENTS', value: describeChoice },
  { title: 'ENDS ON', value: ({ endsOn }) => endsOn ?? 'no end planned' },
  { title: 'PACKAGES', value: ({ packageCount }) => packageCount },
  { title: 'NOTE', value: (one) => one.note },
  { title: 'LINK', value: ({ link }) => link, isSpare: true },
  { title: 'STATED BY', value: ({ createdByEmail }) => createdByEmail },
  { title: 'ID', value: ({ id }) => id, isSpare: true },
]

function describeChoice({ name, purl, versionFrom, versionBefore }: SupportStatement): string {
  const from = versionFrom === null ? '' : ` from ${versionFrom}`
  const before = versionBefore === null ? '' : ` before ${versionBefore}`
  return `${name ?? purl ?? ''}${from}${before}`
}

async function listStatements(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { statements } = await client.get(STATEMENTS, { params: { workspaceId } })
  printListing(options, {
    rows: statements,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'stated end of support',
    nouns: 'stated ends of support',
    answer: (rows) => ({ statements: rows }),
  })
}

interface StateOptions extends ConnectionOptions {
  name?: string
  purl?: string
  from?: string
  before?: string
  endsOn?: string
  /** False with --no-end. */
  end: boolean
  link?: string
  note?: string
}

async function stateEnd(options: StateOptions): Promise<void> {
  const body = readBody(options)
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(STATEMENTS, { params: { workspaceId }, body })
  if (options.json) printJson(answer)
  else
    printLine(
      sanitise(
        `${answer.id}: stated for ${formatCount(answer.packageCount, 'package')} of ${describeChoice(answer)}`,
      ),
    )
}

function readBody(options: StateOptions): SupportStatementCommand {
  const { name, purl, from, before, endsOn, end, link, note: text } = options
  if ((name === undefined) === (purl === undefined))
    throw usageError('Say which components it is for: --name or --purl.')
  if ((endsOn === undefined) === end)
    throw usageError('Say when support ends: --ends-on with a day, or --no-end.')
  return {
    ...(name !== undefined && { name }),
    ...(purl !== undefined && { purl }),
    ...(from !== undefined && { versionFrom: from }),
    ...(before !== undefined && { versionBefore: before }),
    endsOn: endsOn ?? null,
    ...(link !== undefined && { link }),
    ...(text !== undefined && { note: text }),
  }
}

async function remove(
  statementId: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const params = { workspaceId, statementId }
  const found = await client.get(STATEMENT, { params })
  await confirm(
    `Delete the stated end of support of ${describeChoice(found)}, which is about ${formatCount(found.packageCount, 'package')}?`,
    options,
  )
  await client.delete(STATEMENT, { params })
  printDone(options, { answer: { id: statementId }, text: `${statementId}: deleted` })
}
