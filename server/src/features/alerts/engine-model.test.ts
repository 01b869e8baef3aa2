/**
 * Random fleets, rules, pauses, workers side by side and workers that die, against an evaluation written down the way it
 * is told.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { failing, FAULTS } from '../../../test/failing-workers.ts'
import { givenAlertRule, type GivenPoint, givenPoints } from '../../../test/given-alerts.ts'
import {
  type NaiveFleet,
  type NaiveRule,
  naiveStart,
  type NaiveState,
  naiveTurn,
} from '../../../test/naive-alerts.ts'
import type { Db } from '../../platform/db/connect.ts'
import { NO_DATA_BEHAVIORS, OPERATORS } from './condition.ts'
import { type EngineContext, evaluateDueRules } from './engine-service.ts'

const AGGREGATIONS = ['Average', 'Minimum', 'Maximum', 'Sum', 'Count', 'Last'] as const
const DEVICES = ['a', 'b', 'c', 'd']
const COHORTS = 2
const BEGIN = Date.UTC(2026, 7, 22, 10, 0, 0)
const MINUTE = 60_000

let nodes: TestApp[]
let workspaceIds: string[]
beforeAll(async () => {
  const first = await startTestApp()
  nodes = [first, await startTestApp({}, first.connectionString)]
  workspaceIds = []
  for (let count = 0; count < 2; count += 1)
    workspaceIds.push((await first.givenWorkspace()).workspaceId)
})

// Of halves, quarters and powers of two sums are exact in whatever order they are added up.
const Value = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(-64, -8, -1, -0.5, 0, 0.25, 1, 2, 3.5, 8, 64, 1_048_576),
  },
  { weight: 1, arbitrary: fc.constant(1.5e308) },
)
const LABELS: Record<string, string>[] = [
  {},
  { sensor: 'cpu' },
  { sensor: 'gpu' },
  { place: 'in', sensor: 'cpu' },
]
const FILTERS: Record<string, string>[] = [{}, {}, { sensor: 'cpu' }, { place: 'in' }]
const Metric = fc.constantFrom('load', 'temperature', 'temperature')
const workspace = fc.constantFrom(0, 0, 0, 1)
const cohort = fc.option(fc.nat({ max: COHORTS - 1 }))

const Point = fc.record({
  workspace,
  device: fc.constantFrom(...DEVICES),
  metric: Metric,
  labels: fc.constantFrom(...LABELS),
  value: Value,
  // Added up by the device from so many.
  count: fc.option(fc.constantFrom(1, 2, 4, 8), { freq: 2 }),
  /** How long ago; on the instants of schedules as often as off them. */
  age: fc.oneof(
    fc.constantFrom(-30_000, 0, 1, 999, 30_000),
    fc.nat({ max: 3 * MINUTE }),
    fc.nat({ max: 15 }).map((minutes) => minutes * MINUTE),
    fc.nat({ max: 240 }).map((minutes) => minutes * MINUTE),
  ),
  /** To the minute the clock stands in. */
  isAligned: fc.boolean(),
})

const Rule = fc.record({
  workspace,
  type: fc.constantFrom('MetricFixedThreshold' as const, 'MetricPercentualThreshold' as const),
  evaluationFrequency: fc.constantFrom('1m', '1m', '5m', '15m', '1h', '1d'),
  metric: Metric,
  labels: fc.constantFrom(...FILTERS),
  cohort,
  aggregation: fc.constantFrom(...AGGREGATIONS),
  groupBy: fc.constantFrom('Device' as const, 'Device' as const, 'None' as const),
  operator: fc.constantFrom(...OPERATORS),
  threshold: fc.constantFrom(-100, -0.5, 0, 0.25, 1, 3.5, 8, 50, 100),
  window: fc.constantFrom('1m', '2m', '5m', '7m', '15m', '1h', '1d'),
  delaySeconds: fc.constantFrom(0, 0, 30, 60, 90, 600),
  onNoData: fc.constantFrom(...NO_DATA_BEHAVIORS),
})

/** How the rules are evaluated: by workers that live, or first by some that do not. */
const Workers = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom({ fault: 'none' as const, at: 0 }) },
  {
    weight: 3,
    arbitrary: fc.record({
      fault: fc.constantFrom(...FAULTS),
      at: fc.integer({ min: 1, max: 9 }),
    }),
  },
)

const Round = fc.record({
  points: fc.array(Point, { maxLength: 14 }),
  moves: fc.array(
    fc.record({
      workspace,
      device: fc.constantFrom(...DEVICES),
      to: fc.oneof(cohort, fc.constant('gone' as const)),
    }),
    { maxLength: 1 },
  ),
  pause: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(1_000, 30_000, MINUTE, MINUTE, 5 * MINUTE) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(59_999, 61_000, 17 * MINUTE, 60 * MINUTE, 26 * 60 * MINUTE),
    },
  ),
  workers: Workers,
  sideBySide: fc.integer({ min: 1, max: 3 }),
})

