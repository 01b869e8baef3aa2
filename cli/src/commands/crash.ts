/** Crashes of devices: which kinds there are, where in the code, in which versions. */
import type { Command } from 'commander'
import {
  type CrashBuild,
  type CrashGroup,
  type CrashGroupDetail,
  type CrashGroupPage,
  readAllPages,
} from '../../../api-client/src/index.ts'
import { confirm, type ConfirmOptions, withConfirmation } from '../confirm.ts'
import { describeReporting } from '../crash/reporting.ts'
import { listStackLines } from '../crash/stack-lines.ts'
import { printDone } from '../done.ts'
import { type Fact, printFacts } from '../facts.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { formatTime } from '../instant.ts'
import {
  choosePageSize,
  type ListOptions,
  printListing,
  readLimit,
  readUpTo,
  withListOptions,
} from '../listing.ts'
import { readOneOf } from '../option-values.ts'
import { formatCount, note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'
import { addCrashResolve } from './crash-resolve.ts'

const GROUPS = '/workspaces/{workspaceId}/crash-groups'
const GROUP = `${GROUPS}/{crashGroupId}` as const
const BUILDS = '/workspaces/{workspaceId}/crash-builds'

const STATES = ['open', 'closed'] as const
const STATE = { open: 'Open', closed: 'Closed' } as const

export function addCrashCommands(program: Command): void {
  const crash = program.command('crash').description('Where devices crash, and since which version')

  withListOptions(crash.command('list'))
    .description('List kinds of crashes, those that happened last first')
    .option('--version <version>', 'those of this firmware version: slug@name or id')
    .option('--new-since <version>', 'those that no version before this one has')
    .option('--state <state>', STATES.join(' or '), readOneOf(STATES))
    .option('--text <text>', 'in the reason, or in the name of a function')
    .action(list)
  withGroup(crash.command('show'))
    .description('Show a kind of crash: its stack, versions, devices and newest reports')
    .action(show)
  withGroup(crash.command('close'))
    .description(
      'Say in which version it is mended; it opens again when that version crashes alike',
    )
    .requiredOption('--fixed-in <version>', 'slug@name or id')
    .action(close)
  withGroup(crash.command('reopen')).description('Open it again, as after a slip').action(reopen)
  withListOptions(crash.command('builds'))
    .description('List the builds that crashes name, and how many of their addresses have no lines')
    .action(listBuilds)
  addCrashResolve(crash)
  withConfirmation(withConnection(crash.command('unresolve').argument('<build>', 'its build id')))
    .description('Take all lines of a build back, such as those of a wrong ELF file')
    .action(unresolve)
}

const withGroup = (command: Command) => withConnection(command.argument('<crash>', 'its id'))

const COLUMNS: readonly Column<CrashGroup>[] = [
  { title: 'CRASH', value: ({ title }) => title },
  {
    title: 'STATE',
    value: describeState,
    style: ({ state, reopenedAt }) =>
      state === 'Closed' ? 'green' : reopenedAt === null ? undefined : 'red',
  },
  { title: 'CRASHES', value: ({ crashCount }) => crashCount },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'SINCE VERSION', value: ({ firstVersion }) => firstVersion?.name ?? 'not known' },
  { title: 'LAST (UTC)', value: ({ lastSeenAt }) => formatTime(lastSeenAt) },
  { title: 'FIRMWARE', value: ({ firmware }) => firmware?.slug ?? 'not known', isSpare: true },
  { title: 'ID', value: ({ id }) => id, isWhole: true },
]

function describeState({
  state,
  fixedIn,
  reopenedAt,
}: Pick<CrashGroup, 'state' | 'fixedIn' | 'reopenedAt'>): string {
  if (state === 'Closed') return fixedIn === null ? 'closed' : `fixed in ${fixedIn.name}`
  return reopenedAt === null ? 'open' : 'came back'
}

interface FilterOptions extends ListOptions {
  version?: string
  newSince?: string
  state?: (typeof STATES)[number]
  text?: string
}

async function list(options: FilterOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const { version, newSince, state, text } = options
  const limit = readLimit(options)
  const query = {
    ...(version !== undefined && {
      firmwareVersionId: await findStatedVersionId(session, version),
    }),
    ...(newSince !== undefined && { newSince: await findStatedVersionId(session, newSince) }),
    ...(state && { state: STATE[state] }),
    ...(text !== undefined && { q: text }),
  }
  const pages = readAllPages((cursor) =>
    client.get(GROUPS, {
      params: { workspaceId },
      query: { ...query, limit: choosePageSize(limit), ...cursor },
    }),
  )
  let first: CrashGroupPage | undefined
  const { rows, hasMore } = await readUpTo(limit, pages, (page) => {
    first ??= page
    return page.crashGroups
  })
  const reporting = first && { reporting: first.reporting, isComparable: first.isComparable }
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'kind of crash',
    nouns: 'kinds of crashes',
    total: { hasMore },
    answer: (crashGroups) => ({ crashGroups, hasMore, ...reporting }),
  })
  if (first) noteLimits(first)
}

/** What the list cannot tell. */
function noteLimits({ reporting, isComparable, malformedCount }: CrashGroupPage): void {
  const said = describeReporting(reporting)
  note(`${said.charAt(0).toUpperCase()}${said.slice(1)}.`)
  if (isComparable === false)
    note(
      'Nobody can tell what is new since that version: no device with an earlier one reported crashes.',
    )
  if (malformedCount > 0)
    note(`${formatCount(malformedCount, 'crash', 'crashes')} of devices could not be read.`)
}

