/** A batch of reports as the points and lines in it, each with the run it is of. */
import type { LogLine, MetricPoint } from '../../formats/device-messages/model.ts'
import type { DeviceReport } from '../devices/index.ts'

interface Spoken {
  deviceId: string
  receivedAt: Date
  /** undefined: the device never told, so that nothing tells its sequences from those of its next run. */
  runId: string | undefined
}
export type SpokenPoint = Spoken & { point: MetricPoint }
export type SpokenLine = Spoken & { line: LogLine }

/** The runs a device is known by, newest first. */
export type RunsOf = (deviceId: string) => readonly string[]

export function spokenIn(
  reports: readonly DeviceReport[],
  runsOf: RunsOf,
): { points: SpokenPoint[]; lines: SpokenLine[] } {
  const runs = runsAtBegin(reports, runsOf)
  const points: SpokenPoint[] = []
  const lines: SpokenLine[] = []
  for (const { deviceId, receivedAt, message } of reports) {
    if (message.kind === 'session') runs.set(deviceId, message.session.runId)
    const spoken = (runId: string | undefined) => ({
      deviceId,
      receivedAt,
      runId: runId ?? (runs.has(deviceId) ? runs.get(deviceId) : runsOf(deviceId)[0]),
    })
    if (message.kind === 'metrics')
      for (const point of message.points) points.push({ ...spoken(point.runId), point })
    if (message.kind === 'logs')
      for (const line of message.lines) lines.push({ ...spoken(line.runId), line })
  }
  return { points, lines }
}

/** A session in the batch is known as the newest run by now, but what came before it is of the run before. */
function runsAtBegin(
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
