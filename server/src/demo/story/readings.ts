/** What devices measured and wrote into their logs during the year: some of them, few times a day at first, each hour at last. */
import type { LogLine } from '../../formats/device-messages/model.ts'
import { addDays, addMs, DAY_MS, HOUR_MS } from '../../formats/instants.ts'
import { rollUpMetrics } from '../../features/telemetry/index.ts'
import { drawChance } from '../../simulator/chance.ts'
import { describeWorries, measureBattery, measureTemperature } from '../../simulator/readings.ts'
import type { StoryDevice } from './fleet.ts'
import { type Calendar, FIRST_DAY, type Scene, type Story } from './story.ts'

/** Its fan fails during the last two days of the story. */
export const SICK_DEVICE = 'gw-eu-0012'
const SENSORS = 8
const GATEWAYS = 12

/** Points that are older than the retention of the workspace are not believed, so they come in parts. */
const PART_DAYS = 14

/** How close the readings are, by how long before the end of the story. */
const PACES = [
  { within: 8 * DAY_MS, every: HOUR_MS },
  { within: Infinity, every: 12 * HOUR_MS },
]

/** Readings of the year, in parts; the last part is told some minutes before now. */
export function readTheYear(calendar: Calendar, end: Date): Scene[] {
  const scenes: Scene[] = []
  let from = addDays(calendar.at(FIRST_DAY, 0), 1)
  for (; addDays(from, PART_DAYS) < end; from = addDays(from, PART_DAYS)) {
    const part = { from, to: addDays(from, PART_DAYS), end }
    scenes.push({ at: part.to, play: (story) => read(story, part) })
  }
  const last = { from, to: end, end }
  const hoursAgo = (hours: number) => addMs(end, -hours * HOUR_MS)
  return [
    ...scenes,
    { at: hoursAgo(44), play: failFan },
    // Its watchdog boots it.
    ...[19, 8, 3].map((hours) => ({ at: hoursAgo(hours), play: bootSick })),
    { at: end, play: (story) => read(story, last) },
    { at: end, play: writeLogs },
  ]
}

const listSick = ({ fleet }: Story) => fleet.devices.filter(({ id }) => id === SICK_DEVICE)

async function failFan(story: Story): Promise<void> {
  for (const device of listSick(story)) device.fanFailedAt = story.stage.ctx.now()
}

async function bootSick(story: Story): Promise<void> {
  await story.fleet.boot(listSick(story))
}

const LOGGED_MS = 2 * DAY_MS
const LOG_EVERY_MS = HOUR_MS / 2

const listGateways = ({ fleet }: Story) => fleet.of('gateway', 'eu').slice(0, GATEWAYS)

/** Writes the logs of the last two days. */
async function writeLogs(story: Story): Promise<void> {
  const end = story.stage.ctx.now()
  const instants = Array.from({ length: LOGGED_MS / LOG_EVERY_MS }, (_, at) =>
    addMs(end, (at + 1) * LOG_EVERY_MS - LOGGED_MS),
  )
  await story.fleet.log(listGateways(story), (device) =>
    instants.flatMap((timestamp) => writeLines(device, timestamp)),
  )
}

function writeLines(device: StoryDevice, timestamp: Date): LogLine[] {
  const draw = drawChance(device.id, 'log', timestamp.getTime())
  const readings = 180 + Math.floor(draw * 120)
  const usual: LogLine = { severity: 'Info', message: `uploaded ${readings} readings`, timestamp }
  const weak: LogLine = {
    severity: 'Warning',
    message: `modem: signal is weak, ${-105 - Math.floor(draw * 200)} dBm`,
    timestamp,
  }
  const worries = describeWorries(device, timestamp).map((worry) => ({ ...worry, timestamp }))
  return [usual, ...(draw < 0.04 ? [weak] : []), ...worries]
}

interface Part {
  from: Date
  to: Date
  /** The end of the story. */
  end: Date
}

async function read(story: Story, part: Part): Promise<void> {
  const instants = listInstants(part)
  const some = [...listGateways(story), ...story.fleet.of('sensor-node', 'us').slice(0, SENSORS)]
  await story.fleet.measure(some, (device) =>
    instants.flatMap((timestamp) => [
      { name: 'cpu.temperature', value: measureTemperature(device, timestamp), timestamp },
      { name: 'battery.percent', value: measureBattery(device, timestamp), timestamp },
    ]),
  )
  await rollUpMetrics(story.stage.ctx)
}

function listInstants({ from, to, end }: Part): Date[] {
  const instants: Date[] = []
  for (let at = from; at < to; at = addMs(at, findPace(at, end))) instants.push(at)
  return instants
}

function findPace(at: Date, end: Date): number {
  const before = end.getTime() - at.getTime()
  return PACES.find(({ within }) => before <= within)?.every ?? HOUR_MS
}
