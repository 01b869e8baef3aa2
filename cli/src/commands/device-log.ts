import { type Command, Option } from 'commander'
import { allPages, type BodyOf, type DeviceLogLine } from '../../../api-client/src/index.ts'
import { instant, shownTime } from '../instant.ts'
import {
  limitOf,
  listing,
  type ListOptions as Listed,
  pageSize,
  printListing,
  readUpTo,
} from '../listing.ts'
import { labels, listOf, LOG_SEVERITIES, repeated } from '../option-values.ts'
import { openSession, type Session } from '../session.ts'
import type { Column, Style } from '../table.ts'

type Filter = NonNullable<BodyOf<'listDeviceLogs'>['filter']>

interface ListOptions extends Listed {
  device?: string[]
  severity?: DeviceLogLine['severity'][]
  text?: string[]
  label?: Record<string, string>
  from: string
  to?: string
}

export function addDeviceLogCommands(program: Command): void {
  const log = program.command('device-log').description('Log lines of devices')

  listing(log.command('list'), 100)
    .description('List log lines, newest first')
    .option('--device <id>', 'only of this device; may be repeated', repeated)
    .option('--severity <list>', `of these: ${LOG_SEVERITIES.join(', ')}`, listOf(LOG_SEVERITIES))
    .option('--text <text>', 'that contain it; may be repeated: any of them', repeated)
    .option('--label <name=value>', 'with this label; may be repeated', labels)
    .addOption(
      new Option('--from <time>', 'from this time on, or so long ago')
        .argParser((text: string) => instant(text))
        .default(instant('24h'), '24h'),
    )
    .option('--to <time>', 'before this time (default: now)', (text: string) => instant(text))
    .action(list)
}

const STYLES: Record<DeviceLogLine['severity'], Style | undefined> = {
  Debug: 'dim',
  Info: undefined,
  Warning: 'yellow',
  Error: 'red',
  Critical: 'magenta',
}

const COLUMNS: readonly Column<DeviceLogLine>[] = [
  { title: 'TIME (UTC)', value: ({ time }) => shownTime(time) },
  { title: 'DEVICE', value: ({ deviceId }) => deviceId },
  {
    title: 'SEVERITY',
    value: ({ severity }) => severity,
    style: ({ severity }) => STYLES[severity],
  },
  { title: 'MESSAGE', value: ({ message }) => message },
]

async function list(options: ListOptions): Promise<void> {
  const session = await openSession(options)
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

/** A page may hold few lines or none although more follow. */
function readLines({ client, workspaceId }: Session, options: ListOptions) {
  const limit = limitOf(options)
  const filter = filterOf(options)
  const pages = allPages((cursor) =>
    client.post('/workspaces/{workspaceId}/device-logs/list', {
      params: { workspaceId },
      body: { filter, limit: pageSize(limit), ...cursor },
    }),
  )
  return readUpTo(limit, pages, ({ lines }) => lines)
}

function filterOf({ device, severity, text, label, from, to }: ListOptions): Filter {
  return {
    from,
    ...(to !== undefined && { to }),
    ...(device && { deviceIds: device }),
    ...(severity && { severities: severity }),
    ...(text && { message: text.map((contains) => ({ contains })) }),
    ...(label && { labels: label }),
  }
}
