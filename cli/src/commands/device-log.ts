import { type Command, Option } from 'commander'
import { allPages, type AnswerOf, type BodyOf } from '../../../api-client/src/index.ts'
import { instant, shownTime } from '../instant.ts'
import { labels, listOf, positiveInteger, repeated } from '../option-values.ts'
import { note, printJson } from '../print.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import { type Column, type Style, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

type Line = AnswerOf<'listDeviceLogs'>['lines'][number]
type Filter = NonNullable<BodyOf<'listDeviceLogs'>['filter']>

const SEVERITIES = [
  'Debug',
  'Info',
  'Warning',
  'Error',
  'Critical',
] as const satisfies readonly Line['severity'][]

interface ListOptions extends ConnectionOptions {
  device?: string[]
  severity?: Line['severity'][]
  text?: string[]
  label?: Record<string, string>
  from: string
  to?: string
  limit: number
}

export function addDeviceLogCommands(program: Command): void {
  const log = program.command('device-log').description('Log lines of devices')

  connecting(log.command('list'))
    .description('List log lines, newest first')
    .option('--device <id>', 'only of this device; may be repeated', repeated)
    .option('--severity <list>', `of these: ${SEVERITIES.join(', ')}`, listOf(SEVERITIES))
    .option('--text <text>', 'that contain it; may be repeated: any of them', repeated)
    .option('--label <name=value>', 'with this label; may be repeated', labels)
    .addOption(
      new Option('--from <time>', 'from this time on, or so long ago')
        .argParser((text: string) => instant(text))
        .default(instant('24h'), '24h'),
    )
    .option('--to <time>', 'before this time (default: now)', (text: string) => instant(text))
    .option('--limit <count>', 'the largest number to list', positiveInteger, 100)
    .action(list)
}

const STYLES: Record<Line['severity'], Style | undefined> = {
  Debug: 'dim',
  Info: undefined,
  Warning: 'yellow',
  Error: 'red',
  Critical: 'magenta',
}

const COLUMNS: readonly Column<Line>[] = [
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
  const { lines, hasMore } = await readLines(session, options)
  if (options.json) {
    printJson({ lines, hasMore })
    return
  }
  if (lines.length > 0) writeTable(terminal().stdout, COLUMNS, lines)
  else note('No lines.')
  if (hasMore) note(`There are more than ${options.limit}: see --limit and --to.`)
}

const PAGE = 1000

/** A page may hold few lines or none although more follow. */
async function readLines({ client, workspaceId }: Session, options: ListOptions) {
  const { limit } = options
  const filter = filterOf(options)
  const pages = allPages((cursor) =>
    client.post('/workspaces/{workspaceId}/device-logs/list', {
      params: { workspaceId },
      body: { filter, limit: Math.min(limit + 1, PAGE), ...cursor },
    }),
  )
  const lines: Line[] = []
  for await (const page of pages) {
    lines.push(...page.lines)
    if (lines.length > limit) return { lines: lines.slice(0, limit), hasMore: true }
  }
  return { lines, hasMore: false }
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
