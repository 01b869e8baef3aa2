/** A rule whose evaluation fails: it shows the reason, keeps its state, and does not stop other rules. */
import { beforeAll, expect, it, vi } from 'vitest'
import { alertState } from '../../../test/alert-state.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { slowWith } from '../../../test/failing-workers.ts'
import { givenAlertRule, givenPoints, type GivenRule } from '../../../test/given-alerts.ts'
import { givenDevice } from '../../../test/given-telemetry.ts'
import { evaluateDueRules } from './service.ts'

const BEGIN = Date.UTC(2026, 7, 22, 10, 0, 0)
const MINUTE = 60_000

const RULE: GivenRule = {
  type: 'MetricFixedThreshold',
  evaluationFrequency: '1m',
  condition: {
    metric: 'temperature',
    labels: {},
    deploymentCohortId: null,
    aggregation: 'Average',
    groupBy: 'Device',
    operator: 'GreaterThan',
    threshold: 80,
    window: '1m',
    delaySeconds: 0,
    onNoData: 'Resolve',
  },
}

let test: TestApp
let other: TestApp
beforeAll(async () => {
  test = await startTestApp()
  other = await startTestApp({}, test.connectionString)
})

const at = (minute: number) => new Date(BEGIN + minute * MINUTE)

/** A device that is hot only in the first minute, and rules that fire on it. */
async function givenFiringRules(count: number) {
  const { workspaceId } = await test.givenWorkspace()
  const { db } = test.ctx
  const { deviceId } = await givenDevice(test.ctx, workspaceId)
  const hot = { deviceId, metric: 'temperature', labels: {}, time: at(0), sum: 95 }
  await givenPoints(db, { workspaceId, at: at(0) }, [{ ...hot, count: null, min: null, max: null }])
  const ids: string[] = []
  for (let made = 0; made < count; made += 1)
    ids.push(await givenAlertRule(db, { workspaceId, at: at(0) }, RULE))
  await evaluateDueRules(workerAt(test, 1))
  return { workspaceId, ids, stateOf: (id: string) => alertState(db, workspaceId, id) }
}

function workerAt({ ctx }: TestApp, minute: number) {
  return { ...ctx, now: () => at(minute) }
}

const RECORDING = 'evaluated_rules'

it('fails alone, shows the reason, and keeps its incident', async () => {
  const { ids, stateOf } = await givenFiringRules(7)
  const slow = ids[3] ?? ''

  await evaluateDueRules(slowWith(workerAt(test, 2), { ruleId: slow, sqlText: RECORDING }))

  const states = await Promise.all(ids.map(stateOf))
  expect(states.map(({ evaluations }) => evaluations.at(-1)?.status)).toEqual(
    ids.map((id) => (id === slow ? 'Failed' : 'NoData')),
  )
  expect(states.map(({ openSince }) => openSince)).toEqual(
    ids.map((id) => (id === slow ? at(1).toISOString() : null)),
  )
  const { reason } = await test.ctx.db
    .selectFrom('alertEvaluations')
    .select('reason')
    .where('ruleId', '=', slow)
    .where('status', '=', 'Failed')
    .executeTakeFirstOrThrow()
  expect(reason).toContain('took too long')
})

it('has one evaluation for each instant, however many workers it fails for', async () => {
  const { ids, stateOf } = await givenFiringRules(3)
  const slow = ids[1] ?? ''
  const sqlText = RECORDING
  const error = vi.fn()
  const heard = (node: TestApp, minute: number) => ({
    ...workerAt(node, minute),
    log: Object.assign(Object.create(node.ctx.log) as typeof node.ctx.log, { error }),
  })

  for (const minute of [2, 3, 4])
    await Promise.all(
      [test, other, test, other].map((node) =>
        evaluateDueRules(slowWith(heard(node, minute), { ruleId: slow, sqlText })),
      ),
    )

  const { evaluations } = await stateOf(slow)
  expect(error).not.toHaveBeenCalled()
  expect(evaluations.map(({ scheduledAt, status }) => ({ scheduledAt, status }))).toEqual(
    [1, 2, 3, 4].map((minute) => ({
      scheduledAt: at(minute).toISOString(),
      status: minute === 1 ? 'Firing' : 'Failed',
    })),
  )
})

it('goes on where it was once it can be evaluated again', async () => {
  const { ids, stateOf } = await givenFiringRules(1)
  const [id = ''] = ids
  await evaluateDueRules(slowWith(workerAt(test, 2), { ruleId: id, sqlText: RECORDING }))

  await evaluateDueRules(workerAt(test, 3))

  const { evaluations, incidents, openSince } = await stateOf(id)
  expect(evaluations.map(({ status }) => status)).toEqual(['Firing', 'Failed', 'NoData'])
  expect(incidents).toMatchObject([
    { beganAt: at(1).toISOString(), endedAt: at(3).toISOString(), endedCause: 'NoData' },
  ])
  expect(openSince).toBeNull()
})
