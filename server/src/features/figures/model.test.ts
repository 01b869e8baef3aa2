/**
 * Figures beside a naive model of random histories: what happened is written down as it is done through the store, and the model
 * walks day by day over that alone. And what happens after a period changes none of its figures.
 */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenMember } from '../../../test/given-people.ts'
import {
  cpeOf,
  givenDecision,
  givenMatchedSbom,
  givenProduct,
  givenRunning,
} from '../../../test/given-findings.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import {
  DECISIONS,
  type Happening,
  LATEST_DAYS,
  SEVERITIES,
  type Told,
  walkFigures,
} from '../../../test/naive-figures.ts'
import { newId } from '../../platform/ids.ts'
import { maintainDailyCounters, maintainDailyDevices } from '../reports/index.ts'
import { recordCaseDays } from './case-days-service.ts'
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

const LENGTH = 40

/** What is done on a day: at most one thing, so that nothing depends on the order within it. */
const event: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant('Release' as const), hasFix: fc.boolean() }),
  fc.record({
    kind: fc.constant('Decide' as const),
    flaw: fc.nat(1),
    version: fc.nat(9),
    assessment: fc.constantFrom(...DECISIONS),
    byPerson: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('Run' as const), version: fc.nat(9), devices: fc.nat(200) }),
  fc.record({ kind: fc.constant('Own' as const), owner: fc.constantFrom(null, 0, 1) }),
  fc.record({
    kind: fc.constant('Assign' as const),
    flaw: fc.nat(1),
    owner: fc.constantFrom(null, 0, 1),
  }),
  fc.record({ kind: fc.constant('Aim' as const), target: fc.constantFrom(null, 3, 10, 50) }),
  fc.record({ kind: fc.constant('Nothing' as const) }),
)
const histories = fc.array(event, { minLength: LENGTH, maxLength: LENGTH })

interface World {
  client: Client
  firmwareId: string
  cveIds: string[]
  versions: { workspaceId: string; firmwareVersionId: string; hasFix: boolean; day: number }[]
  product: string
  devices: number[]
  members: { id: string; email: string }[]
  outcomes: string[]
}

async function begin(strangers: number): Promise<World> {
  const client = await givenClient(test)
  const { workspaceId } = client
  const { db } = test.ctx
  await db
    .updateTable('workspaces')
    .set({
      createdAt: at(-2).now(),
      remediationTargetDays: JSON.stringify({ ...LATEST_DAYS, Medium: 90, Low: 180 }),
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
  const members = []
  for (let count = 0; count < 2; count++)
    members.push(await givenMember(test, workspaceId, 'Engineer'))
  const { outcomes } = (await client.get('/ssvc')).json<{ outcomes: string[] }>()
  const world = {
    client,
    firmwareId,
    cveIds,
    product,
    versions: [],
    devices: [],
    members,
    outcomes,
  }
  if (strangers > 0)
    await db
      .insertInto('firmwareSetDeviceCounts')
      .values({ workspaceId, firmwareVersionIds: [], devices: strangers })
      .execute()
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

type Stating = Extract<Happening, { kind: 'Own' | 'Assign' | 'Aim' }>

async function state({ client, product, cveIds, members, outcomes }: World, happens: Stating) {
  const of = (owner: number | null) => (owner === null ? undefined : members[owner]?.id)
  const put = async (path: string, body: object) => {
    const answer = await client.put(path, body)
    expect([answer.statusCode, answer.body]).toEqual([200, expect.anything()])
  }
  if (happens.kind === 'Own') {
    const memberId = of(happens.owner)
    const rules = memberId === undefined ? [] : [{ components: [`${product}*`], memberId }]
    await put('/owner-rules', { teams: [], rules })
  } else if (happens.kind === 'Assign') {
    const subjectId = of(happens.owner) ?? null
    await put(`/vulnerabilities/${cveIds[happens.flaw]}/assignee`, { subjectId })
  } else {
    const { target } = happens
    const targets = target === null ? [] : outcomes.map((outcome) => [outcome, target])
    const stated = { tree: 'Fleet', manyDevices: 100, products: [], cohorts: [] }
    await put('/ssvc', { ...stated, targetDays: Object.fromEntries(targets) as object })
  }
}

async function play(world: World, day: number, happens: Happening): Promise<void> {
  if (happens.kind === 'Release') return release(world, day, happens.hasFix)
  if (happens.kind === 'Nothing') return
  if (happens.kind === 'Own' || happens.kind === 'Assign' || happens.kind === 'Aim')
    return state(world, happens)
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

async function tell(
  events: readonly Happening[],
  strangers: number,
): Promise<{ world: World; told: Told }> {
  const world = await begin(strangers)
  const told: Told = { strangers, days: [] }
  for (const [index, happens] of events.entries()) {
    const day = index + 1
    await play(world, day, happens)
    await maintainDailyDevices(at(day))
    await maintainDailyCounters(at(day))
    await maintainDisclosures(at(day))
    await recordCaseDays(at(day), world.client.workspaceId)
    told.days.push({ happens, versions: [...world.versions], devices: [...world.devices] })
  }
  return { world, told }
}

interface Figure {
  id: string
  values: { name: string; value: number | null; cases: number }[]
  groups: { by: string; name: string; values: { value: number | null }[] }[]
}

async function read({ client }: World, from: number, to: number) {
  const answer = await client.get(`/figures?from=${dayOf(from)}&to=${dayOf(to)}`)
  expect(answer.statusCode).toBe(200)
  return answer.json<{ figures: Figure[] }>()
}

function pick({ members }: World, { figures }: { figures: Figure[] }) {
  const nameOwner = (name: string) => {
    const place = members.findIndex(({ email }) => email === name)
    return name === 'Nobody' ? 'null' : String(place)
  }
  const ownersOf = (id: string) =>
    Object.fromEntries(
      (figures.find((figure) => figure.id === id)?.groups ?? [])
        .filter(({ by }) => by === 'Owner')
        .map(({ name, values }) => [nameOwner(name), values.map(({ value }) => value)]),
    )
  const valuesOf = (id: string) =>
    figures.find((figure) => figure.id === id)?.values.map(({ value }) => value) ?? []
  return {
    timeToTriage: valuesOf('timeToTriage'),
    triageByOwner: ownersOf('timeToTriage'),
    withinByOwner: ownersOf('decidedWithinTarget'),
    timeToFix: valuesOf('timeToFix'),
    timeToFleet: valuesOf('timeToFleet'),
    decidedWithinTarget: valuesOf('decidedWithinTarget'),
    falsePositives: valuesOf('falsePositives')[0],
  }
}

const periods = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 39 }))

it('are what a naive walk over a random history says', async () => {
  await fc.assert(
    fc.asyncProperty(histories, periods, fc.nat(1), async (events, [from, length], strangers) => {
      const { world, told } = await tell(events, strangers)
      const to = Math.min(LENGTH, from + length)

      const found = pick(world, await read(world, from, to))

      expect(found).toEqual(walkFigures(told, from, to))
    }),
    { numRuns: propertyRuns(16, 4) },
  )
})

it('of a period that is over do not change by what happens later', async () => {
  await fc.assert(
    fc.asyncProperty(histories, histories, async (events, later) => {
      const { world } = await tell(events, 1)
      const before = await read(world, 10, LENGTH)

      for (const [index, happens] of later.entries()) {
        const day = LENGTH + 1 + index
        await play(world, day, happens)
        await maintainDailyDevices(at(day))
        await maintainDailyCounters(at(day))
        await recordCaseDays(at(day), world.client.workspaceId)
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
