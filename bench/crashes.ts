/**
 * Times the pages of crashes of a workspace with 100,000 crashes in 5,000 groups, and what the crashes of 1,000 devices in a loop cost
 * (docs/design/budgets.md): `node bench/crashes.ts [FOLDER]`.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { issueDeviceKey } from '../server/src/features/devices/index.ts'
import { OPERATOR } from '../server/src/platform/actor.ts'
import type { Tx } from '../server/src/platform/db/connect.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { declareOptionalFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { readUsage } from './fairness-processes.ts'
import { keepFigure } from './figures.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const GROUPS = 5_000
const CRASHES = 100_000
const DEVICES = 2_000
const VERSIONS = 20
const TURNS = 8
const BUDGET_MS = 200
/** Devices that crash once a second. */
const LOOPING = 1_000
const ROUNDS = 70
const AT_ONCE = 50

const given = readBenchArguments({ folder: declareOptionalFolder() })
const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'plimsoll-crashes-'))

const opened = await openBenchContext(folder)
const { ctx } = opened
const made = await bootstrapWorkspace(ctx, {
  name: 'Crashes',
  ownerEmail: 'crashes@example.com',
  actor: OPERATOR,
})
const { workspaceId } = made
const { deviceKey } = await issueDeviceKey(ctx, { workspaceId, actor: OPERATOR, name: 'all' })
await ctx.db.transaction().execute(fill)
await sql`analyze`.execute(ctx.db)
const { rows } = await sql<{ id: string }>`
  select id from firmware_versions where workspace_id = ${workspaceId} order by created_at`.execute(
  ctx.db,
)
const { rows: largest } = await sql<{ id: string }>`
  select id from crash_groups where workspace_id = ${workspaceId} and reason = 'crash 1'`.execute(
  ctx.db,
)
await opened.close()

/** The first groups have most of the crashes, as it is in the field. */
async function fill(tx: Tx): Promise<void> {
  const at = ctx.now()
  const run = async (statement: ReturnType<typeof sql>) => statement.execute(tx)
  await run(sql`insert into firmwares (workspace_id, id, slug, name, created_at, updated_at)
    values (${workspaceId}, gen_random_uuid(), 'gateway', 'Gateway', ${at}, ${at})`)
  await run(sql`insert into firmware_versions (workspace_id, id, firmware_id, name, created_at)
    select ${workspaceId}, gen_random_uuid(), firmware.id, '1.' || number || '.0', ${at}::timestamptz + make_interval(secs => number)
    from firmwares as firmware cross join generate_series(1, ${VERSIONS}::int) as number where workspace_id = ${workspaceId}`)
  await run(sql`insert into devices (workspace_id, id, created_at, effective_log_severity, first_seen_at, last_seen_at)
    select ${workspaceId}, 'd' || number, ${at}, 'Info', ${at}, ${at} from generate_series(0, ${DEVICES}::int - 1) as number`)
  await run(sql`insert into device_firmwares (workspace_id, device_id, slug, version, firmware_version_id, since)
    select ${workspaceId}, device.id, 'gateway', version.name, version.id, ${at}
    from devices as device
    join (select *, row_number() over (order by created_at) as number from firmware_versions where workspace_id = ${workspaceId}) as version
      on version.number = substr(device.id, 2)::int % ${VERSIONS}::int + 1
    where device.workspace_id = ${workspaceId}`)
  await run(sql`insert into crash_devices (workspace_id, device_id, hour, reports_since)
    select ${workspaceId}, id, ${at}, ${at} from devices where workspace_id = ${workspaceId} and substr(id, 2)::int % 4 > 0`)
  await run(sql`insert into crash_groups (workspace_id, id, firmware_id, signature, reason, frames, created_at)
    select ${workspaceId}, gen_random_uuid(), firmware.id, 'g' || number, 'crash ' || number, array['f' || number, 'main'], ${at}
    from firmwares as firmware cross join generate_series(1, ${GROUPS}::int) as number where workspace_id = ${workspaceId}`)
  await run(sql`insert into crash_stacks (workspace_id, id, signature, firmware_id, reason, addresses, group_id)
    select ${workspaceId}, gen_random_uuid(), signature, firmware_id, reason, '{}', id
    from crash_groups where workspace_id = ${workspaceId}`)
  await run(sql`create temporary table drawn as
    select stack.id as stack_id, version.id as version_id, 'd' || (crash.number % ${DEVICES}::int) as device_id,
      (${at}::timestamptz - make_interval(mins => (crash.number * 7) % 40000)) as time
    from (select number, 1 + floor(${GROUPS}::int * power(random(), 3))::int as of_group from generate_series(1, ${CRASHES}::int) as number) as crash
    join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.signature = 'g' || crash.of_group
    join (select *, row_number() over (order by created_at) as number from firmware_versions where workspace_id = ${workspaceId}) as version
      on version.number = crash.number % ${VERSIONS}::int + 1`)
  await run(sql`insert into crash_versions (workspace_id, stack_id, firmware_version_id, crash_count, first_seen_at, last_seen_at, first_received_at)
    select ${workspaceId}, stack_id, version_id, count(*), min(time), max(time), min(time) from drawn group by stack_id, version_id`)
  await run(sql`insert into crash_counts (workspace_id, stack_id, firmware_version_id, device_id, day, crash_count, last_at)
    select ${workspaceId}, stack_id, version_id, device_id, (time at time zone 'UTC')::date, count(*), max(time) from drawn group by 2, 3, 4, 5`)
  await run(sql`insert into crash_group_totals (workspace_id, group_id, crash_count, device_count, first_seen_at, last_seen_at)
    select ${workspaceId}, stack.group_id, count(*), count(distinct drawn.device_id), min(drawn.time), max(drawn.time)
    from drawn join crash_stacks as stack on stack.id = drawn.stack_id group by 2`)
  await run(sql`insert into crash_group_days (workspace_id, group_id, day, crash_count, device_count)
    select ${workspaceId}, stack.group_id, (drawn.time at time zone 'UTC')::date, count(*), count(distinct drawn.device_id)
    from drawn join crash_stacks as stack on stack.id = drawn.stack_id group by 2, 3`)
  await run(sql`insert into crash_reports (workspace_id, id, stack_id, device_id, time, firmware_version_id, frames)
    select ${workspaceId}, gen_random_uuid(), stack_id, device_id, time, version_id, '[]' from drawn`)
  await run(sql`insert into crash_device_hours (workspace_id, device_id, hour, kept_count, dropped_count, malformed_count, last_at)
    select ${workspaceId}, device_id, date_trunc('hour', time), count(*), 0, 0, max(time) from drawn group by 2, 3`)
  await run(sql`insert into crash_version_days (workspace_id, firmware_version_id, day, device_count, crashed_device_count, crash_count)
    select ${workspaceId}, version_id, (time at time zone 'UTC')::date, count(distinct device_id) * 3, count(distinct device_id), count(*) from drawn group by 2, 3`)
}

