/**
 * Fills a portfolio up to so many devices, as reports would leave them, with ninety days of what they ran. They run the versions that its own
 * devices run. Once; later calls leave them.
 */
import { sql } from 'kysely'
import type { AppContext } from '../server/src/platform/context.ts'

const FIRMWARES_RUNNING = 0.2
const DAYS = 90

export async function insertPortfolioDevices(
  ctx: AppContext,
  { workspaceId, devices }: { workspaceId: string; devices: number },
): Promise<void> {
  const { rows } =
    await sql`select from devices where workspace_id = ${workspaceId} and id like 'gw-%' limit 1`.execute(
      ctx.db,
    )
  if (rows.length > 0) return
  await ctx.db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await insertDevices({ ...ctx, db: tx }, workspaceId, devices)
    await insertCounts({ ...ctx, db: tx }, workspaceId)
    await insertDays({ ...ctx, db: tx }, workspaceId)
  })
  await ctx.db.connection().execute(async (db) => {
    await sql`set statement_timeout = 0`.execute(db)
    for (const table of ['devices', 'device_firmwares', 'firmware_set_daily_devices'])
      await sql`vacuum analyze ${sql.table(table)}`.execute(db)
  })
}

/** Where no version runs yet, a fifth of them does. Some run on many more devices than others. */
async function insertDevices({ db }: AppContext, workspaceId: string, wanted: number) {
  const { rows } = await sql<{ devices: number }>`
    select count(*)::int as devices from devices where workspace_id = ${workspaceId}`.execute(db)
  const there = rows[0]?.devices ?? 0
  const devices = Math.max(0, wanted - there)
  await sql`
    create temporary table bench_running on commit drop as
    select row_number() over (order by random()) - 1 as place, version.id, version.name, firmware.slug
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and case when ${there} = 0 then random() < ${FIRMWARES_RUNNING} else exists (
      select from device_firmwares as held
      where held.workspace_id = ${workspaceId} and held.firmware_version_id = version.id
    ) end`.execute(db)
  const ids = sql`select 'gw-' || lpad(number::text, 8, '0') as id, number from generate_series(1, ${devices}::int) as number`
  await sql`
    insert into devices (workspace_id, id, tags, created_at, first_seen_at, last_seen_at, door, connected, reported_at,
      effective_log_severity)
    select ${workspaceId}, id, array['site-' || number % 500], now(), now() - interval '90 days',
      now() - random() * interval '24 hours', 'Mqtt', number % 3 = 0, now(), 'Info'
    from (${ids}) as device`.execute(db)
  await sql`
    insert into device_firmwares (workspace_id, device_id, slug, version, since, firmware_version_id)
    select ${workspaceId}, device.id, running.slug, running.name, now() - interval '20 days', running.id
    from (${ids}) as device
    join bench_running as running
      on running.place = floor((select count(*) from bench_running) * power(device.number % 9973 / 9973.0, 2))`.execute(
    db,
  )
}

async function insertCounts({ db }: AppContext, workspaceId: string) {
  await db
    .deleteFrom('firmwareVersionDeviceCounts')
    .where('workspaceId', '=', workspaceId)
    .execute()
  await db.deleteFrom('firmwareSetDeviceCounts').where('workspaceId', '=', workspaceId).execute()
  await sql`
    insert into firmware_version_device_counts
    select ${workspaceId}, running.firmware_version_id, device.connected,
      floor(extract(epoch from device.last_seen_at) / 3600)::int, count(*)
    from device_firmwares as running
    join devices as device on device.workspace_id = running.workspace_id and device.id = running.device_id
    where running.workspace_id = ${workspaceId}
    group by 2, 3, 4`.execute(db)
  await sql`
    insert into firmware_set_device_counts
    select ${workspaceId}, array[firmware_version_id], count(*)
    from device_firmwares where workspace_id = ${workspaceId} group by 2`.execute(db)
}

async function insertDays({ db }: AppContext, workspaceId: string) {
  await db.deleteFrom('firmwareSetDailyDevices').where('workspaceId', '=', workspaceId).execute()
  await sql`
    insert into firmware_set_daily_devices
    select ${workspaceId}, current_date - age, firmware_version_ids, greatest(1, devices * (${DAYS} - age) / ${DAYS}),
      (array['Critical', 'High', 'Medium', 'Low', 'Clean'])[1 + abs(hashtext(firmware_version_ids::text)) % 5],
      hashtext(firmware_version_ids::text) % 7 = 0
    from firmware_set_device_counts
    cross join generate_series(1, ${DAYS}) as age
    where workspace_id = ${workspaceId}`.execute(db)
}
