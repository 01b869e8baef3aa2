/** Counts of many workspaces for the operator's metrics, from kept counts but for devices, whose presence is an instant's. */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'

/** Those with the most devices, and how many others there are. */
export async function chooseWorkspaces(
  db: Db,
  most: number,
): Promise<{ workspaceIds: string[]; otherCount: number }> {
  const { rows } = await sql<{ id: string; total: number }>`
    select workspace.id, (count(*) over ())::int as total
    from workspaces as workspace
    left join workspace_usage as usage on usage.workspace_id = workspace.id and usage.quota = 'devices'
    order by coalesce(usage.used, 0) desc, workspace.id limit ${most}`.execute(db)
  return {
    workspaceIds: rows.map(({ id }) => id),
    otherCount: (rows[0]?.total ?? 0) - rows.length,
  }
}

export interface WorkspaceCount {
  name: string
  count: number
}

/** Else a statement that reads a large fleet takes more processors than its time tells. */
export async function useOneProcessor(tx: Db): Promise<void> {
  await sql`set local max_parallel_workers_per_gather = 0`.execute(tx)
}

/** By when they were last there, as the summary of devices says it. */
export async function countByPresence(
  db: Db,
  workspaceId: string,
  now: Date,
): Promise<WorkspaceCount[]> {
  const since = (hours: number) =>
    sql`(date_trunc('hour', ${now}::timestamptz, 'UTC') - make_interval(hours => ${hours}::int))`
  const away = sql`not connected and last_seen_at`
  const count = (condition: RawBuilder<unknown>) => sql`(count(*) filter (where ${condition}))::int`
  const { rows } = await sql<WorkspaceCount>`
    select each.name, each.count
    from (
      select ${count(sql`connected`)} as connected, ${count(sql`${away} >= ${since(24)}`)} as last_day,
        ${count(sql`${away} < ${since(24)} and last_seen_at >= ${since(168)}`)} as last_week,
        ${count(sql`${away} < ${since(168)}`)} as older, ${count(sql`last_seen_at is null`)} as never
      from devices where devices.workspace_id = ${workspaceId}
    ) as sums
    cross join lateral (values ('connected', sums.connected), ('last_day', sums.last_day), ('last_week', sums.last_week),
      ('older', sums.older), ('never', sums.never)) as each (name, count)`.execute(db)
  return rows
}

/** Active findings of all firmware versions. */
export async function countBySeverity(db: Db, workspaceId: string): Promise<WorkspaceCount[]> {
  const names = SEVERITIES.map((severity) => severity.toLowerCase())
  const sums = names.map((name) => sql`sum(counters.${sql.ref(name)}) as ${sql.ref(name)}`)
  const values = names.map((name) => sql`(${sql.lit(name)}, sums.${sql.ref(name)})`)
  const { rows } = await sql<WorkspaceCount>`
    select each.name, coalesce(each.count, 0)::int as count
    from (
      select ${sql.join(sums)} from firmware_version_counters as counters where counters.workspace_id = ${workspaceId}
    ) as sums
    cross join lateral (values ${sql.join(values)}) as each (name, count)`.execute(db)
  return rows
}

/** Updates of active deployments. */
export async function countByUpdateState(db: Db, workspaceId: string): Promise<WorkspaceCount[]> {
  const { rows } = await sql<WorkspaceCount>`
    select each.name, each.count
    from (
      select coalesce(sum(pending), 0)::int as pending, coalesce(sum(in_progress), 0)::int as in_progress,
        coalesce(sum(succeeded), 0)::int as succeeded, coalesce(sum(failed), 0)::int as failed,
        coalesce(sum(cancelled), 0)::int as cancelled
      from deployments where deployments.workspace_id = ${workspaceId} and deployments.is_active
    ) as sums
    cross join lateral (values ('pending', sums.pending), ('in_progress', sums.in_progress), ('succeeded', sums.succeeded),
      ('failed', sums.failed), ('cancelled', sums.cancelled)) as each (name, count)`.execute(db)
  return rows
}
