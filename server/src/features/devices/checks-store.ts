/** What `admin doctor` examines of devices: counts, links to firmware versions, connections. */
import { sql } from 'kysely'
import { splitIntoBatches } from '../../formats/batches.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  addDifferences,
  type Check,
  type DerivedRows,
  summariseFaults,
  findDifferences,
  readSnapshot,
  type WorkspaceCheck,
  withoutTimeLimit,
} from '../../platform/doctor/check.ts'
import { listWithoutJob } from '../../platform/jobs/late-jobs.ts'
import { lockVersionNames } from '../firmware/index.ts'
import { ConfigurationChangeAsked } from './configuration/schemas.ts'
import { relinkDevices } from './service.ts'
import { listMislinkedFirmwares } from './firmware-links/store.ts'
import { disconnectSilentGateways } from './presence/service.ts'

/** Devices that were seen, with the known versions that they run. */
const seenDevices = (workspaceId: string) => sql`
  select device.id, device.connected, floor(extract(epoch from device.last_seen_at) / 3600)::int as seen_hour,
    array_agg(distinct running.firmware_version_id order by running.firmware_version_id) as firmware_version_ids
  from devices as device
  join device_firmwares as running
    on running.workspace_id = device.workspace_id and running.device_id = device.id
  where device.workspace_id = ${workspaceId} and device.last_seen_at is not null
    and running.firmware_version_id is not null
  group by device.id, device.connected, device.last_seen_at`

const VERSION_COUNTS: DerivedRows = {
  table: 'firmware_version_device_counts',
  keys: ['firmware_version_id', 'connected', 'seen_hour'],
  values: ['devices'],
  states: sql`devices <> 0`,
  expected: (workspaceId) => sql`
    select id as firmware_version_id, connected, seen_hour, count(*)::int as devices
    from (
      select unnest(firmware_version_ids) as id, connected, seen_hour from (${seenDevices(workspaceId)}) as device
    ) as running group by 1, 2, 3`,
}

const SET_COUNTS: DerivedRows = {
  table: 'firmware_set_device_counts',
  keys: ['firmware_version_ids'],
  values: ['devices'],
  states: sql`true`,
  expected: (workspaceId) => sql`
    select firmware_version_ids, count(*)::int as devices
    from (${seenDevices(workspaceId)}) as device group by 1`,
}

async function repairSetCounts({ db }: AppContext, workspaceId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await withoutTimeLimit(tx)
    await addDifferences(tx, SET_COUNTS, workspaceId)
    await tx
      .deleteFrom('firmwareSetDeviceCounts')
      .where('workspaceId', '=', workspaceId)
      .where('devices', '=', 0)
      .execute()
  })
}

const counts = (
  rows: DerivedRows,
  described: Pick<WorkspaceCheck, 'name' | 'meaning' | 'repair'>,
): WorkspaceCheck => ({
  scope: 'Workspace',
  find: (ctx, workspaceId) => readSnapshot(ctx, (db) => findDifferences(db, rows, workspaceId)),
  ...described,
})

const AT_ONCE = 1_000

async function listVersionIds(db: Db, workspaceId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('firmwareVersions')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

const findMislinked = (ctx: AppContext, workspaceId: string) =>
  readSnapshot(ctx, async (db) => {
    const faults: string[] = []
    for (const ids of splitIntoBatches(await listVersionIds(db, workspaceId), AT_ONCE))
      for (const { deviceId, slug, firmwareVersionId } of await listMislinkedFirmwares(
        db,
        workspaceId,
        ids,
      ))
        faults.push(
          `device ${deviceId}: what it calls ${slug} is ${firmwareVersionId ?? 'no version we know'}`,
        )
    return summariseFaults(faults)
  })

async function repairLinks(ctx: AppContext, workspaceId: string): Promise<void> {
  for (const firmwareVersionIds of splitIntoBatches(
    await listVersionIds(ctx.db, workspaceId),
    AT_ONCE,
  ))
    await ctx.db.transaction().execute(async (tx) => {
      await withoutTimeLimit(tx)
      await lockVersionNames(tx, workspaceId)
      await relinkDevices(tx, { workspaceId, firmwareVersionIds })
    })
}

/** A silent gateway is taken for dead after half a minute; every living one then disconnects its devices. */
const findDeadConnections = (ctx: AppContext, workspaceId: string) =>
  readSnapshot(ctx, async (db) => {
    const gateways = await db
      .selectFrom('gateways')
      .select('id')
      .where(sql<boolean>`beat_at >= now() - interval '5 minutes'`)
      .execute()
    const living = gateways.map(({ id }) => id)
    const rows = await db
      .selectFrom('devices')
      .select('id')
      .where('workspaceId', '=', workspaceId)
      .where('connected', '=', true)
      .where(sql<boolean>`coalesce(gateway_id <> all(${living}::uuid[]), true)`)
      .orderBy('id')
      .execute()
    return summariseFaults(
      rows.map(({ id }) => `device ${id} counts as connected to a gateway that is gone`),
    )
  })

/** Changes of the configuration of many devices that no job will carry on with. */
async function listForgottenChanges(db: Db, workspaceId: string): Promise<string[]> {
  const changes = await db
    .selectFrom('deviceConfigurationChanges')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('state', '=', 'InProgress')
    .orderBy('id')
    .execute()
  const forgotten = await listWithoutJob(db, changes, {
    messages: [ConfigurationChangeAsked],
    isMeant: sql`job.data ->> 'changeId' = asked.row ->> 'id'`,
  })
  return forgotten.map(({ id }) => id)
}

async function carryOnChanges(ctx: AppContext, workspaceId: string): Promise<void> {
  const ids = await listForgottenChanges(ctx.db, workspaceId)
  await ctx.db.transaction().execute(async (tx) => {
    for (const changeId of ids)
      await ctx.queue.enqueue(tx, ConfigurationChangeAsked, { workspaceId, changeId })
  })
}

export const deviceChecks: readonly Check[] = [
  {
    scope: 'Workspace',
    name: 'device-links',
    meaning: 'devices run the firmware versions that have the names they report',
    find: findMislinked,
    repair: repairLinks,
  },
  {
    scope: 'Workspace',
    name: 'device-connections',
    meaning: 'connected devices are connected to a gateway that lives',
    find: findDeadConnections,
    repair: async (ctx) => void (await disconnectSilentGateways(ctx)),
  },
  {
    scope: 'Workspace',
    name: 'configuration-jobs',
    meaning: 'changes of the configuration of many devices have a job that carries on with them',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, async (db) =>
        summariseFaults(
          (await listForgottenChanges(db, workspaceId)).map(
            (id) => `the configuration change ${id} is in progress, and has no job`,
          ),
        ),
      ),
    repair: carryOnChanges,
  },
  counts(VERSION_COUNTS, {
    name: 'device-counts',
    meaning: 'devices by firmware version, connection and hour are what a recount gives',
    repair: ({ db }, workspaceId) => addDifferences(db, VERSION_COUNTS, workspaceId),
  }),
  counts(SET_COUNTS, {
    name: 'device-set-counts',
    meaning: 'devices by the set of versions they run are what a recount gives',
    repair: repairSetCounts,
  }),
]