const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})
/** Seconds of processors that the service and its database have taken. */
function measureProcessors(): number {
  const { seconds: taken } = readUsage(service.child.pid ?? 0)
  return taken.service + taken.helpers + taken.database
}
const timed = createTimedRequest({ url: service.url, ...made })
const version = rows[VERSIONS / 2]?.id ?? ''
const PAGES = {
  'groups, last first': '/crash-groups?limit=100',
  'groups, by crashes': '/crash-groups?limit=100&sort=crashCount',
  'groups, by devices': '/crash-groups?limit=100&sort=deviceCount',
  'groups of a version': `/crash-groups?limit=100&firmwareVersionId=${version}`,
  'groups new since a version': `/crash-groups?limit=100&newSince=${version}`,
  'groups with a text': '/crash-groups?limit=100&q=f49',
  'the largest group': `/crash-groups/${largest[0]?.id ?? ''}`,
  'crashes of a version': `/firmware-versions/${version}/crashes`,
}
const table = []
for (const [what, path] of Object.entries(PAGES)) {
  const times: number[] = []
  await timed('GET', path)
  const before = measureProcessors()
  for (let turn = 0; turn < TURNS; turn++) times.push((await timed('GET', path))[0])
  // What a quiet machine takes, told also by one that has other work to do.
  const ms = ((measureProcessors() - before) * 1_000) / TURNS
  table.push({ ...formatTimes(what, times, BUDGET_MS), 'of processors': `${ms.toFixed(0)} ms` })
}
console.table(table)

/** Each with other addresses: more than the stacks that a workspace may have. */
const crashes = (device: number, round: number) => ({
  crashes: [{ reason: 'loop', pc: 1 + device * ROUNDS + round, runId: 'r', sequence: round }],
})

async function send(device: number, round: number): Promise<void> {
  const response = await fetch(`${service.url}/device/v1/${workspaceId}/d${device}/sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(crashes(device, round)),
  })
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
  await response.arrayBuffer()
}

const statuses = new Map<number, number>()
const startedAt = performance.now()
let next = 0
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < LOOPING * ROUNDS) {
      const one = next++
      await send(one % LOOPING, Math.floor(one / LOOPING))
    }
  }),
)
const seconds = (performance.now() - startedAt) / 1_000
const rate = (LOOPING * ROUNDS) / seconds
keepFigure({ what: 'crashes of devices in a loop', value: rate, unit: '/s' })
const after: number[] = []
for (let turn = 0; turn < TURNS; turn++)
  after.push((await timed('GET', PAGES['groups, last first']))[0])
const [, kept] = await timed('GET', '/crash-groups?limit=1')
const { totalCount, droppedCount } = JSON.parse(kept) as Record<string, number>
console.log(
  `${LOOPING} devices, ${ROUNDS} crashes each by HTTP: ${rate.toFixed(0)} a second, ${JSON.stringify([...statuses])}; ${totalCount} groups, ${droppedCount} crashes counted and not kept`,
)
console.table([formatTimes('groups, after the loop', after, BUDGET_MS)])
await endProcess(service.child, 'SIGTERM')
