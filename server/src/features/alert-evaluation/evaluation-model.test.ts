/**
 * Compares the evaluation with a simple one in memory: random fleets, rules and pauses, several workers at once, and workers
 * that die.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  BEGIN,
  COHORTS,
  DEVICES,
  type GivenPointShape,
  type GivenRuleShape,
  MINUTE,
  type RoundShape,
  Scenario,
} from '../../../test/alert-scenarios.ts'
import { alertState, inOrder } from '../../../test/alert-state.ts'
import { failing } from '../../../test/failing-workers.ts'
import { givenAlertRule, type GivenPoint, givenPoints } from '../../../test/given-alerts.ts'
import {
  type NaiveFleet,
  type NaiveRule,
  naiveStart,
  type NaiveState,
  naiveEvaluation,
} from '../../../test/naive-alerts.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import type { Db } from '../../platform/db/connect.ts'
import { rollUpMetrics } from '../telemetry/index.ts'
import type { EvaluationContext } from './evaluators-service.ts'
import { evaluateDueRules } from './service.ts'

let nodes: TestApp[]
let workspaceIds: string[]
beforeAll(async () => {
  const first = await startTestApp()
  nodes = [first, await startTestApp({}, first.connectionString)]
  workspaceIds = []
  for (let count = 0; count < 2; count += 1)
    workspaceIds.push((await first.givenWorkspace()).workspaceId)
})

interface ModelledRule {
  id: string
  rule: NaiveRule
  state: NaiveState
}

interface World {
  workspaceId: string
  cohortIds: string[]
  fleet: NaiveFleet
  watched: ModelledRule[]
}

interface GivenWorld {
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

/** A new fleet. Rules of earlier scenarios are no longer due. */
async function givenWorld(
  db: Db,
  workspaceId: string,
  { cohorts, rules }: GivenWorld,
): Promise<World> {
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
  const contexts = Array.from({ length: sideBySide }, (_, at): EvaluationContext => {
    const node = nodes[at % nodes.length] as TestApp
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
  // Workers without a fault do not disturb each other.
  if (fault === 'none') expect(errors).toEqual([])
  // A second later the other workers and a restarted one look for due rules.
  await evaluateDueRules(first)
  errors.length = 0
}

const errors: unknown[] = []

function loudLog(log: EvaluationContext['log']): EvaluationContext['log'] {
  return Object.assign(Object.create(log) as EvaluationContext['log'], {
    error: (entry: unknown) => errors.push(entry),
  })
}

/** Returns the number of failed evaluations. They change no state. */
async function expectAlike(db: Db, world: World): Promise<number> {
  let failed = 0
  for (const { id, rule, state } of world.watched) {
    const found = await alertState(db, world.workspaceId, id)
    const newest = found.evaluations.at(-1)
    const isFailed = (at: string) => newest?.scheduledAt === at && newest.status === 'Failed'
    const before = state.evaluations.length
    naiveEvaluation(rule, state, { fleet: world.fleet, now, isFailed })
    const taken = state.evaluations.slice(before)
    failed += taken.filter(({ status }) => status === 'Failed').length
    // The rule is part of both sides, so that a failure shows it.
    expect({ rule, found }).toEqual({ rule, found: inOrder(state) })
  }
  return failed
}

async function happen(
  db: Db,
  world: World,
  { round, place }: { round: RoundShape; place: number },
): Promise<void> {
  const isHere = (one: { workspace: number }) => one.workspace === place
  for (const move of round.moves.filter(isHere)) await moveDevice(db, world, move)
  await report(db, world, round.points.filter(isHere))
}

it('agrees with the simple evaluation, whatever faults workers have', async () => {
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
        if (round.isPacked && nodes[0]) await rollUpMetrics({ ...nodes[0].ctx, now: () => now })
        await evaluate(round)
        let failed = 0
        for (const world of worlds) failed += await expectAlike(db, world)
        expect(failed).toBeLessThanOrEqual(round.workers.fault === 'timeout' ? 1 : 0)
      }
    }),
    { numRuns: propertyRuns(120) },
  )
})
