/**
 * Two nodes behind HAProxy are brought from this release to the next one and to the one after it, one node after the other,
 * as docs/guide/upgrade.md says, while clients read and write. No request may fail.
 *
 * The old release is these sources as they are. The two newer ones are made up, as there is no former release whose schema
 * changed in several steps: their code has two columns of devices and SBOMs under new names. So old code runs on a newer
 * schema, and beside code that differs from it. All else is the same: the rest of the code, the packages, the queue, the
 * code of the two newer ones (rolling/releases.ts).
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importFeeds } from '../src/features/advisories/index.ts'
import { migrate } from '../src/platform/db/migrate.ts'
import { isOfCitus } from './citus.ts'
import { createTestDatabase } from './database.ts'
import { OF_TEST_SERVER } from './doctor.ts'
import { beside, givenKeys } from './drill/installation.ts'
import { hasHaproxy } from './haproxy.ts'
import { type Load, METRIC, startLoad } from './rolling/load.ts'
import { type Nodes, startNodes } from './rolling/nodes.ts'
import { CONTRACT, EXPAND, FILL, makeLaterRelease, makeNextRelease } from './rolling/releases.ts'
import { runAdmin } from './service-process.ts'
import { type Caller, keyCaller, made } from './upgrade/caller.ts'
import { cycloneDx, firstNews, TIDE } from './upgrade/documents.ts'
import { deviceCaller } from './upgrade/fleet.ts'
import { findFinding, settled } from './upgrade/software.ts'

const OLD = resolve(import.meta.dirname, '../..')
const HOUR_MS = 3_600_000
/** Everything that was uploaded is matched. */
const PATIENT = { timeout: 600_000 }
/** Devices of the old version, whose rows the upgrade must complete. */
const OLD_DEVICES = 2_000

async function whyNot(): Promise<string | undefined> {
  if (!hasHaproxy) return 'no haproxy'
  const { connectionString } = await createTestDatabase()
  const pool = new pg.Pool({ connectionString, max: 1 })
  const isSpread = await isOfCitus(pool)
  await pool.end()
  return isSpread ? 'tables on several nodes have no triggers' : undefined
}

const OBSTACLE = await whyNot()
if (OBSTACLE !== undefined)
  process.stderr.write(`rolling-upgrade.test.ts is skipped: ${OBSTACLE}\n`)

interface Ground {
  caller: Caller
  deviceKey: string
  firmwareId: string
  firmwareVersionId: string
  findingId: string
  /** What was uploaded before. */
  sbomId: string
}

