/** Crashes of the sensor nodes in the last weeks of the story: two faults that were always there, and one of each version. */
import { addDays } from '../../formats/instants.ts'
import { maintainCrashes } from '../../features/crashes/index.ts'
import { drawChance } from '../../simulator/chance.ts'
import { createSimulatedBuildId, drawCrash, listSimulatedLines } from '../../simulator/crashes.ts'
import { CRASHING as SLUG, type StoryDevice } from './fleet.ts'
import { as, type Calendar, CAST, getKnownId, LAST_DAY, type Scene, type Story } from './story.ts'

const DAYS = 24
/** Of each device, on a day. */
const SHARE = 0.02
/** The days before the end on which Jonas names the lines of all builds but the newest. */
const RESOLVED_BEFORE = 5

export function tellCrashes(calendar: Calendar): Scene[] {
  const end = calendar.at(LAST_DAY, 6)
  const days = Array.from({ length: DAYS }, (_, index) => ({
    at: addDays(end, index - DAYS),
    play: (story: Story) => crashSome(story, index),
  }))
  const worse = CRASHES_MORE.hours.map((hour) => ({
    at: calendar.at(CRASHES_MORE.day, hour),
    play: (story: Story) => crashNewest(story, hour),
  }))
  return [
    ...days,
    ...worse,
    { at: addDays(calendar.at(LAST_DAY, 10), -RESOLVED_BEFORE), play: resolveBuilds },
    { at: addDays(calendar.at(LAST_DAY, 9), -1), play: fixOne },
  ]
}

/** A release that crashes far more than the one before, in the hours after its roll-out began. */
export const CRASHES_MORE = {
  version: '2.2.0',
  day: '2026-11-17',
  hours: [18, 23, 28, 33],
  share: 0.2,
} as const

async function crashNewest({ fleet, stage }: Story, hour: number): Promise<void> {
  const { version, share } = CRASHES_MORE
  const devices = fleet
    .of(SLUG)
    .filter((one) => one.version === version && drawChance(one.id, 'worse', hour) < share)
  await fleet.crash(devices, (device) => ({
    ...drawCrash({ slug: SLUG, version, words: `${device.id} worse ${hour}` }),
    runId: createCrashedRun(device),
    sequence: DAYS + hour,
  }))
  await maintainCrashes(stage.ctx)
}

async function crashSome({ fleet, stage }: Story, day: number): Promise<void> {
  const devices = fleet.of(SLUG).filter(({ id }) => drawChance(id, 'crashes', day) < SHARE)
  await fleet.crash(devices, (device) => ({
    ...drawCrash({ slug: SLUG, version: device.version, words: `${device.id} ${day}` }),
    runId: createCrashedRun(device),
    sequence: day,
  }))
  // All others are heard from, so that the day is measured.
  await fleet.contact(fleet.of(SLUG))
  await maintainCrashes(stage.ctx)
}

const createCrashedRun = ({ id, boots }: StoryDevice) => `${id}-${boots}`

interface Builds {
  crashBuilds: { buildId: string }[]
}

async function resolveBuilds(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  const { crashBuilds } = await jonas.get<Builds>('/crash-builds')
  for (const version of listVersions(story).slice(0, -1)) {
    const buildId = createSimulatedBuildId(SLUG, version)
    if (!crashBuilds.some((build) => build.buildId === buildId)) continue
    await jonas.put(`/crash-builds/${buildId}/lines`, { lines: listSimulatedLines(SLUG, version) })
  }
}

const listVersions = ({ versions }: Story) =>
  [...versions.keys()]
    .filter((name) => name.startsWith(`${SLUG}@`))
    .map((name) => name.slice(SLUG.length + 1))

interface Groups {
  crashGroups: { id: string; reason: string; isNamed: boolean }[]
}

/** The watchdog of the storage is fixed in the newest version, as far as anybody knows. */
async function fixOne(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  const { crashGroups } = await jonas.get<Groups>('/crash-groups?sort=crashCount')
  const named = crashGroups.find(({ reason, isNamed }) => isNamed && reason === 'watchdog')
  const newest = listVersions(story).at(-1)
  if (!named || newest === undefined) return
  const fixedInVersionId = getKnownId(story.versions, `${SLUG}@${newest}`)
  await jonas.post(`/crash-groups/${named.id}/close`, { fixedInVersionId })
}