const Scenario = fc.record({
  startedAfter: fc.nat({ max: 3 * MINUTE }),
  cohorts: fc.array(cohort, { minLength: DEVICES.length, maxLength: DEVICES.length }),
  rules: fc.array(Rule, { minLength: 1, maxLength: 8, size: 'max' }),
  rounds: fc.array(Round, { minLength: 1, maxLength: 10, size: 'max' }),
})

interface Watched {
  id: string
  rule: NaiveRule
  state: NaiveState
}

interface World {
  workspaceId: string
  cohortIds: string[]
  fleet: NaiveFleet
  watched: Watched[]
}

type GivenRuleShape = typeof Rule extends fc.Arbitrary<infer Shape> ? Shape : never
type GivenPointShape = typeof Point extends fc.Arbitrary<infer Shape> ? Shape : never
type RoundShape = typeof Round extends fc.Arbitrary<infer Shape> ? Shape : never

interface Given {
  cohorts: readonly (number | null)[]
  rules: readonly GivenRuleShape[]
}

async function givenCohorts(db: Db, workspaceId: string): Promise<string[]> {
  const ids = Array.from({ length: COHORTS }, () => crypto.randomUUID())
  const createdAt = new Date(BEGIN)
  await db
    .insertInto('deploymentCohorts')
    .values(ids.map((id) => ({ workspaceId, id, name: id, createdAt, updatedAt: createdAt })))
    .execute()
  return ids
}

/** A fresh fleet; what earlier scenarios left behind has no turn any more. */
async function givenWorld(db: Db, workspaceId: string, { cohorts, rules }: Given): Promise<World> {
  for (const table of ['alertRules', 'alertIncidents', 'alertSeries', 'devices'] as const)
    await db.deleteFrom(table).where('workspaceId', '=', workspaceId).execute()
  const fleet: NaiveFleet = { devices: new Map(), points: [] }
  const cohortIds = await givenCohorts(db, workspaceId)
  const world: World = { workspaceId, cohortIds, fleet, watched: [] }
  for (const [at, device] of DEVICES.entries())
    await moveDevice(db, world, { device, to: cohorts[at] ?? null })
  for (const given of rules) {
    const rule = ruleOf(given, world)
    const id = await givenAlertRule(db, { workspaceId, at: now }, rule)
    world.watched.push({ id, rule, state: naiveStart(rule, now) })
  }
  return world
}

function ruleOf(given: GivenRuleShape, world: World): NaiveRule {
  const { workspace: _workspace, type, evaluationFrequency, cohort: place, ...condition } = given
  const deploymentCohortId = place === null ? null : (world.cohortIds[place] ?? null)
  return { type, evaluationFrequency, condition: { ...condition, deploymentCohortId } }
}

