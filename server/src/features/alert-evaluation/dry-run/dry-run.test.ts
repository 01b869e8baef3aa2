import fc from 'fast-check'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenAlertRule, givenPoints, type GivenRule } from '../../../../test/given-alerts.ts'
import { ruleBody, type ShownIncident } from '../../../../test/given-alert-rules.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { evaluateDueRules } from '../index.ts'

const test = await startTestApp()
const { ctx } = test
const HOUR_MS = 3_600_000
const BEGIN = Date.UTC(2026, 7, 22)
let now = BEGIN
ctx.now = () => new Date(now)

interface DryRun {
  evaluations: Record<string, number>
  incidents: { beganAt: string; endedAt: string | null; seriesCount: number }[]
  timeline: { from: string; to: string; status: string; firingCount: number }[]
  firingSeriesCount: number
  firingSeries: { series: string; firingSeconds: number }[]
}

async function givenDevices(client: Client, ids: readonly string[]): Promise<void> {
  const rows = ids.map((id) => ({
    workspaceId: client.workspaceId,
    id,
    createdAt: new Date(BEGIN),
    effectiveLogSeverity: 'Info',
  }))
  await ctx.db.insertInto('devices').values(rows).execute()
}

const valuesOf = (labels: Record<string, string> = {}) => ({
  metric: 'temperature',
  labels,
  count: null,
  min: null,
  max: null,
})

const DEVICES = ['a', 'b', 'c']
const Points = fc.array(
  fc.record({
    deviceId: fc.constantFrom(...DEVICES),
    hour: fc.integer({ min: 0, max: 23 }),
    minute: fc.integer({ min: 0, max: 59 }),
    sum: fc.integer({ min: -5, max: 5 }),
  }),
  { maxLength: 60 },
)
const Rule = fc.record({
  type: fc.constantFrom('MetricFixedThreshold' as const, 'MetricPercentualThreshold' as const),
  evaluationFrequency: fc.constant('1h'),
  condition: fc.record({
    metric: fc.constant('temperature'),
    labels: fc.constant({}),
    deploymentCohortId: fc.constant(null),
    aggregation: fc.constantFrom('Average', 'Minimum', 'Maximum', 'Sum', 'Count', 'Last'),
    groupBy: fc.constantFrom('Device' as const, 'None' as const),
    operator: fc.constantFrom('GreaterThan', 'GreaterThanOrEqual', 'LessThan', 'LessThanOrEqual'),
    threshold: fc.integer({ min: -3, max: 3 }),
    window: fc.constantFrom('30m', '1h', '3h'),
    delaySeconds: fc.constantFrom(0, 600),
    onNoData: fc.constantFrom('Keep', 'Resolve', 'Fire'),
  }),
}) as fc.Arbitrary<GivenRule>

interface EvaluationRow {
  at: string
  status: string
  firingCount: number
}

/** The single evaluations of a timeline. */
function evaluationsOf({ timeline }: DryRun): EvaluationRow[] {
  return timeline.flatMap(({ from, to, ...rest }) => {
    const count = (Date.parse(to) - Date.parse(from)) / HOUR_MS + 1
    return Array.from({ length: count }, (_, index) => ({
      at: new Date(Date.parse(from) + index * HOUR_MS).toISOString(),
      ...rest,
    }))
  })
}

