/** Turns a parsed value of a device into a message, or into the faults of the value. */
import { cleanName } from '../one-line-name.ts'
import type { Static } from 'typebox'
import { createChecker } from './check.ts'
import { readCrashes } from './read-crashes.ts'
import { malformed } from './malformed.ts'
import { readTime } from './time.ts'
import type {
  ConfigReport,
  DeviceMessage,
  LogLine,
  MetricPoint,
  SessionMessage,
  UpdateReport,
} from './model.ts'
import { ConfigReportWire, LineList, PointList, SessionWire, UpdateReportWire } from './schemas.ts'

type WirePoint = Static<typeof PointList>['points'][number]
type WireLine = Static<typeof LineList>['lines'][number]

export function readMessage(
  kind: DeviceMessage['kind'],
  value: unknown,
  place: string,
): DeviceMessage {
  switch (kind) {
    case 'session':
      return { kind, session: readSession(value, place) }
    case 'config':
      return { kind, config: readConfig(value, place) }
    case 'metrics':
      return { kind, points: readPoints(value, place) }
    case 'logs':
      return { kind, lines: readLines(value, place) }
    case 'crashes':
      return { kind, ...readCrashes(value, place) }
    case 'update':
      return { kind, update: readUpdate(value, place) }
  }
}

const checkSession = createChecker(SessionWire)
const checkConfig = createChecker(ConfigReportWire)
const checkPoints = createChecker(PointList.properties.points)
const checkPointList = createChecker(PointList)
const checkLines = createChecker(LineList.properties.lines)
const checkLineList = createChecker(LineList)
const checkUpdate = createChecker(UpdateReportWire)

function readSession(value: unknown, place: string): SessionMessage {
  const { runId, firmware, buildId, attributes } = checkSession(value, place)
  if (!firmware && buildId === undefined) throw malformed('lacks firmware or buildId', place)
  const slugs = firmware?.map(({ slug }) => slug) ?? []
  const twice = slugs.findIndex((slug, at) => slugs.indexOf(slug) < at)
  if (twice >= 0) throw malformed('names a slug twice', `${place}/firmware/${twice}/slug`)
  return {
    runId,
    ...(firmware && {
      firmware: firmware.map(({ slug, version }) => ({ slug, version: cleanName(version) })),
    }),
    ...given({ buildId: buildId === undefined ? undefined : cleanName(buildId), attributes }),
  }
}

function readConfig(value: unknown, place: string): ConfigReport {
  const config = checkConfig(value, place)
  const { logSeverity, compiledLogSeverity, acknowledgedDesiredConfigurationVersion } = config
  return given({ logSeverity, compiledLogSeverity, acknowledgedDesiredConfigurationVersion })
}

function readUpdate(value: unknown, place: string): UpdateReport {
  const { updateId, state, progress, reason } = checkUpdate(value, place)
  // Rounded down: a hundred says that it is done.
  const whole = progress === undefined ? undefined : Math.floor(progress)
  return { updateId: updateId.toLowerCase(), state, ...given({ progress: whole, reason }) }
}

function readPoints(value: unknown, place: string): MetricPoint[] {
  if (Array.isArray(value))
    return checkPoints(value, place).map((point, at) => readPoint(point, `${place}/${at}`))
  const { runId, points } = checkPointList(value, place)
  return points.map((point, at) => readPoint(point, `${place}/points/${at}`, runId))
}

function readLines(value: unknown, place: string): LogLine[] {
  if (Array.isArray(value))
    return checkLines(value, place).map((line, at) => readLine(line, `${place}/${at}`))
  const { runId, lines } = checkLineList(value, place)
  return lines.map((line, at) => readLine(line, `${place}/lines/${at}`, runId))
}

function readPoint(point: WirePoint, place: string, runId?: string): MetricPoint {
  return { name: point.name, ...measured(point, place), ...origin(point, place, runId) }
}

function readLine(line: WireLine, place: string, runId?: string): LogLine {
  const { severity, message } = line
  return { severity, message, ...origin(line, place, runId) }
}

/** Either one value, or the aggregate of several: beside the name, or as the value. */
function measured(point: WirePoint, place: string): Pick<MetricPoint, 'value' | 'aggregate'> {
  const { value, sum, count, min, max } = point
  const members = [sum, count, min, max]
  const isAggregate = members.some((one) => one !== undefined)
  if (isAggregate && value !== undefined)
    throw malformed('has both a value and members of an aggregate', place)
  if (typeof value === 'number') return { value }
  const all = value ?? { sum, count, min, max }
  if (!isComplete(all)) throw malformed('lacks value, or sum, count, min and max', place)
  if (all.min > all.max) throw malformed('has a min above its max', place)
  return { aggregate: { sum: all.sum, count: all.count, min: all.min, max: all.max } }
}

type Aggregate = NonNullable<MetricPoint['aggregate']>

function isComplete(all: {
  [Name in keyof Aggregate]: number | undefined
}): all is Aggregate {
  return Object.values(all).every((one) => one !== undefined)
}

type Origin = Pick<MetricPoint, 'labels' | 'timestamp' | 'sequence' | 'runId'>

function origin(one: WirePoint | WireLine, place: string, listRunId?: string): Origin {
  const { labels, timestamp, sequence, runId = listRunId } = one
  const found: Origin = {}
  if (labels) found.labels = labels
  if (timestamp !== undefined) found.timestamp = readTime(timestamp, place)
  if (sequence !== undefined) found.sequence = sequence
  if (runId !== undefined) found.runId = runId
  return found
}

type PresentMembers<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** Without the members that are undefined. */
function given<Members extends object>(members: Members): PresentMembers<Members> {
  const entries = Object.entries(members).filter(([, one]) => one !== undefined)
  return Object.fromEntries(entries) as PresentMembers<Members>
}
