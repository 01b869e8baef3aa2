/** Finds out whether the resources and metrics that rules refer to exist. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { isUuid } from '../../../platform/ids.ts'

/** The ids that no row of the table has. */
export async function findMissingIds(
  db: Db,
  workspaceId: string,
  { table, ids }: { table: 'deploymentCohorts' | 'firmwares'; ids: readonly string[] },
): Promise<string[]> {
  const asked = [...new Set(ids)]
  const uuids = asked.filter(isUuid)
  if (asked.length === 0) return []
  const rows =
    uuids.length === 0
      ? []
      : await db
          .selectFrom(table)
          .select('id')
          .where('workspaceId', '=', workspaceId)
          .where(sql<boolean>`id = any(${uuids}::uuid[])`)
          .execute()
  const found = new Set(rows.map(({ id }) => id))
  return asked.filter((id) => !found.has(id.toLowerCase()))
}

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
