/** Devices and what they report of their configuration, without a door. */
import { sql } from 'kysely'
import { storeReportedConfigurations } from '../src/features/devices/index.ts'
import type { ConfigReport } from '../src/formats/device-messages/model.ts'
import type { AppContext } from '../src/platform/context.ts'

export async function givenDevices(
  { db, now }: AppContext,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    insert into devices (workspace_id, id, created_at, effective_log_severity)
    select workspaces.id, named.id, ${now()}, workspaces.default_log_severity
    from workspaces cross join unnest(${deviceIds}::text[]) as named (id)
    where workspaces.id = ${workspaceId}`.execute(db)
}

/** Reports in one transaction with the rows of the devices locked, as the intake does. */
export async function reportConfiguration(
  ctx: AppContext,
  workspaceId: string,
  reports: readonly (readonly [deviceId: string, config: ConfigReport])[],
): Promise<void> {
  const ids = reports.map(([deviceId]) => deviceId)
  await ctx.db.transaction().execute(async (tx) => {
    await sql`
      select from devices where workspace_id = ${workspaceId} and id = any(${ids}::text[])
      order by id for no key update`.execute(tx)
    await storeReportedConfigurations(tx, {
      workspaceId,
      reports: reports.map(([deviceId, config]) => ({
        workspaceId,
        deviceId,
        door: 'Http',
        receivedAt: ctx.now(),
        message: { kind: 'config', config },
      })),
    })
  })
}
