/**
 * Figures beside a naive model of random histories: what happened is written down as it is done through the store, and the model
 * walks day by day over that alone. And what happens after a period changes none of its figures.
 */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenMatchedSbom,
  givenProduct,
  givenRunning,
} from '../../../test/given-findings.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { newId } from '../../platform/ids.ts'
import { maintainDailyCounters, maintainDailyDevices } from '../reports/index.ts'
import { maintainDisclosures } from './service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const DAY_MS = 86_400_000
const FIRST = Math.floor(Date.now() / DAY_MS) * DAY_MS - 100 * DAY_MS
const at = (day: number) => ({
  ...test.ctx,
  now: () => new Date(FIRST + (day + 0.5) * DAY_MS),
})
const dayOf = (day: number) => new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10)

const SEVERITIES = ['Critical', 'High'] as const
const TARGETS = { Critical: 7, High: 30 }
const LENGTH = 40
const DECISIONS = ['Exploitable', 'NotAffected', 'FalsePositive', 'InTriage'] as const

/** What is done on a day: at most one thing, so that nothing depends on the order within it. */
const event = fc.oneof(
  fc.record({ kind: fc.constant('Release' as const), hasFix: fc.boolean() }),
  fc.record({
    kind: fc.constant('Decide' as const),
    flaw: fc.nat(1),
    version: fc.nat(9),
    assessment: fc.constantFrom(...DECISIONS),
    byPerson: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('Run' as const), version: fc.nat(9), devices: fc.nat(200) }),
  fc.record({ kind: fc.constant('Nothing' as const) }),
)
type Event = typeof event extends fc.Arbitrary<infer One> ? One : never
const histories = fc.array(event, { minLength: LENGTH, maxLength: LENGTH })

interface World {
  client: Client
  firmwareId: string
  cveIds: string[]
  versions: { workspaceId: string; firmwareVersionId: string; hasFix: boolean; day: number }[]
  product: string
  devices: number[]
}

async function begin(): Promise<World> {
  const client = await givenClient(test)
  const { workspaceId } = client
  const { db } = test.ctx
  await db
    .updateTable('workspaces')
    .set({
      createdAt: at(-2).now(),
      remediationTargetDays: JSON.stringify({ ...TARGETS, Medium: 90, Low: 180 }),
    })
    .where('id', '=', workspaceId)
    .execute()
  const published = at(1).now()
  const { product, cveIds } = await givenProduct(test.ctx, SEVERITIES, {
    publishedAt: published.toISOString(),
    at: published,
  })
  const firmwareId = newId()
  const times = { createdAt: at(0).now(), updatedAt: at(0).now() }
  await db
    .insertInto('firmwares')
    .values({ workspaceId, id: firmwareId, slug: firmwareId, name: 'Gateway', ...times })
    .execute()
  const world = { client, firmwareId, cveIds, product, versions: [], devices: [] }
  await maintainDailyDevices(at(0))
  return world
}

async function release(world: World, day: number, hasFix: boolean) {
  const { workspaceId } = world.client
  const id = newId()
  const { firmwareId } = world
  await test.ctx.db
    .insertInto('firmwareVersions')
    .values({ workspaceId, id, firmwareId, name: `${day}`, createdAt: at(day).now() })
    .execute()
  const version = { workspaceId, firmwareVersionId: id }
  const number = hasFix ? '2.0' : '1.0'
  const component = {
    packageName: world.product,
    version: number,
    cpes: [cpeOf(world.product, number)],
  }
  await givenMatchedSbom(at(day), version, [component])
  world.versions.push({ ...version, hasFix, day })
  world.devices.push(0)
}

async function play(world: World, day: number, happens: Event): Promise<void> {
  if (happens.kind === 'Release') return release(world, day, happens.hasFix)
  if (happens.kind === 'Nothing') return
  const index = happens.version % Math.max(1, world.versions.length)
  const version = world.versions[index]
  if (!version) return
  if (happens.kind === 'Run') {
    await givenRunning(at(day), happens.devices, version)
    world.devices[index] = happens.devices
    return
  }
  if (version.hasFix) return
  await givenDecision(at(day), version, {
    vulnerabilityId: world.cveIds[happens.flaw] ?? '',
    assessment: happens.assessment,
    ...(!happens.byPerson && { source: 'Vex' as const, createdByEmail: null }),
  })
}

/** As the model remembers what was done. */
interface Told {
  days: { happens: Event; versions: World['versions']; devices: number[] }[]
}

async function tell(events: readonly Event[]): Promise<{ world: World; told: Told }> {
  const world = await begin()
  const told: Told = { days: [] }
  for (const [index, happens] of events.entries()) {
    const day = index + 1
    await play(world, day, happens)
    await maintainDailyDevices(at(day))
    await maintainDailyCounters(at(day))
    await maintainDisclosures(at(day))
    told.days.push({ happens, versions: [...world.versions], devices: [...world.devices] })
  }
  return { world, told }
}

interface Figure {
  id: string
  values: { name: string; value: number | null; cases: number }[]
}

async function read({ client }: World, from: number, to: number) {
  const answer = await client.get(`/figures?from=${dayOf(from)}&to=${dayOf(to)}`)
  expect(answer.statusCode).toBe(200)
  return answer.json<{ figures: Figure[] }>()
}

