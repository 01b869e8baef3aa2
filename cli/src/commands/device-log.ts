import { type Command, Option } from 'commander'
import {
  LOG_SEVERITY,
  readAllPages,
  type BodyOf,
  type DeviceLogLine,
} from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { parseInstant, formatTime } from '../instant.ts'
import {
  readLimit,
  withListOptions,
  type ListOptions as Listed,
  choosePageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { findMax } from '../largest.ts'
import { readLabels, readListOf, collect } from '../option-values.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { openSession, type Session } from '../session.ts'
import type { Column, Style } from '../table.ts'
import { repeatUntilInterrupted } from '../waiting.ts'

type Filter = NonNullable<BodyOf<'listDeviceLogs'>['filter']>

interface ListOptions extends Listed {
  device?: string[]
  severity?: DeviceLogLine['severity'][]
  text?: string[]
  label?: Record<string, string>
  from: string
  to?: string
  follow?: boolean
}

export function addDeviceLogCommands(program: Command): void {
  const log = program.command('device-log').description('Log lines of devices')

  withListOptions(log.command('list'), 100)
    .description('List log lines, newest first')
    .option('--device <id>', 'only of this device; may be repeated', collect)
    .option('--severity <list>', `of these: ${LOG_SEVERITY.join(', ')}`, readListOf(LOG_SEVERITY))
    .option('--text <text>', 'that contain it; may be repeated: any of them', collect)
    .option('--label <name=value>', 'with this label; may be repeated', readLabels)
    .addOption(
      new Option('--from <time>', 'from this time on, or so long ago')
        .argParser((text: string) => parseInstant(text))
        .default(parseInstant('24h'), '24h'),
    )
    .option('--to <time>', 'before this time (default: now)', (text: string) => parseInstant(text))
    .option('-f, --follow', 'then show lines as they arrive, oldest first, until Ctrl-C')
    .action(listLines)
}

const STYLES: Record<DeviceLogLine['severity'], Style | undefined> = {
  Debug: 'dim',
  Info: undefined,
  Warning: 'yellow',
  Error: 'red',
  Critical: 'magenta',
}

const COLUMNS: readonly Column<DeviceLogLine>[] = [
  { title: 'TIME (UTC)', value: ({ time }) => formatTime(time) },
  { title: 'DEVICE', value: ({ deviceId }) => deviceId },
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => STYLES[severity],
  },
  { title: 'MESSAGE', value: ({ message }) => message },
]

async function listLines(options: ListOptions): Promise<void> {
  const session = await openSession(options)
  if (options.follow) return followLines(session, options)
  const { rows, hasMore } = await readLines(session, options)
  printListing(options, {
    rows,
    columns: COLUMNS,
    nameOf: ({ message }) => message,
    noun: 'line',
    total: { hasMore },
    answer: (lines) => ({ lines, hasMore }),
  })
}

const FOLLOW_PAUSE_MS = 2000
/** A device may send a line later than another device sent a younger one. */
const OVERLAP_MS = 60_000

async function followLines(session: Session, options: ListOptions): Promise<void> {
  if (options.to !== undefined) throw usageError('--follow has no end: leave --to out.')
  if (options.csv) throw usageError('--follow answers as text or, with --json, as a JSON a line.')
  const seen = new Map<string, number>()
  let { from, limit = Number.POSITIVE_INFINITY } = options
  await repeatUntilInterrupted(async () => {
    const { rows } = await readLines(session, { ...options, from, limit })
    for (const line of rows.toReversed()) if (!seen.has(line.id)) printFollowed(line, options)
    for (const { id, time } of rows) seen.set(id, Date.parse(time))
    const newest = findMax(seen.values(), Date.parse(from) + OVERLAP_MS)
    from = new Date(newest - OVERLAP_MS).toISOString()
    for (const [id, time] of seen) if (time < newest - OVERLAP_MS) seen.delete(id)
    limit = Number.POSITIVE_INFINITY
  }, FOLLOW_PAUSE_MS)
}

function printFollowed(line: DeviceLogLine, { json }: ListOptions): void {
  const { time, deviceId, severity, message } = line
  if (json) printJson(line)
  else printLine(sanitise([formatTime(time), deviceId, severity, message].join('  ')))
}

/** A page may hold few lines or none although more follow. */
function readLines({ client, workspaceId }: Session, options: ListOptions) {
  const limit = readLimit(options)
  const filter = readFilter(options)
  const pages = readAllPages((cursor) =>
    client.post('/workspaces/{workspaceId}/device-logs/list', {
      params: { workspaceId },
      body: { filter, limit: choosePageSize(limit), ...cursor },
    }),
  )
  return readUpTo(limit, pages, ({ lines }) => lines)
}

function readFilter({ device, severity, text, label, from, to }: ListOptions): Filter {
  return {
    from,
    ...(to !== undefined && { to }),
    ...(device && { deviceIds: device }),
    ...(severity && { severities: severity }),
    ...(text && { message: text.map((contains) => ({ contains })) }),
    ...(label && { labels: label }),
  }
}
