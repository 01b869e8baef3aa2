/** Inserts series, points and alert rules directly, so that a test of the evaluation depends on nothing else. */
import { sql } from 'kysely'
import type { RuleCondition } from '../src/features/alert-rules/conditions/condition.ts'
import { parseDuration } from '../src/features/alert-rules/duration.ts'
import { findScheduledAfter } from '../src/features/alert-rules/schedule.ts'
import type { Db } from '../src/platform/db/connect.ts'
import { newId } from '../src/platform/ids.ts'

export interface GivenPoint {
  deviceId: string
  metric: string
  labels: Record<string, string>
  time: Date
  /** The sum that a device computed; without a count: the value of one point. */
  sum: number
  count: number | null
  min: number | null
  max: number | null
}

/** The devices have to exist; missing series are inserted. */
export async function givenPoints(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
  points: readonly GivenPoint[],
): Promise<void> {
  if (points.length === 0) return
  const column = (of: (point: GivenPoint) => unknown) => points.map(of)
  await sql`
    with given as materialized (
      select device_id, metric, labels::jsonb as labels, time::timestamptz(3) as time, sum, count, min, max,
        sha256(convert_to(metric || labels, 'UTF8')) as digest
      from unnest(
        ${column(({ deviceId }) => deviceId)}::text[], ${column(({ metric }) => metric)}::text[],
        ${column(({ labels }) => JSON.stringify(labels))}::text[],
        ${column(({ time }) => time.toISOString())}::text[],
        ${column(({ sum }) => sum)}::float8[], ${column(({ count }) => count)}::bigint[],
        ${column(({ min }) => min)}::float8[], ${column(({ max }) => max)}::float8[]
      ) as one (device_id, metric, labels, time, sum, count, min, max)
    ), series as (
      insert into metric_series
        (workspace_id, device_id, name, labels, label_names, digest, created_at, seen_at)
      select distinct on (device_id, digest) ${workspaceId}::uuid, device_id, metric, labels,
        array(select jsonb_object_keys(labels)), digest, ${at}::timestamptz, ${at}::timestamptz
      from given
      on conflict (workspace_id, device_id, digest) do update set seen_at = excluded.seen_at
      returning id, device_id, digest
    )
    insert into metric_points (workspace_id, series_id, time, sum, count, min, max)
    select ${workspaceId}, series.id, given.time, given.sum, given.count, given.min, given.max
    from given join series using (device_id, digest)`.execute(db)
}

export type GivenRule = RuleCondition & { evaluationFrequency: string }

/** An enabled rule that was created at this instant. */
export async function givenAlertRule(
  db: Db,
  { workspaceId, at }: { workspaceId: string; at: Date },
  rule: GivenRule,
): Promise<string> {
  const id = newId()
  const { type, condition, evaluationFrequency } = rule
  await db
    .insertInto('alertRules')
    .values({
      workspaceId,
      id,
      name: 'A rule',
      state: 'Enabled',
      type,
      condition: JSON.stringify(condition),
      evaluationFrequency,
      notifyResolved: true,
      createdAt: at,
      updatedAt: at,
      effectiveSince: at,
      nextEvaluationAt: findScheduledAfter(at, parseDuration(evaluationFrequency)),
    })
    .execute()
  return id
}
