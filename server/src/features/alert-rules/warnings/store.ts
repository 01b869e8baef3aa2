/** Finds out whether the metrics that rules refer to exist. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export async function listUnknownMetrics(
  db: Db,
  workspaceId: string,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select asked.name from unnest(${names}::text[]) as asked (name)
    where not exists (
      select from metric_series as series
      where series.workspace_id = ${workspaceId} and series.name = asked.name)`.execute(db)
  return rows.map(({ name }) => name)
}

/** Distinct names. Each step finds the next name in the index, so that the series of a name are not read. */
export async function listMetricNames(
  db: Db,
  workspaceId: string,
  limit: number,
): Promise<string[]> {
  const next = sql`select name from metric_series where workspace_id = ${workspaceId}`
  const { rows } = await sql<{ name: string }>`
    with recursive names (name) as (
      (${next} order by name limit 1)
      union all
      select (${next} and metric_series.name > names.name order by name limit 1) from names where names.name is not null
    )
    select name from names where name is not null limit ${limit}`.execute(db)
  return rows.map(({ name }) => name)
}

export async function findMetricRetentionDays(db: Db, workspaceId: string): Promise<number> {
  const { metricRetentionDays } = await db
    .selectFrom('workspaces')
    .select('metricRetentionDays')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return metricRetentionDays
}