it('agrees with the evaluation of the same points', async () => {
  await fc.assert(
    fc.asyncProperty(Points, Rule, async (points, rule) => {
      now = BEGIN
      const client = await givenClient(test)
      const { workspaceId } = client
      await givenDevices(client, DEVICES)
      const given = points.map(({ deviceId, hour, minute, sum }) => ({
        ...valuesOf(),
        deviceId,
        time: new Date(BEGIN + hour * HOUR_MS + minute * 60_000),
        sum,
      }))
      // The evaluation knows the series of a device only after its first point, so each device has one before.
      const before = DEVICES.map((deviceId) => ({
        ...valuesOf(),
        deviceId,
        time: new Date(BEGIN - 9 * HOUR_MS),
        sum: 0,
      }))
      await givenPoints(ctx.db, { workspaceId, at: new Date(BEGIN) }, [...before, ...given])
      const id = await givenAlertRule(ctx.db, { workspaceId, at: new Date(BEGIN) }, rule)
      for (let hour = 1; hour <= 24; hour++) {
        now = BEGIN + hour * HOUR_MS
        await evaluateDueRules(ctx)
      }

      const dryRun = (await client.post(`/alert-rules/${id}/dry-run`, {})).json<DryRun>()

      const evaluations = await ctx.db
        .selectFrom('alertEvaluations')
        .select(['scheduledAt', 'status', 'firingCount'])
        .where('workspaceId', '=', workspaceId)
        .where('ruleId', '=', id)
        .orderBy('scheduledAt')
        .execute()
      const listed = await client.post('/alert-incidents/list', {})
      const { incidents } = listed.json<{ incidents: ShownIncident[] }>()
      expect(evaluationsOf(dryRun)).toEqual(
        evaluations.map(({ scheduledAt, status, firingCount }) => ({
          at: scheduledAt.toISOString(),
          status,
          firingCount,
        })),
      )
      expect(dryRun.incidents).toEqual(
        incidents
          .toReversed()
          .map(({ beganAt, endedAt, seriesCount }) => ({ beganAt, endedAt, seriesCount })),
      )
    }),
    { numRuns: propertyRuns(30) },
  )
})

it('tries a rule before it is made, and leaves nothing behind', async () => {
  now = BEGIN + 24 * HOUR_MS
  const client = await givenClient(test)
  const { workspaceId } = client
  await givenDevices(client, DEVICES)
  const hot = [10, 11, 15].map((hour) => ({
    ...valuesOf(),
    deviceId: 'b',
    time: new Date(BEGIN + hour * HOUR_MS + 60_000),
    sum: 95,
  }))
  const cool = { ...valuesOf(), deviceId: 'b', time: new Date(BEGIN + 12.5 * HOUR_MS), sum: 40 }
  await givenPoints(ctx.db, { workspaceId, at: new Date(now) }, [...hot, cool])
  const condition = {
    metric: 'temperature',
    aggregation: 'Maximum',
    operator: 'GreaterThan',
    threshold: 80,
    window: '1h',
    groupBy: 'Device',
  }

  const response = await client.post(
    '/alert-rules/dry-run',
    ruleBody({ evaluationFrequency: '1h', condition }),
  )

  expect(response.statusCode).toBe(200)
  const at = (hour: number) => new Date(BEGIN + hour * HOUR_MS).toISOString()
  expect(response.json<DryRun>()).toMatchObject({
    conditionText: expect.stringContaining('over 1 hour') as string,
    evaluations: { count: 24, firing: 3, ok: 1, noData: 20, failed: 0 },
    incidents: [
      { beganAt: at(11), endedAt: at(13), seriesCount: 1 },
      { beganAt: at(16), endedAt: null, seriesCount: 1 },
    ],
    firingSeriesCount: 1,
    firingSeries: [{ series: 'b' }],
  })
  expect((await client.get('/alert-rules')).json()).toEqual([])
})

it('looks back as many days as asked', async () => {
  now = BEGIN + 24 * HOUR_MS
  const client = await givenClient(test)
  const { workspaceId } = client
  await givenDevices(client, ['a'])
  const time = new Date(BEGIN - 60 * HOUR_MS + 60_000)
  await givenPoints(ctx.db, { workspaceId, at: new Date(now) }, [
    { ...valuesOf(), deviceId: 'a', time, sum: 95 },
  ])
  const condition = {
    metric: 'temperature',
    aggregation: 'Maximum',
    operator: 'GreaterThan',
    threshold: 80,
    window: '1h',
    groupBy: 'Device',
  }
  const body = ruleBody({ evaluationFrequency: '1h', condition })
  const tryOn = async (days: number) =>
    (await client.post(`/alert-rules/dry-run?days=${days}`, body)).json<DryRun>()

  expect((await tryOn(1)).evaluations).toMatchObject({ count: 24, firing: 0 })
  expect((await tryOn(7)).evaluations).toMatchObject({ count: 168, firing: 1 })
  const rule = (await client.post('/alert-rules', body)).json<{ id: string }>()
  const stored = await client.post(`/alert-rules/${rule.id}/dry-run?days=7`, {})
  expect(stored.json<DryRun>().evaluations).toMatchObject({ count: 168, firing: 1 })
  expect((await client.post('/alert-rules/dry-run?days=31', body)).statusCode).toBe(400)
})

