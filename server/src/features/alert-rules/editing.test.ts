import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  givenClock,
  givenRule,
  report,
  ruleBody,
  type ShownIncident,
  type ShownRule,
} from '../../../test/given-alert-rules.ts'
import { givenCohort, givenFleetDevices } from '../../../test/given-fleet.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { evaluateDueRules } from '../alert-evaluation/index.ts'

let test: TestApp
let clock: ReturnType<typeof givenClock>
let client: Client

beforeAll(async () => {
  test = await startTestApp()
})

beforeEach(async () => {
  clock = givenClock(test)
  client = await givenClient(test)
  await givenFleetDevices(test.ctx, client.workspaceId, ['a', 'b'])
})

const getRule = async (id: string) => (await client.get(`/alert-rules/${id}`)).json<ShownRule>()

async function listIncidents(filter: object = {}): Promise<ShownIncident[]> {
  const response = await client.post('/alert-incidents/list', { filter })
  return response.json<{ incidents: ShownIncident[] }>().incidents
}

async function givenFiring(more: object = {}): Promise<ShownRule> {
  const { id } = await givenRule(client, more)
  await report(test, client.workspaceId, { values: { a: 90, b: 20 } })
  await clock.tick()
  return getRule(id)
}

describe('a rule that fires', () => {
  it('shows its incident and its evaluations', async () => {
    const rule = await givenFiring()

    expect(rule.hasFiringAlert).toBe(true)
    expect(rule.evaluations).toMatchObject([
      {
        status: 'Firing',
        evaluatedAt: clock.instant(1),
        evaluationScheduledAt: clock.instant(1),
        evaluationWindowStart: clock.instant(0),
        evaluationWindowEnd: clock.instant(1),
        seriesCount: 2,
        valueCount: 2,
        firingCount: 1,
        lowest: 20,
        highest: 90,
        reason: null,
      },
    ])
    expect(await listIncidents()).toMatchObject([
      { id: rule.incidentId, beganAt: clock.instant(1), endedAt: null, firingSeriesCount: 1 },
    ])
  })

  it('shows the latest ten evaluations, and all of them page by page', async () => {
    const { id } = await givenRule(client)
    for (let minute = 0; minute < 12; minute += 1) await clock.tick()
    const path = `/alert-rules/${id}/evaluations`

    const { evaluations } = await getRule(id)
    const first = await client.get(`${path}?limit=7`)
    const { nextCursor, ...page } = first.json<{
      evaluations: ShownRule['evaluations']
      nextCursor: string
    }>()
    const second = await client.get(`${path}?limit=7&cursor=${nextCursor}`)

    const instants = (of: ShownRule['evaluations']) =>
      of.map(({ evaluationScheduledAt }) => evaluationScheduledAt)
    const all = Array.from({ length: 12 }, (_, at) => clock.instant(12 - at))
    expect(instants(evaluations)).toEqual(all.slice(0, 10))
    expect(page.evaluations.slice(0, 7)).toEqual(evaluations.slice(0, 7))
    expect(instants(second.json<typeof page>().evaluations)).toEqual(all.slice(7))
    expect(second.json()).toMatchObject({ hasMore: false })
    expect((await client.get(`${path}?cursor=x`)).json()).toMatchObject({ status: 400 })
  })
})