describe.skipIf(OBSTACLE !== undefined)('two nodes behind a balancer', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-rolling-'))
  let database: pg.Pool
  let shared: { dataDir: string; env: Record<string, string> }
  let next: string
  let nodes: Nodes
  let ground: Ground
  let load: Load

  beforeAll(async () => {
    const { connectionString } = await createTestDatabase()
    database = new pg.Pool({ connectionString, max: 2 })
    shared = {
      dataDir: join(folder, 'data'),
      env: { DATABASE_URL: connectionString, PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0' },
    }
    next = makeNextRelease(folder)
    const keys = await givenWorkspace()
    nodes = await startNodes(shared, OLD)
    const caller = keyCaller(nodes.url, { workspaceId: keys.workspaceId, key: keys.apiKey })
    ground = await layGround(caller, keys.deviceKey)
    const { mqttUrl } = nodes
    load = startLoad({ ...ground, mqttUrl, device: deviceCaller(caller, keys.deviceKey) })
    await load.someOfEach()
  })

  afterAll(async () => {
    await load.stop()
    await nodes.end()
    await database.end()
    rmSync(folder, { recursive: true, force: true })
  })

  async function givenWorkspace() {
    const news = join(folder, 'news')
    mkdirSync(news)
    for (const [name, text] of Object.entries(firstNews())) writeFileSync(join(news, name), text)
    const settings = { ...shared, port: 0, managementPort: 0 }
    return givenKeys({
      beside: (use) =>
        beside(settings, async (ctx) => {
          await importFeeds(ctx, { path: news, onProgress: () => undefined })
          return use(ctx)
        }),
    })
  }

  /** An operator's command of a release. */
  const admin = (sources: string, ...args: string[]) =>
    runAdmin({ ...shared, port: 0, managementPort: 0, sources }, ...args)

  /** What `migrate --check` of a release tells: the migrations with what they do to tables. */
  async function planOf(sources: string) {
    const { code, stdout, stderr } = await admin(sources, 'migrate', '--check', '--json')
    expect([code, stderr]).toEqual([0, ''])
    const { migrations } = JSON.parse(stdout) as {
      migrations: { name: string; tables: { table: string; effect: string }[] }[]
    }
    return migrations.map(({ name, tables }) => [
      name,
      Object.fromEntries(tables.map(({ table, effect }) => [table, effect])),
    ])
  }

  async function replace(node: 'node1' | 'node2', sources: string): Promise<void> {
    await nodes.stop(node)
    await nodes.start(node, sources)
    await load.someOfEach()
  }

  /** Devices and SBOMs by whether both releases find the same in them. */
  const listSteps = () =>
    read<{ table: string; same: boolean }>(`
      select 'devices' as "table", recent_run_ids is not distinct from run_ids as same from devices
      union select 'sboms', read_at is not distinct from parsed_at from sboms order by 1, 2`)

  const read = async <Row extends pg.QueryResultRow>(text: string) =>
    (await database.query<Row>(text)).rows

  /** Whether the migration waits for a lock. */
  const isWaited = async () =>
    (
      await read(`select from pg_stat_activity where datname = current_database()
        and application_name = 'plimsoll-admin' and wait_event_type = 'Lock'`)
    ).length > 0

  const IN_STEP = [
    { table: 'devices', same: true },
    { table: 'sboms', same: true },
  ]

  it('tell beforehand what the next release does to the database', async () => {
    const before = await read('select name from schema_migrations')

    const plan = await planOf(next)

    expect(plan).toEqual([
      [EXPAND, { devices: 'locks', sboms: 'locks' }],
      [FILL, { devices: 'changes rows', sboms: 'changes rows' }],
    ])
    expect(await read('select name from schema_migrations')).toEqual(before)
  })

  it('go on with their code when the next release has migrated, and do not start again', async () => {
    const user = await database.connect()
    await user.query('begin; select from devices limit 1')

    const migrating = admin(next, 'migrate')
    await expect.poll(isWaited, { interval: 20 }).toBe(true)
    // A request that reads devices for long holds up the migration, and nobody else.
    await load.someOfEach()
    await user.query('commit')
    user.release()
    const { code, stderr } = await migrating
    await load.someOfEach()

    expect(code).toBe(0)
    expect(stderr).toContain(`${EXPAND} waits for tables that are in use`)
    expect(await listSteps()).toEqual(IN_STEP)
    // What every start of this release does first.
    await expect(migrate(database)).rejects.toThrow(
      `migrated by a newer release: it holds ${EXPAND}`,
    )
  })

  it('are replaced one after the other', async () => {
    await replace('node1', next)
    const besideEachOther = await listSteps()
    await replace('node2', next)

    expect(besideEachOther).toEqual(IN_STEP)
    expect(await listSteps()).toEqual(IN_STEP)
  })

  it('lose what their code does not use any more when the release after that starts', async () => {
    const later = makeLaterRelease(next)
    const plan = await planOf(later)
    await replace('node1', later)

    expect(plan).toEqual([[CONTRACT, { devices: 'reads all rows', sboms: 'locks' }]])
    await expect(read('select run_ids from devices')).rejects.toThrow('does not exist')
    await expect(read('select parsed_at from sboms')).rejects.toThrow('does not exist')
  })

  it('have refused no request, and have all that was accepted once', PATIENT, async () => {
    await load.stop()
    const { accepted, failures } = load
    const sboms = await settled(ground.caller, [ground.firmwareVersionId])
    const uploaded = sboms.filter(({ id }) => id !== ground.sbomId)
    const devices = await read<{ id: string; description: string }>(
      "select id, description from devices where id like 'kept-%'",
    )
    const runs = await read<{ run: string }>(
      "select device_id || ' ' || run_id as run from device_runs",
    )
    const doctor = await admin(next, 'doctor', '--json')

    if (failures.length > 0) process.stderr.write(nodes.balancerLog())
    expect(failures).toEqual([])
    expect(nodes.errors()).toEqual([])
    expect(new Map(devices.map(({ id, description }) => [id, description]))).toEqual(
      accepted.devices,
    )
    expect(runs.map(({ run }) => run).toSorted()).toEqual([...accepted.runs].toSorted())
    expect(uploaded.map(({ id }) => id).toSorted()).toEqual(accepted.sboms.toSorted())
    expect(new Set(sboms.map(({ parsingState }) => parsingState))).toEqual(new Set(['Succeeded']))
    expect(await listDecisions(ground)).toEqual(accepted.decisions)
    expect(await countPoints(ground)).toBe(accepted.points)
    // No release has what the made-up migrations made.
    expect(faultsIn(doctor.stdout)).toEqual(['schema', ...OF_TEST_SERVER])
  })
})

function faultsIn(report: string): string[] {
  const { checks } = JSON.parse(report) as { checks: { name: string; state: string }[] }
  return checks.flatMap(({ name, state }) => (state === 'Clean' ? [] : [name]))
}

async function listDecisions({ caller, findingId }: Ground): Promise<(string | null)[]> {
  const { timeline } = await made<{ timeline: { assessment?: { detail: string | null } }[] }>(
    caller,
    `{ws}/vulnerability-findings/${findingId}`,
  )
  return timeline.flatMap(({ assessment }) => assessment?.detail ?? [])
}

async function countPoints({ caller }: Ground): Promise<number> {
  const now = Date.now()
  const { series } = await made<{ series: { points: { value: number }[] }[] }>(
    caller,
    '{ws}/metrics/query',
    {
      metric: METRIC,
      aggregation: 'Count',
      from: new Date(now - HOUR_MS).toISOString(),
      to: new Date(now + HOUR_MS).toISOString(),
    },
  )
  return series.flatMap(({ points }) => points).reduce((sum, { value }) => sum + value, 0)
}

async function layGround(caller: Caller, deviceKey: string): Promise<Ground> {
  const { id: firmwareId } = await made(caller, '{ws}/firmwares', { slug: 'beacon' })
  const versions = `{ws}/firmwares/${firmwareId}/versions`
  const { id: firmwareVersionId } = await made(caller, versions, { name: '1.0.0' })
  const uploaded = await made<{ sboms: { id: string }[] }>(
    caller,
    `{ws}/firmware-versions/${firmwareVersionId}/sboms?fileName=0.json`,
    cycloneDx('0.0.0', [TIDE('1.0.0')]),
  )
  const findingId = await findFinding(caller, firmwareVersionId, 'CVE-2026-90001')
  for (let begin = 0; begin < OLD_DEVICES; begin += 1_000) {
    const devices = Array.from({ length: 1_000 }, (_, index) => ({ id: `old-${begin + index}` }))
    await made(caller, '{ws}/devices/import', { devices })
  }
  const sbomId = uploaded.sboms[0]?.id ?? ''
  return { caller, deviceKey, firmwareId, firmwareVersionId, findingId, sbomId }
}
