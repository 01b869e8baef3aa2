import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenRule } from '../../../../test/given-alert-rules.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { deleteOldAlerts } from './service.ts'
import { readAlertHealth } from '../store.ts'

const DAY_MS = 86_400_000
const NOW = new Date('2026-08-22T10:00:00Z')
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS)

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => NOW
})

async function givenEvaluations(
  { workspaceId }: Client,
  { ruleId, instants }: { ruleId: string; instants: Date[] },
): Promise<void> {
  await test.ctx.db
    .insertInto('alertEvaluations')
    .values(
      instants.map((at) => ({
        workspaceId,
        ruleId,
        id: crypto.randomUUID(),
        scheduledAt: at,
        evaluatedAt: at,
        windowStart: at,
        windowEnd: at,
        status: 'Ok',
        seriesCount: 0,
        valueCount: 0,
        firingCount: 0,
      })),
    )
    .execute()
}

async function countEvaluations(ruleId: string): Promise<number> {
  const rows = await test.ctx.db
    .selectFrom('alertEvaluations')
    .select('id')
    .where('ruleId', '=', ruleId)
    .execute()
  return rows.length
}

it('keeps the evaluations of two days, and the latest hundred', async () => {
  const client = await givenClient(test)
  const [busy, lazy] = [await givenRule(client), await givenRule(client)]
  const every = (minutes: number, count: number) =>
    Array.from({ length: count }, (_, at) => new Date(NOW.getTime() - at * minutes * 60_000))
  // 2,880 minutes are two days.
  await givenEvaluations(client, { ruleId: busy.id, instants: every(10, 300) })
  await givenEvaluations(client, { ruleId: lazy.id, instants: every(360, 150) })

  await deleteOldAlerts(test.ctx)

  expect(await countEvaluations(busy.id)).toBe(289)
  expect(await countEvaluations(lazy.id)).toBe(100)
})

it('keeps incidents that are open or ended within 400 days, with their series', async () => {
  const { workspaceId } = await givenClient(test)
  const given = async (beganAt: Date, endedAt: Date | null) => {
    const [id, ruleId] = [crypto.randomUUID(), crypto.randomUUID()]
    const rule = { ruleId, ruleName: 'x', ruleType: 'DeviceOffline', condition: '{}' }
    await test.ctx.db
      .insertInto('alertIncidents')
      .values({ workspaceId, id, ...rule, beganAt, endedAt })
      .execute()
    await test.ctx.db
      .insertInto('alertSeries')
      .values({ workspaceId, ruleId, incidentId: id, series: 'a', since: beganAt, until: endedAt })
      .execute()
    return id
  }
  const kept = [await given(daysAgo(500), null), await given(daysAgo(500), daysAgo(399))]
  await given(daysAgo(500), daysAgo(401))

  await deleteOldAlerts(test.ctx)

  const { db } = test.ctx
  const incidents = await db
    .selectFrom('alertIncidents')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .execute()
  const series = await db
    .selectFrom('alertSeries')
    .select('incidentId')
    .where('workspaceId', '=', workspaceId)
    .execute()
  expect(incidents.map(({ id }) => id).toSorted()).toEqual(kept.toSorted())
  expect(series.map(({ incidentId }) => incidentId).toSorted()).toEqual(kept.toSorted())
})

it('measures how long due rules have waited', async () => {
  const { db } = test.ctx
  await db.updateTable('alertRules').set({ nextEvaluationAt: null }).execute()
  const none = await readAlertHealth(db, NOW)
  await db
    .updateTable('alertRules')
    .set({ nextEvaluationAt: daysAgo(1) })
    .execute()

  const late = await readAlertHealth(db, NOW)

  expect(none).toEqual({ enabledRules: 0, firingRules: 0, lagSeconds: 0 })
  expect(late).toMatchObject({ lagSeconds: 86_400, firingRules: 0 })
})
