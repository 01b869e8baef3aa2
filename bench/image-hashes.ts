/**
 * Times what a fleet's hashes of images cost, through the real service: `node bench/image-hashes.ts FOLDER [devices]` (default
 * 100,000). Creates a missing folder.
 *
 * Three workspaces with as many devices each, which all name one of 2,000 versions, each version with an image and six hashes of it.
 * `right`: they report its hash; `one other`: one hash that nobody uploaded; `each its own`: a hash that no other device has.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { CHECKS, examine } from '../server/src/admin/doctor.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import type { AppContext } from '../server/src/platform/context.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, declareFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const { folder, devices: DEVICES } = readBenchArguments({
  folder: declareFolder(),
  devices: countArgument(100_000),
})
const REQUESTS = 20
const VERSIONS = 2_000
const BUDGET_MS = 200
const COUNTS = new Set(['device-counts', 'device-set-counts', 'device-image-counts'])

const FLEETS = {
  right: sql`encode(sha256(convert_to('main 1', 'UTF8')), 'hex')`,
  'one other': sql`encode(sha256(convert_to('nobody', 'UTF8')), 'hex')`,
  'each its own': sql`encode(sha256(convert_to('own ' || number, 'UTF8')), 'hex')`,
}

interface Fleet {
  name: string
  workspaceId: string
  apiKey: string
  firmwareVersionId: string
}

async function insertVersions({ db }: AppContext, workspaceId: string): Promise<string> {
  await sql`insert into firmwares (workspace_id, id, slug, name, created_at, updated_at)
    values (${workspaceId}, gen_random_uuid(), 'main', 'main', now(), now())`.execute(db)
  await sql`
    insert into firmware_versions (workspace_id, id, firmware_id, name, created_at)
    select ${workspaceId}, gen_random_uuid(), firmware.id, number::text, now()
    from firmwares as firmware cross join generate_series(1, ${VERSIONS}::int) as number
    where firmware.workspace_id = ${workspaceId}`.execute(db)
  await sql`
    insert into firmware_artifacts
      (workspace_id, firmware_version_id, blob_id, file_name, size_bytes, sha256, sha1, md5, created_at)
    select ${workspaceId}, id, gen_random_uuid(), 'image.bin', 1, encode(sha256(convert_to('main ' || name, 'UTF8')), 'hex'), '', '', now()
    from firmware_versions where workspace_id = ${workspaceId}`.execute(db)
  await sql`
    insert into image_facts (workspace_id, firmware_version_id, blob_id, examiner_version, facts, awaits_key, examined_at)
    select ${workspaceId}, firmware_version_id, blob_id, 1000, json_build_object('format', 'NotKnown', 'signatures', '[]'::json,
      'hashes', (select json_agg(json_build_object('of', 'file ' || number, 'value', encode(sha256(convert_to(sha256 || number, 'UTF8')), 'hex')))
        from generate_series(1, 6) as number)), false, now()
    from firmware_artifacts where workspace_id = ${workspaceId}`.execute(db)
  const { rows } = await sql<{ id: string }>`
    select id from firmware_versions where workspace_id = ${workspaceId} and name = '1'`.execute(db)
  return rows[0]?.id ?? ''
}

/** Rows as reports would leave them. */
async function insertDevices(
  { db }: AppContext,
  { name, workspaceId, firmwareVersionId }: Fleet,
): Promise<void> {
  const ids = sql`select 'gw-' || lpad(number::text, 8, '0') as id, number from generate_series(1, ${DEVICES}::int) as number`
  await sql`
    insert into devices (workspace_id, id, created_at, first_seen_at, last_seen_at, door, reported_at, effective_log_severity)
    select ${workspaceId}, id, now(), now(), now() - random() * interval '24 hours', 'Mqtt', now(), 'Info'
    from (${ids}) as device`.execute(db)
  await sql`
    insert into device_firmwares (workspace_id, device_id, slug, version, since, firmware_version_id, image_hash)
    select ${workspaceId}, id, 'main', '1', now() - random() * interval '24 hours', ${firmwareVersionId},
      ${FLEETS[name as keyof typeof FLEETS]}
    from (${ids}) as device`.execute(db)
}

async function vacuum({ db }: AppContext): Promise<void> {
  await db.connection().execute(async (connection) => {
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`vacuum analyze`.execute(connection)
  })
}

async function prepare(): Promise<Fleet[]> {
  const file = join(folder, 'fleets.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Fleet[]
  mkdirSync(folder, { recursive: true })
  const { ctx, close } = await openBenchContext(folder)
  try {
    const fleets: Fleet[] = []
    for (const name of Object.keys(FLEETS)) {
      const { workspaceId, apiKey } = await bootstrapWorkspace(ctx, {
        name,
        ownerEmail: 'bench@example.com',
        actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
      })
      const firmwareVersionId = await insertVersions(ctx, workspaceId)
      const fleet = { name, workspaceId, apiKey, firmwareVersionId }
      await ctx.db.transaction().execute(async (tx) => {
        await sql`set local statement_timeout = 0`.execute(tx)
        await insertDevices({ ...ctx, db: tx }, fleet)
      })
      fleets.push(fleet)
    }
    // Without statistics a recount joins the devices one by one, for hours.
    await vacuum(ctx)
    // The doctor counts what was inserted, as the reports would have.
    await examine(ctx, {
      checks: CHECKS.filter(({ name }) => COUNTS.has(name)),
      workspaceIds: fleets.map(({ workspaceId }) => workspaceId),
      repairs: true,
      readsFiles: false,
      isDeep: false,
      onProgress: () => undefined,
    })
    await vacuum(ctx)
    writeFileSync(file, JSON.stringify(fleets))
    return fleets
  } finally {
    await close()
  }
}

const fleets = await prepare()
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})

async function measure({ name, workspaceId, apiKey, firmwareVersionId }: Fleet) {
  const timed = createTimedRequest({ url: service.url, workspaceId, apiKey })
  const list = (path: string, body: object) => () => timed('POST', path, { limit: 100, ...body })
  const asked: Record<string, () => Promise<[number, string]>> = {
    'chain of the version': () => timed('GET', `/firmware-versions/${firmwareVersionId}/chain`),
    'blind spots': list('/blind-spots/list', {}),
    'devices with a blind spot': list('/devices/list', { filter: { blindSpot: true } }),
    'longest unknown first': list('/devices/list', { sortColumn: 'UnknownSince' }),
    'device summary': () => timed('GET', '/device-summary'),
    overview: () => timed('GET', '/overview'),
  }
  const rows: ReturnType<typeof formatTimes>[] = []
  for (const [what, ask] of Object.entries(asked)) {
    await ask()
    const times: number[] = []
    for (let index = 0; index < REQUESTS; index++) times.push((await ask())[0])
    rows.push(formatTimes(`${name}: ${what}`, times, BUDGET_MS))
  }
  return rows
}

const table: ReturnType<typeof formatTimes>[][] = []
try {
  for (const fleet of fleets) table.push(await measure(fleet))
} finally {
  console.table(table.flat())
  await endProcess(service.child, 'SIGTERM')
}