async function moveDevice(
  db: Db,
  { workspaceId, cohortIds, fleet }: World,
  { device: id, to }: { device: string; to: number | 'gone' | null },
): Promise<void> {
  if (to === 'gone') {
    await sql`delete from devices where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
    fleet.devices.delete(id)
    fleet.points = fleet.points.filter(({ deviceId }) => deviceId !== id)
    return
  }
  const cohortId = to === null ? null : (cohortIds[to] ?? null)
  await db
    .insertInto('devices')
    .values({ workspaceId, id, cohortId, createdAt: now, effectiveLogSeverity: 'Info' })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'id']).doUpdateSet({ cohortId }))
    .execute()
  fleet.devices.set(id, cohortId)
}

async function report(db: Db, world: World, points: readonly GivenPointShape[]): Promise<void> {
  const { workspaceId, fleet } = world
  const given = points
    .filter(({ device }) => fleet.devices.has(device))
    .map(({ device: deviceId, metric, labels, value, count, age, isAligned }): GivenPoint => {
      const from = isAligned ? Math.floor(now.getTime() / MINUTE) * MINUTE : now.getTime()
      const time = new Date(from - age)
      const summed = { sum: value, count, min: value - 1, max: value + 2 }
      return {
        deviceId,
        metric,
        labels,
        time,
        ...(count === null ? { sum: value, count, min: null, max: null } : summed),
      }
    })
  await givenPoints(db, { workspaceId, at: now }, given)
  fleet.points.push(...given)
}

let now = new Date(BEGIN)

async function evaluate({ workers, sideBySide }: RoundShape): Promise<void> {
  const contexts = Array.from({ length: sideBySide }, (_, at): EngineContext => {
    const node = nodes[at % nodes.length]
    if (!node) throw new Error('no node')
    return { ...node.ctx, now: () => now, log: loudLog(node.ctx.log) }
  })
  const [first] = contexts
  if (!first) throw new Error('no worker')
  const { fault, at } = workers
  const taking = contexts.map((ctx, place) =>
    evaluateDueRules(place === 0 && fault !== 'none' ? failing(ctx, { fault, at }) : ctx),
  )
  for (const end of await Promise.allSettled(taking))
    if (end.status === 'rejected' && fault === 'none') throw end.reason
  // Workers that do not die are never in each other's way.
  if (fault === 'none') expect(errors).toEqual([])
  // Those that are left look a second later, and so does the one that starts anew.
  await evaluateDueRules(first)
  errors.length = 0
}

const errors: unknown[] = []

function loudLog(log: EngineContext['log']): EngineContext['log'] {
  return Object.assign(Object.create(log) as EngineContext['log'], {
    error: (entry: unknown) => errors.push(entry),
  })
}

const iso = (time: Date | null) => time?.toISOString() ?? null

/** What the database says of a rule, in the words of the naive evaluation. */
async function kept(db: Db, { workspaceId }: World, { id }: Watched): Promise<NaiveState> {
  const rule = await db
    .selectFrom('alertRules')
    .select(['nextEvaluationAt', 'evaluatedUntil', 'incidentId'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const evaluations = await db
    .selectFrom('alertEvaluations')
    .select(['scheduledAt', 'evaluatedAt', 'windowStart', 'windowEnd', 'status', 'seriesCount'])
    .select(['valueCount', 'firingCount', 'lowest', 'highest'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', id)
    .orderBy('scheduledAt')
    .execute()
  const incidents = await db
    .selectFrom('alertIncidents')
    .select(['id', 'beganAt', 'endedAt', 'endedCause'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', id)
    .orderBy('beganAt')
    .execute()
  const series = await db
    .selectFrom('alertSeries')
    .select(['incidentId', 'series', 'since', 'until', 'value'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', id)
    .execute()
  const lasting = incidents.find((incident) => incident.id === rule.incidentId)
  if (rule.incidentId !== null && !lasting) throw new Error('a rule has an incident of another')
  return {
    nextEvaluationAt: iso(rule.nextEvaluationAt) ?? '',
    evaluatedUntil: iso(rule.evaluatedUntil),
    lasting: iso(lasting?.beganAt ?? null),
    evaluations: evaluations.map((row) => ({
      ...row,
      status: row.status as NaiveState['evaluations'][0]['status'],
      scheduledAt: row.scheduledAt.toISOString(),
      evaluatedAt: row.evaluatedAt.toISOString(),
      windowStart: row.windowStart.toISOString(),
      windowEnd: row.windowEnd.toISOString(),
    })),
    incidents: incidents.map((incident) => ({
      beganAt: incident.beganAt.toISOString(),
      endedAt: iso(incident.endedAt),
      endedCause: incident.endedCause,
      series: series
        .filter(({ incidentId }) => incidentId === incident.id)
        .map(({ incidentId: _id, since, until, ...rest }) => ({
          ...rest,
          since: since.toISOString(),
          until: iso(until),
        }))
        .toSorted(bySeries),
    })),
  }
}

function bySeries(a: { series: string; since: string }, b: { series: string; since: string }) {
  return `${a.series} ${a.since}` < `${b.series} ${b.since}` ? -1 : 1
}

function sorted(state: NaiveState): NaiveState {
  const incidents = state.incidents.map((incident) => ({
    ...incident,
    series: incident.series.toSorted(bySeries),
  }))
  return { ...state, incidents }
}

async function expectAlike(db: Db, world: World): Promise<void> {
  for (const watched of world.watched) {
    const found = await kept(db, world, watched)
    naiveTurn(watched.rule, watched.state, { fleet: world.fleet, now })
    // The rule stands beside, to be read where it failed.
    expect({ rule: watched.rule, found }).toEqual({
      rule: watched.rule,
      found: sorted(watched.state),
    })
  }
}

async function happen(
  db: Db,
  world: World,
  {
    round,
    place,
  }: { round: typeof Round extends fc.Arbitrary<infer Value> ? Value : never; place: number },
): Promise<void> {
  const isHere = (one: { workspace: number }) => one.workspace === place
  for (const move of round.moves.filter(isHere)) await moveDevice(db, world, move)
  await report(db, world, round.points.filter(isHere))
}

it('evaluates as it is told, whatever happens to whom', async () => {
  const db = nodes[0]?.ctx.db
  if (!db) throw new Error('no node')
  await fc.assert(
    fc.asyncProperty(Scenario, async ({ startedAfter, cohorts, rules, rounds }) => {
      now = new Date(BEGIN + startedAfter)
      const worlds: World[] = []
      for (const [place, workspaceId] of workspaceIds.entries()) {
        const own = rules.filter((rule) => rule.workspace === place)
        worlds.push(await givenWorld(db, workspaceId, { cohorts, rules: own }))
      }
      for (const round of rounds) {
        for (const [place, world] of worlds.entries()) await happen(db, world, { round, place })
        now = new Date(now.getTime() + round.pause)
        await evaluate(round)
        for (const world of worlds) await expectAlike(db, world)
      }
    }),
    { numRuns: 60 },
  )
})
