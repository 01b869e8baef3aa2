/** What `admin doctor` examines of devices: counts, links to firmware versions, connections. */
import { sql } from 'kysely'
import { splitIntoBatches } from '../../formats/batches.ts'
import { readImageHash } from '../../formats/provenance/image-hash.ts'
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
import { IMAGE_COUNTS, repairImageCounts } from './counts/store.ts'
import { changeImageHashes } from './intake/service.ts'
import { lockDevices } from './intake/store.ts'
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

interface ReportedImages {
  id: string
  attributes: Record<string, unknown>
  running: { slug: string; imageHash: string | null }[]
}

/** Devices that report hashes of images, or of which some are kept, in pages. */
async function* readReportedImages(db: Db, workspaceId: string): AsyncGenerator<ReportedImages[]> {
  for (let after = ''; ;) {
    const { rows } = await sql<ReportedImages>`
      select device.id, device.attributes, running.all as running
      from devices as device
      cross join lateral (
        select json_agg(json_build_object('slug', one.slug, 'imageHash', one.image_hash) order by one.slug) as all,
          count(one.image_hash) > 0 as has_image
        from device_firmwares as one where one.workspace_id = ${workspaceId} and one.device_id = device.id
      ) as running
      where device.workspace_id = ${workspaceId} and device.id > ${after} and running.all is not null
        and (running.has_image or device.attributes::text like '%imageHash%')
      order by device.id limit ${AT_ONCE}`.execute(db)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.id
  }
}

/** What is kept of a device's images, where its attributes state something else. */
const listWrongImages = ({ attributes, running }: ReportedImages) =>
  running.flatMap(({ slug, imageHash }) => {
    const stated = readImageHash(attributes, { slug, isAlone: running.length === 1 })
    return stated === imageHash ? [] : [{ slug, imageHash, stated }]
  })

const findWrongImages = (ctx: AppContext, workspaceId: string) =>
  readSnapshot(ctx, async (db) => {
    const faults: string[] = []
    for await (const page of readReportedImages(db, workspaceId))
      for (const device of page)
        for (const { slug, imageHash, stated } of listWrongImages(device))
          faults.push(
            `device ${device.id}: the image of ${slug} is kept as ${imageHash ?? 'not reported'} instead of ${stated ?? 'not reported'}`,
          )
    return summariseFaults(faults)
  })

async function repairImages(ctx: AppContext, workspaceId: string): Promise<void> {
  for await (const page of readReportedImages(ctx.db, workspaceId)) {
    const ids = page.filter((one) => listWrongImages(one).length > 0).map(({ id }) => id)
    if (ids.length > 0)
      await ctx.db
        .transaction()
        .execute(async (tx) =>
          changeImageHashes(tx, workspaceId, await lockDevices(tx, workspaceId, ids)),
        )
  }
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
    name: 'device-images',
    meaning: 'hashes of images are kept of devices as their attributes state them',
    find: findWrongImages,
    repair: repairImages,
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
  counts(IMAGE_COUNTS, {
    name: 'device-image-counts',
    meaning: 'devices by firmware version and reported image are what a recount gives',
    repair: ({ db }, workspaceId) => repairImageCounts(db, workspaceId),
  }),
]