it.each`
  body                                                                    | status | says
  ${{ condition: { metric: 'temperature', window: '0m', threshold: 1 } }} | ${400} | ${'/condition/window'}
`('refuses $body', async ({ body, status, says }) => {
  const client = await givenClient(test)

  const response = await client.post('/alert-rules/dry-run', ruleBody(body as object))

  expect(response.statusCode).toBe(status)
  expect(response.body).toContain(says)
})

it('shows what rules about devices, sources, deployments and findings would do now', async () => {
  now = BEGIN + 24 * HOUR_MS
  const client = await givenClient(test)
  await givenDevices(client, DEVICES)
  await ctx.db
    .updateTable('devices')
    .set({ lastSeenAt: new Date(now - 2 * HOUR_MS) })
    .where('workspaceId', '=', client.workspaceId)
    .where('id', '=', 'a')
    .execute()
  const ofType = (type: string, condition: object) => ruleBody({ type, condition })

  const offline = await client.post(
    '/alert-rules/dry-run',
    ofType('DeviceOffline', { offlineFor: '1h' }),
  )
  const others = await Promise.all([
    client.post('/alert-rules/dry-run', ofType('NewVulnerabilityFinding', {})),
    client.post('/alert-rules/dry-run', ofType('VulnerabilitySourceStale', {})),
    client.post('/alert-rules/dry-run', ofType('DeploymentFailureRate', { thresholdPercent: 5 })),
    client.post('/alert-rules/dry-run', ofType('ComponentSupportEnding', {})),
    client.post('/alert-rules/dry-run', ofType('LicenceDenied', {})),
    client.post('/alert-rules/dry-run', ofType('SupportEnding', {})),
    client.post('/alert-rules/dry-run', ofType('CertificateEnding', {})),
    client.post('/alert-rules/dry-run', ofType('OldDeviceKey', {})),
    client.post('/alert-rules/dry-run', ofType('NewCrash', {})),
    client.post('/alert-rules/dry-run', ofType('CrashRate', { thresholdPercent: 1 })),
  ])

  expect(offline.json<DryRun>()).toMatchObject({
    evaluations: { count: 1, firing: 1 },
    firingSeriesCount: 1,
    firingSeries: [{ series: 'a' }],
  })
  expect(others.map(({ statusCode }) => statusCode)).toEqual(others.map(() => 200))
  expect((await client.get('/alert-rules')).json()).toEqual([])
  const left = await ctx.db
    .selectFrom('alertSeries')
    .select('series')
    .where('workspaceId', '=', client.workspaceId)
    .execute()
  expect(left).toEqual([])
})

it('refuses a rule that reads too many values', async () => {
  const client = await givenClient(test)
  const ids = Array.from({ length: 2_100 }, (_, index) => `device-${index}`)
  await givenDevices(client, ids)
  const time = new Date(now)
  const points = ids.map((deviceId) => ({ ...valuesOf(), deviceId, time, sum: 1 }))
  await givenPoints(ctx.db, { workspaceId: client.workspaceId, at: time }, points)

  const response = await client.post(
    '/alert-rules/dry-run',
    ruleBody({ evaluationFrequency: '1m' }),
  )

  expect(response.statusCode).toBe(400)
  expect(response.json<{ detail: string }>().detail).toContain('choose a cohort')
})

it('knows no rule of another workspace', async () => {
  const [one, other] = [await givenClient(test), await givenClient(test)]
  const rule = (await one.post('/alert-rules', ruleBody())).json<{ id: string }>()

  expect((await other.post(`/alert-rules/${rule.id}/dry-run`, {})).statusCode).toBe(404)
})