async function show(crashGroupId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const found = await client.get(GROUP, { params: { workspaceId, crashGroupId } })
  if (options.json) {
    printJson(found)
    return
  }
  printFacts(listFacts(found))
  const [newest] = found.reports
  if (newest) {
    printLine(`\nThe stack of the newest report:`)
    for (const line of listStackLines(newest)) printLine(sanitise(line))
  }
  const { stdout } = getTerminal()
  printLine('')
  writeTable(stdout, VERSIONS, found.versions)
  if (newest) {
    printLine('')
    writeTable(stdout, REPORTS, found.reports)
  }
}

function listFacts(group: CrashGroupDetail): Fact[] {
  const { id, title, firmware, closedAt, closedByEmail, crashCount, deviceCount } = group
  const closed = [formatTime(closedAt), closedByEmail].filter(Boolean).join(' by ')
  return [
    ['Crash', title],
    ['Id', id],
    ['Firmware', firmware === null ? 'not known' : `${firmware.name} (${firmware.slug})`],
    ['State', describeState(group)],
    ['Closed', closed],
    ['Came back', formatTime(group.reopenedAt)],
    ['First seen', formatTime(group.firstSeenAt)],
    ['Last seen', formatTime(group.lastSeenAt)],
    [
      'Count',
      `${formatCount(crashCount, 'crash', 'crashes')} on ${formatCount(deviceCount, 'device')}`,
    ],
  ]
}

const VERSIONS: readonly Column<CrashGroupDetail['versions'][number]>[] = [
  { title: 'VERSION', value: ({ firmwareVersion }) => firmwareVersion?.name ?? 'not known' },
  { title: 'CRASHES', value: ({ crashCount }) => crashCount },
  { title: 'DEVICES', value: ({ deviceCount }) => deviceCount },
  { title: 'FIRST (UTC)', value: ({ firstSeenAt }) => formatTime(firstSeenAt) },
  { title: 'LAST (UTC)', value: ({ lastSeenAt }) => formatTime(lastSeenAt) },
]

const REPORTS: readonly Column<CrashGroupDetail['reports'][number]>[] = [
  { title: 'CRASHED (UTC)', value: ({ time }) => formatTime(time) },
  { title: 'DEVICE', value: ({ deviceId }) => deviceId, isWhole: true },
  { title: 'VERSION', value: ({ firmwareVersion }) => firmwareVersion?.name ?? 'not known' },
  { title: 'THREAD', value: ({ thread }) => thread },
  { title: 'BUILD', value: ({ buildId }) => buildId ?? 'not known' },
]

async function close(
  crashGroupId: string,
  options: ConnectionOptions & { fixedIn: string },
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const fixedInVersionId = await findStatedVersionId(session, options.fixedIn)
  const params = { workspaceId, crashGroupId }
  const answer = await client.post(`${GROUP}/close`, { params, body: { fixedInVersionId } })
  const text = `${answer.title}: ${describeState(answer)}; it opens again when that version crashes alike`
  printDone(options, { answer, id: answer.id, text })
}

async function reopen(crashGroupId: string, options: ConnectionOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const answer = await client.post(`${GROUP}/reopen`, { params: { workspaceId, crashGroupId } })
  printDone(options, { answer, id: answer.id, text: `${answer.title}: open` })
}

const BUILD_COLUMNS: readonly Column<CrashBuild>[] = [
  { title: 'BUILD', value: ({ buildId }) => buildId, isWhole: true },
  {
    title: 'VERSION',
    value: ({ firmwareVersion }) =>
      firmwareVersion === null
        ? 'not known'
        : `${firmwareVersion.firmware.slug}@${firmwareVersion.name}`,
  },
  { title: 'ADDRESSES', value: ({ addressCount }) => addressCount },
  {
    title: 'NOT LOOKED UP',
    value: ({ openAddressCount }) => openAddressCount,
    style: ({ openAddressCount }) => (openAddressCount > 0 ? 'yellow' : undefined),
  },
  { title: 'LINES (UTC)', value: ({ linesAt }) => formatTime(linesAt) ?? 'never uploaded' },
  { title: 'BY', value: ({ linesByEmail }) => linesByEmail },
]

async function listBuilds(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const limit = readLimit(options)
  const pages = readAllPages((cursor) =>
    client.get(BUILDS, {
      params: { workspaceId },
      query: { limit: choosePageSize(limit), ...cursor },
    }),
  )
  const { rows, hasMore } = await readUpTo(limit, pages, ({ crashBuilds }) => crashBuilds)
  printListing(options, {
    rows,
    columns: BUILD_COLUMNS,
    nameOf: ({ buildId }) => buildId,
    noun: 'build',
    total: { hasMore },
    answer: (crashBuilds) => ({ crashBuilds, hasMore }),
  })
}

async function unresolve(
  buildId: string,
  options: ConnectionOptions & ConfirmOptions,
): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  await confirm(
    `Take all lines of build ${buildId} back? Its crashes are grouped by addresses until others are uploaded.`,
    options,
  )
  await client.delete(`${BUILDS}/{buildId}/lines`, { params: { workspaceId, buildId } })
  printDone(options, { answer: { buildId }, text: `Build ${buildId}: it has no lines any more` })
}
