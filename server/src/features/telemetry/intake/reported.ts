/** The points and lines of a batch of reports, each with the run it belongs to. */
import type { LogLine, MetricPoint } from '../../../formats/device-messages/model.ts'
import { DAY_MS, HOUR_MS } from '../../../formats/instants.ts'
import type { DeviceReport } from '../../devices/index.ts'

export interface ReportOrigin {
  deviceId: string
  receivedAt: Date
  /** undefined: the device never reported a run, so its sequences cannot be distinguished from those of its next run. */
  runId: string | undefined
}
export type ReportedPoint = ReportOrigin & { point: MetricPoint }
export type ReportedLine = ReportOrigin & { line: LogLine }

/** The known runs of a device, newest first. */
export type RunsOf = (deviceId: string) => readonly string[]

export function collectTelemetry(
  reports: readonly DeviceReport[],
  runsOf: RunsOf,
): { points: ReportedPoint[]; lines: ReportedLine[] } {
  const points: ReportedPoint[] = []
  const lines: ReportedLine[] = []
  for (const { message, reported } of withRuns(reports, runsOf)) {
    if (message.kind === 'metrics')
      for (const point of message.points) points.push({ ...reported(point.runId), point })
    if (message.kind === 'logs')
      for (const line of message.lines) lines.push({ ...reported(line.runId), line })
  }
  return { points, lines }
}

/** The reports in their order, each with the run that it belongs to unless it names another one. */
export function* withRuns(
  reports: readonly DeviceReport[],
  runsOf: RunsOf,
): Generator<{
  message: DeviceReport['message']
  reported: (runId: string | undefined) => ReportOrigin
}> {
  const runs = runsBefore(reports, runsOf)
  for (const { deviceId, receivedAt, message } of reports) {
    if (message.kind === 'session') runs.set(deviceId, message.session.runId)
    const run = runs.has(deviceId) ? runs.get(deviceId) : runsOf(deviceId)[0]
    const reported = (runId: string | undefined) => ({ deviceId, receivedAt, runId: runId ?? run })
    yield { message, reported }
  }
}

/**
 * The run of each device before the batch. A session in the batch is stored as the newest run already, but reports that
 * arrived before it belong to the run before.
 */
function runsBefore(
  reports: readonly DeviceReport[],
  runsOf: RunsOf,
): Map<string, string | undefined> {
  const runs = new Map<string, string | undefined>()
  for (const { deviceId, message } of reports) {
    if (message.kind !== 'session' || runs.has(deviceId)) continue
    const [newest, before] = runsOf(deviceId)
    runs.set(deviceId, newest === message.session.runId ? before : newest)
  }
  return runs
}

/** The range that PostgreSQL and every client can read. */
const FIRST = Date.UTC(1, 0, 1)
const LAST = Date.UTC(9999, 11, 31)

export interface PlacedTime {
  time: Date
  /** The time by the clock of the device, where that is not plausible. */
  deviceTime: Date | null
}

/**
 * The time that a point or line is stored under. The clock of the device is not plausible when it is more than an hour
 * ahead, or behind by the retention or more. The time of receipt stands in for it then.
 */
export function placeTime(
  reported: Date | undefined,
  { receivedAt, retentionDays }: { receivedAt: Date; retentionDays: number },
): PlacedTime {
  if (reported === undefined) return { time: receivedAt, deviceTime: null }
  const lead = reported.getTime() - receivedAt.getTime()
  if (lead <= HOUR_MS && lead > -retentionDays * DAY_MS) return { time: reported, deviceTime: null }
  const shown = Math.min(Math.max(reported.getTime(), FIRST), LAST)
  return { time: receivedAt, deviceTime: new Date(shown) }
}
