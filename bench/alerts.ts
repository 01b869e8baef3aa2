/**
 * Times all evaluations of one minute: 1,000 rules on a one-minute schedule over 10,000 devices with 10 metrics each. The points
 * of the next minute arrive meanwhile. `node bench/alerts.ts [FOLDER]`
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { evaluateDueRules } from '../server/src/features/alert-evaluation/index.ts'
import type { MetricCondition } from '../server/src/features/alert-rules/index.ts'
import {
  maintainTelemetry,
  storeReportedTelemetry,
} from '../server/src/features/telemetry/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import type { AppContext } from '../server/src/platform/context.ts'
import { newId } from '../server/src/platform/ids.ts'
import { declareOptionalFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { keepFigure } from './figures.ts'

const DEVICES = 10_000
const METRICS = 10
const RULES = 1_000
const COHORTS = 10
const HISTORY_MINUTES = 70
const TICKS = 5
const BUDGET_SECONDS = 20
const MINUTE_MS = 60_000

const pick = <Value>(values: readonly Value[], at: number): Value => {
  const value = values[at % values.length]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

/** Values are spread evenly from 0 to 1: about one device in a thousand is above the highest thresholds. */
function conditionOf(at: number, cohortIds: readonly string[]): MetricCondition {
  const isPercentual = at % 5 === 0
  const aggregation = pick(['Average', 'Maximum', 'Last', 'Minimum', 'Sum', 'Count'] as const, at)
  const window = pick(['5m', '5m', '5m', '1m', '15m', '5m', '5m', '10m', '5m', '1h'] as const, at)
  const minutes = window === '1h' ? 60 : Number(window.slice(0, -1))
  const highest = { Sum: minutes * 0.999, Count: minutes + 1 } as Partial<Record<string, number>>
  return {
    metric: `metric_${Math.floor(at / 7) % METRICS}`,
    labels: at % 3 === 0 ? { unit: 'celsius' } : {},
    deploymentCohortId: at % 4 === 0 ? pick(cohortIds, at) : null,
    aggregation,
    groupBy: at % 10 === 9 ? 'None' : 'Device',
    operator: 'GreaterThan',
    threshold: (isPercentual ? 100_000 : (highest[aggregation] ?? 0.999)) + at * 1e-9,
    window,
    delaySeconds: 0,
    onNoData: pick(['Keep', 'Resolve', 'Fire'] as const, at),
  }
}

async function givenFleet(ctx: AppContext, until: Date): Promise<string> {
  const { workspaceId } = await bootstrapWorkspace(ctx, {
    name: 'Bench',
    ownerEmail: `bench-${crypto.randomUUID()}@example.com`,
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  const cohortIds = Array.from({ length: COHORTS }, () => newId())
  await ctx.pool.query(
    `insert into deployment_cohorts (workspace_id, id, name, created_at, updated_at)
     select $1, id, id::text, now(), now() from unnest($2::uuid[]) as id`,
    [workspaceId, cohortIds],
  )
  await ctx.pool.query(
    `insert into devices (workspace_id, id, created_at, effective_log_severity, cohort_id)
     select $1, 'device-' || number, now(), 'Info', ($3::uuid[])[1 + number % $4]
     from generate_series(0, $2 - 1) as number`,
    [workspaceId, DEVICES, cohortIds, COHORTS],
  )
  // The service creates the series; the points are inserted in bulk.
  await storeMinute(ctx, workspaceId, until)
  for (let minute = HISTORY_MINUTES; minute > 0; minute--)
    await ctx.pool.query(
      `insert into metric_points (workspace_id, series_id, time, sum)
       select $1, id, $2, random() from metric_series where workspace_id = $1`,
      [workspaceId, new Date(until.getTime() - minute * MINUTE_MS)],
    )
  await ctx.pool.query('vacuum analyze metric_points, metric_series, devices')
  const rules = Array.from({ length: RULES }, (_, at) => ({
    id: newId(),
    type: at % 5 === 0 ? 'MetricPercentualThreshold' : 'MetricFixedThreshold',
    condition: JSON.stringify(conditionOf(at, cohortIds)),
  }))
  await ctx.pool.query(
    `insert into alert_rules (workspace_id, id, name, state, type, condition, evaluation_frequency, notify_resolved,
       created_at, updated_at, effective_since, next_evaluation_at)
     select $1, id, 'Rule', 'Enabled', type, condition::jsonb, '1m', true, now(), now(), now(), $5
     from unnest($2::uuid[], $3::text[], $4::text[]) as given (id, type, condition)`,
    [
      workspaceId,
      rules.map(({ id }) => id),
      rules.map(({ type }) => type),
      rules.map(({ condition }) => condition),
      until,
    ],
  )
  return workspaceId
}

const BATCH = 250

/** One point of every metric of every device, as the doors would store them. */
async function storeMinute(ctx: AppContext, workspaceId: string, at: Date): Promise<void> {
  for (let first = 0; first < DEVICES; first += BATCH) {
    const reports = Array.from({ length: BATCH }, (_, index) => ({
      workspaceId,
      deviceId: `device-${first + index}`,
      door: 'Mqtt' as const,
      receivedAt: at,
      message: {
        kind: 'metrics' as const,
        points: Array.from({ length: METRICS }, (__, metric) => ({
          name: `metric_${metric}`,
          labels: { unit: 'celsius' },
          value: Math.random(),
        })),
      },
    }))
    await ctx.db
      .transaction()
      .execute((tx) => storeReportedTelemetry(ctx, tx, { workspaceId, reports }))
  }
}

const given = readBenchArguments({ folder: declareOptionalFolder() })
const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'plimsoll-alerts-'))
const opened = await openBenchContext(folder)
try {
  const { ctx } = opened
  await maintainTelemetry(ctx)
  const startedAt = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - TICKS * MINUTE_MS)
  const workspaceId = await givenFleet(ctx, startedAt)
  console.log(`${RULES} rules over ${DEVICES} devices × ${METRICS} metrics`)
  for (let tick = 0; tick < TICKS; tick++) {
    const now = new Date(startedAt.getTime() + tick * MINUTE_MS)
    // Points of the next minute arrive while this minute is evaluated.
    const arriving = storeMinute(ctx, workspaceId, now)
    const from = performance.now()
    await evaluateDueRules({ ...ctx, now: () => now })
    const seconds = (performance.now() - from) / 1_000
    await arriving
    keepFigure({
      what: 'all evaluations of a minute',
      value: seconds,
      unit: 's',
      most: BUDGET_SECONDS,
    })
    const { rows } = await ctx.pool.query<{ status: string; count: string }>(
      `select status, count(*) from alert_evaluations where workspace_id = $1 and scheduled_at = $2 group by 1 order by 1`,
      [workspaceId, now],
    )
    const outcome = rows.map(({ status, count }) => `${count} ${status}`).join(', ')
    console.log(
      `all evaluations of a minute: ${seconds.toFixed(1)} s (yardstick ≤ ${BUDGET_SECONDS} s): ${outcome}`,
    )
  }
} finally {
  await opened.close()
}