describe('a change', () => {
  it.each`
    more                                                                                | cause
    ${{ condition: { metric: 'temperature', operator: 'GreaterThan', threshold: 85 } }} | ${'RuleChanged'}
    ${{ evaluationFrequency: '5m' }}                                                    | ${'RuleChanged'}
    ${{ state: 'Disabled' }}                                                            | ${'RuleDisabled'}
  `(
    'to $more ends the incident: $cause',
    async ({ more, cause }: { more: object; cause: string }) => {
      const { id } = await givenFiring()
      clock.pass()
      const at = test.ctx.now().toISOString()

      const changed = (await client.put(`/alert-rules/${id}`, ruleBody(more))).json<ShownRule>()

      expect(changed).toMatchObject({ hasFiringAlert: false, incidentId: null })
      expect(await listIncidents()).toMatchObject([
        { endedAt: at, endedCause: cause, seriesCount: 1, firingSeriesCount: 0 },
      ])
      const open = await test.ctx.db
        .selectFrom('alertSeries')
        .select('series')
        .where('ruleId', '=', id)
        .where('until', 'is', null)
        .execute()
      expect(open).toEqual([])
    },
  )

  it('of name, targets or reminders does not end the incident', async () => {
    const before = await givenFiring()
    const more = { name: 'Another', description: 'x', repeatInterval: '1h', notifyResolved: false }

    const changed = await client.put(`/alert-rules/${before.id}`, ruleBody(more))

    expect(changed.json()).toMatchObject({
      name: 'Another',
      incidentId: before.incidentId,
      nextEvaluationAt: before.nextEvaluationAt,
    })
  })

  it('lets the rule fire again at its next instant', async () => {
    const { id } = await givenFiring()
    clock.pass()
    await client.put(
      `/alert-rules/${id}`,
      ruleBody({ condition: { metric: 'temperature', operator: 'GreaterThan', threshold: 50 } }),
    )
    await report(test, client.workspaceId, { values: { a: 90, b: 60 } })

    await clock.tick()

    expect(await listIncidents()).toMatchObject([
      { endedAt: null, beganAt: clock.instant(2), firingSeriesCount: 2 },
      { endedCause: 'RuleChanged' },
    ])
  })

  it('of one that is disabled evaluates nothing', async () => {
    const { id } = await givenRule(client, { state: 'Disabled' })

    await client.put(`/alert-rules/${id}`, ruleBody({ evaluationFrequency: '5m' }))
    await clock.tick(10)

    expect(await getRule(id)).toMatchObject({ evaluations: [], nextEvaluationAt: null })
  })

  it('evaluates no instant twice when the clock of this node is behind', async () => {
    const { id } = await givenFiring()
    clock.pass(-30_000)

    await client.put(`/alert-rules/${id}`, ruleBody({ name: 'x', evaluationFrequency: '5m' }))
    await client.put(`/alert-rules/${id}`, ruleBody())
    await clock.tick(0.5)

    const { evaluations, nextEvaluationAt } = await getRule(id)
    expect(evaluations).toHaveLength(1)
    expect(nextEvaluationAt).toBe(clock.instant(2))
  })

  it('and evaluations at the same time wait for each other', async () => {
    const { id } = await givenRule(client)
    const other = await startTestApp({}, test.connectionString)
    other.ctx.now = () => test.ctx.now()
    const thresholds = [10, 95]
    for (let round = 0; round < 10; round += 1) {
      await report(test, client.workspaceId, { values: { a: 90, b: 20 } })
      clock.pass(60_000)
      const threshold = thresholds[round % 2]
      const condition = { metric: 'temperature', operator: 'GreaterThan', threshold }

      const [changed] = await Promise.all([
        client.put(`/alert-rules/${id}`, ruleBody({ condition })),
        evaluateDueRules(test.ctx),
        evaluateDueRules(other.ctx),
      ])

      expect(changed.statusCode).toBe(200)
    }

    const rule = await getRule(id)
    const open = await listIncidents({ isOpen: true })
    expect(open.map((incident) => incident.id)).toEqual(rule.incidentId ? [rule.incidentId] : [])
    const instants = rule.evaluations.map((one) => one.evaluationScheduledAt)
    expect(new Set(instants).size).toBe(instants.length)
    const adrift = await test.ctx.db
      .selectFrom('alertSeries as held')
      .innerJoin('alertIncidents as incident', (join) =>
        join
          .onRef('incident.workspaceId', '=', 'held.workspaceId')
          .onRef('incident.id', '=', 'held.incidentId'),
      )
      .select('held.series')
      .where('held.workspaceId', '=', client.workspaceId)
      .where('held.until', 'is', null)
      .where('incident.endedAt', 'is not', null)
      .execute()
    expect(adrift).toEqual([])
  })
})

describe('a rule that is deleted', () => {
  it('ends its incident, which stays to be read', async () => {
    const { id, incidentId } = await givenFiring()

    const deleted = await client.delete(`/alert-rules/${id}`)

    expect(deleted.statusCode).toBe(204)
    expect((await client.get(`/alert-incidents/${incidentId}`)).json()).toMatchObject({
      alertRule: { id, name: 'CPU temperature', type: 'MetricFixedThreshold' },
      condition: { threshold: 80 },
      endedCause: 'RuleDeleted',
      seriesCount: 1,
    })
    const series = await client.post(`/alert-incidents/${incidentId}/series/list`, {})
    expect(series.json()).toMatchObject({ series: [{ series: 'a', value: 90 }], hasMore: false })
    await clock.tick()
    expect(await listIncidents({ isOpen: true })).toEqual([])
  })
})

describe('what a rule is about', () => {
  it('may be deleted: a deleted device stops firing', async () => {
    const { id } = await givenFiring()

    await client.delete('/devices/a')
    await report(test, client.workspaceId, { values: { b: 20 } })
    await clock.tick()

    expect(await getRule(id)).toMatchObject({ hasFiringAlert: false })
    expect(await listIncidents()).toMatchObject([{ endedCause: 'Recovered' }])
  })

  it('may be deleted: a cohort that is gone has no devices', async () => {
    const deploymentCohortId = await givenCohort(client)
    await client.put(`/deployment-cohorts/${deploymentCohortId}/devices`, { deviceIds: ['a'] })
    const metric = { metric: 'temperature', operator: 'GreaterThan', threshold: 80 }
    const { id } = await givenFiring({ condition: { ...metric, deploymentCohortId } })

    await client.delete(`/deployment-cohorts/${deploymentCohortId}`)
    await report(test, client.workspaceId, { values: { a: 90 } })
    await clock.tick()

    expect(await getRule(id)).toMatchObject({
      hasFiringAlert: false,
      evaluations: [{ status: 'NoData' }, { status: 'Firing' }],
    })
    expect(await listIncidents()).toMatchObject([{ endedCause: 'NoData' }])
  })
})
