/** Workers that are killed during evaluations: each instant is evaluated once, completely. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { listFaults } from './doctor.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { givenAlertRule, givenPoints, type GivenRule } from './given-alerts.ts'
import { isDeep } from './property-runs.ts'
import {
  endProcess,
  freePort,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts'

const KILLS = isDeep ? 4 : 2
const RULES_OF_A_WAVE = 120
const DEVICES = 60
const MINUTE = 60_000

const RULE: GivenRule = {
  type: 'MetricFixedThreshold',
  evaluationFrequency: '1m',
  condition: {
    metric: 'temperature',
    labels: {},
    deploymentCohortId: null,
    aggregation: 'Maximum',
    groupBy: 'Device',
    operator: 'GreaterThan',
    threshold: 80,
    window: '1h',
    delaySeconds: 0,
    onNoData: 'Keep',
  },
}

async function givenHotDevices({ ctx: { db } }: TestApp, workspaceId: string): Promise<void> {
  const at = new Date(Date.now() - 2 * MINUTE)
  const ids = Array.from({ length: DEVICES }, (_, index) => `device-${index}`)
  await db
    .insertInto('devices')
    .values(ids.map((id) => ({ workspaceId, id, createdAt: at, effectiveLogSeverity: 'Info' })))
    .execute()
  const hot = { metric: 'temperature', labels: {}, time: at, sum: 95 }
  const points = ids.map((deviceId) => ({ ...hot, deviceId, count: null, min: null, max: null }))
  await givenPoints(db, { workspaceId, at }, points)
}

/** A webhook without a server: the test looks only at the stored notifications. */
async function givenDeadWebhook({ ctx: { db } }: TestApp, workspaceId: string): Promise<string> {
  const id = crypto.randomUUID()
  const createdAt = new Date()
  const row = { name: 'Chat', url: 'https://127.0.0.1:9/', secret: Buffer.from('secret') }
  await db
    .insertInto('webhooks')
    .values({ workspaceId, id, ...row, state: 'Enabled', createdAt, updatedAt: createdAt })
    .execute()
  return id
}

/** Rules that are due for the first time. */
async function givenDueRules({ ctx: { db } }: TestApp, workspaceId: string, webhookId: string) {
  const at = new Date(Date.now() - MINUTE)
  await db.transaction().execute(async (tx) => {
    for (let made = 0; made < RULES_OF_A_WAVE; made += 1) {
      const ruleId = await givenAlertRule(tx, { workspaceId, at }, RULE)
      await tx
        .insertInto('alertRuleTargets')
        .values({ workspaceId, ruleId, position: 0, webhookId })
        .execute()
    }
  })
}

/** Whether a worker has written verdicts and not committed yet. */
async function isRecording({ ctx: { db } }: TestApp): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks as held join pg_stat_activity as backend using (pid)
    where held.relation in ('alert_series'::regclass, 'alert_incidents'::regclass)
      and held.mode = 'RowExclusiveLock' and held.granted
      and backend.datname = current_database()`.execute(db)
  return rows.length > 0
}

async function isDue({ ctx: { db } }: TestApp): Promise<boolean> {
  const { rows } = await sql`
    select from alert_rules where next_evaluation_at <= ${new Date()} limit 1`.execute(db)
  return rows.length > 0
}

it(
  `evaluates each instant once when workers are killed ${KILLS} times`,
  { timeout: 300_000 },
  async () => {
    const test = await startTestApp()
    const { db } = test.ctx
    const { workspaceId } = await test.givenWorkspace()
    await givenHotDevices(test, workspaceId)
    const webhookId = await givenDeadWebhook(test, workspaceId)
    const workers: ServiceProcess[] = []
    const end = () => Promise.all(workers.map(({ child }) => endProcess(child, 'SIGKILL')))
    closeAtEndOfFile(end)
    const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-test-'))
    const startWorkers = async () => {
      const settings = async () => ({
        dataDir,
        port: await freePort(),
        managementPort: await freePort(),
        env: { DATABASE_URL: test.connectionString },
        args: ['--roles', 'worker'],
      })
      workers.push(
        ...(await Promise.all(
          [await settings(), await settings()].map((of) => startServiceProcess(of)),
        )),
      )
    }
    await startWorkers()

    for (let kill = 0; kill < KILLS; kill += 1) {
      await givenDueRules(test, workspaceId, webhookId)
      while (!(await isRecording(test))) await delay(1)
      await end()
      await startWorkers()
    }
    while (await isDue(test)) await delay(50)
    await end()

    const { rows: rules } = await sql`
    select rule.next_evaluation_at = last.scheduled_at + interval '1 minute' as is_next_instant,
      rule.incident_id = incident.id as is_open, last.statuses,
      incident.began_at = last.first_at as is_begun_at_first, incident.ended_at,
      (select count(*)::int from alert_incidents
        where workspace_id = ${workspaceId} and rule_id = rule.id) as incidents,
      (select count(*)::int from alert_series
        where workspace_id = ${workspaceId} and rule_id = rule.id and incident_id = incident.id
          and until is null and since = incident.began_at) as series,
      (select count(*)::int from alert_series
        where workspace_id = ${workspaceId} and rule_id = rule.id) as all_series,
      (select array_agg(event_key = incident.id || ':fired') from notifications
        where workspace_id = ${workspaceId} and incident_id = incident.id) as notified
    from alert_rules as rule
      left join alert_incidents as incident
        on incident.workspace_id = rule.workspace_id and incident.rule_id = rule.id
      cross join lateral (
        select max(scheduled_at) as scheduled_at, min(scheduled_at) as first_at,
          array_agg(distinct status) as statuses
        from alert_evaluations where workspace_id = ${workspaceId} and rule_id = rule.id
      ) as last
    where rule.workspace_id = ${workspaceId}`.execute(db)
    expect(rules).toHaveLength(KILLS * RULES_OF_A_WAVE)
    const once = {
      isNextInstant: true,
      isOpen: true,
      statuses: ['Firing'],
      isBegunAtFirst: true,
      endedAt: null,
      incidents: 1,
      series: DEVICES,
      allSeries: DEVICES,
      notified: [true],
    }
    expect(rules.filter((rule) => !isDeepStrictEqual(rule, once))).toEqual([])
    expect(await listFaults(test.ctx)).toEqual([])
  },
)
