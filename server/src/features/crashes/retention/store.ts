import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

interface CrashRetention {
  workspaceId: string
  logRetentionDays: number
  metricRetentionDays: number
}

/** Of workspaces with crashes. */
export async function listCrashRetentions(db: Db): Promise<CrashRetention[]> {
  const { rows } = await sql<CrashRetention>`
    select workspace.id as workspace_id, workspace.log_retention_days, workspace.metric_retention_days
    from workspaces as workspace
    where exists (select from crash_devices as crashed where crashed.workspace_id = workspace.id)
    order by workspace.id`.execute(db)
  return rows
}

export async function deleteReports(db: Db, workspaceId: string, before: Date): Promise<void> {
  await sql`
    delete from crash_reports where workspace_id = ${workspaceId} and time < ${before}`.execute(db)
}

/** Of devices, besides those of groups. */
export async function deleteDeviceCounts(db: Db, workspaceId: string, before: Date): Promise<void> {
  await sql`
    delete from crash_device_days
    where workspace_id = ${workspaceId} and upper(days) <= (${before}::timestamptz at time zone 'UTC')::date`.execute(
    db,
  )
  await sql`
    delete from crash_device_hours where workspace_id = ${workspaceId} and hour < ${before}`.execute(
    db,
  )
}