const rank = (numbers: readonly number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? null

interface Decided {
  day: number
  version: number
  assessment: (typeof DECISIONS)[number]
  byPerson: boolean
}

/** All that a model has to know of one flaw until the end of a day, walked from the first day on. */
function walk({ days }: Told, flaw: number, to: number) {
  const decided: Decided[] = []
  const releases: { day: number; hasFix: boolean }[] = []
  for (const [index, { happens, versions }] of days.slice(0, to).entries()) {
    const day = index + 1
    if (happens.kind === 'Release') releases.push({ day, hasFix: happens.hasFix })
    if (happens.kind !== 'Decide' || happens.flaw !== flaw || versions.length === 0) continue
    const version = happens.version % versions.length
    if (versions[version]?.hasFix === false) decided.push({ ...happens, day, version })
  }
  const detected = releases.find(({ hasFix }) => !hasFix)?.day
  return { decided, releases, detected }
}

function model(told: Told, from: number, to: number) {
  const triage: number[] = []
  const fixes: number[] = []
  const within: boolean[] = []
  const fleet: Record<'half' | 'ninety' | 'ninetyNine', number[]> = {
    half: [],
    ninety: [],
    ninetyNine: [],
  }
  let falsePositives = 0
  for (const flaw of [0, 1]) {
    const { decided, releases, detected } = walk(told, flaw, to)
    if (detected === undefined) continue
    const real = decided.filter(({ assessment }) => assessment !== 'InTriage')
    const byPerson = real.find((one) => one.byPerson)
    const byDocument = real.find((one) => !one.byPerson)
    if (byPerson && byPerson.day >= from) {
      if (!byDocument || byDocument.day > byPerson.day) triage.push(byPerson.day - detected)
      if (byPerson.assessment === 'FalsePositive') falsePositives++
    }
    const last = new Map(decided.map(({ version, assessment }) => [version, assessment]))
    const affected = releases.flatMap(({ hasFix }, index) => (hasFix ? [] : [index]))
    const isAway = (version: number) =>
      ['NotAffected', 'FalsePositive'].includes(last.get(version) ?? '')
    const fix = releases.find(({ day, hasFix }) => hasFix && day > detected)
    if (fix && fix.day >= from && !affected.every(isAway)) fixes.push(fix.day - detected)
    const due = detected + TARGETS[SEVERITIES[flaw] ?? 'High']
    if (due >= from && due <= to && (byPerson || !byDocument))
      within.push(byPerson !== undefined && byPerson.day <= due)
    let peak = 0
    const reached = new Set<string>()
    for (const [index, { devices }] of told.days.slice(0, to).entries()) {
      const running = affected
        .filter((version) => !isAway(version))
        .reduce((sum, version) => sum + (devices[version] ?? 0), 0)
      peak = Math.max(peak, running)
      if (peak === 0) continue
      for (const [name, share] of [
        ['half', 0.5],
        ['ninety', 0.1],
        ['ninetyNine', 0.01],
      ] as const)
        if (running <= peak * share && !reached.has(name)) {
          reached.add(name)
          // It became public on the first day.
          if (index + 1 >= from) fleet[name].push(index)
        }
    }
  }
  const share = (count: number, all: number) =>
    all === 0 ? null : Math.round((1000 * count) / all) / 10
  return {
    timeToTriage: [rank(triage, 0.5), rank(triage, 0.9)],
    timeToFix: [rank(fixes, 0.5), rank(fixes, 0.9)],
    timeToFleet: [rank(fleet.half, 0.5), rank(fleet.ninety, 0.5), rank(fleet.ninetyNine, 0.5)],
    decidedWithinTarget: [share(within.filter(Boolean).length, within.length)],
    falsePositives,
  }
}

function pick({ figures }: { figures: Figure[] }) {
  const valuesOf = (id: string) =>
    figures.find((figure) => figure.id === id)?.values.map(({ value }) => value) ?? []
  return {
    timeToTriage: valuesOf('timeToTriage'),
    timeToFix: valuesOf('timeToFix'),
    timeToFleet: valuesOf('timeToFleet'),
    decidedWithinTarget: valuesOf('decidedWithinTarget'),
    falsePositives: valuesOf('falsePositives')[0],
  }
}

const periods = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 39 }))

it('are what a naive walk over a random history says', async () => {
  await fc.assert(
    fc.asyncProperty(histories, periods, async (events, [from, length]) => {
      const { world, told } = await tell(events)
      const to = Math.min(LENGTH, from + length)

      const found = pick(await read(world, from, to))

      expect(found).toEqual(model(told, from, to))
    }),
    { numRuns: propertyRuns(16, 4) },
  )
})

it('of a period that is over do not change by what happens later', async () => {
  await fc.assert(
    fc.asyncProperty(histories, histories, async (events, later) => {
      const { world } = await tell(events)
      const before = await read(world, 10, LENGTH)

      for (const [index, happens] of later.entries()) {
        const day = LENGTH + 1 + index
        await play(world, day, happens)
        await maintainDailyDevices(at(day))
        await maintainDailyCounters(at(day))
      }
      await test.ctx.db
        .updateTable('vulnerabilities')
        .set({ publishedAt: at(30).now() })
        .where('id', 'in', world.cveIds)
        .execute()
      const settings = (await world.client.get('/settings')).json<object>()
      const remediationTargetDays = { Critical: 1, High: 2, Medium: 3, Low: 4 }
      await world.client.put('/settings', { ...settings, remediationTargetDays })
      await maintainDisclosures(test.ctx)

      expect(await read(world, 10, LENGTH)).toEqual(before)
    }),
    { numRuns: propertyRuns(6, 2) },
  )
})
