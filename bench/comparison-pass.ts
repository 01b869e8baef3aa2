/**
 * Times one look of a worker at a roll-out to 2,000 and to 20,000 devices, with its database, and then what the portal asks for
 * (docs/design/budgets.md): `node bench/comparison-pass.ts [FOLDER]`. Half of the devices have the update, half of them wait; a week of
 * window, three metrics by the hour, log lines, runs, connections and crashes. As the service compares 2,000 devices of each group, only these
 * have values.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type RawBuilder, sql } from 'kysely'
import { compareDeployments } from '../server/src/features/comparisons/index.ts'
import { readComparison } from '../server/src/features/comparisons/plan.ts'
import { maintainTelemetry } from '../server/src/features/telemetry/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { addMs, DAY_MS, HOUR_MS, startOfHour } from '../server/src/formats/instants.ts'
import { OPERATOR } from '../server/src/platform/actor.ts'
import type { AppContext } from '../server/src/platform/context.ts'
import type { Tx } from '../server/src/platform/db/connect.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { declareOptionalFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { keepFigure } from './figures.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const SIZES = [2_000, 20_000]
const COMPARED = 2_000
const WINDOW_DAYS = 7
const METRICS = ['memory', 'battery', 'temperature']
const LINES_A_DAY = 10
const REQUESTS = 20
const BUDGET_MS = 100
const MOST_BLOCKING_MS = 100

interface Fleet {
  size: number
  workspaceId: string
  apiKey: string
  cohortId: string
  deploymentId: string
}

const given = readBenchArguments({ folder: declareOptionalFolder() })
const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'plimsoll-comparison-'))

const comparison = readComparison(
  {
    windowSeconds: (WINDOW_DAYS * DAY_MS) / 1_000,
    builtIn: ['Restarts', 'Crashes', 'LogErrors', 'ConnectionTime'],
    metrics: METRICS.map((name) => ({ name, worse: 'Higher' as const })),
  },
  '',
)
const PHASES = [
  { percent: 50, waitSeconds: 0, comparison },
  { percent: 100, waitSeconds: 0 },
]

async function givenFleet(ctx: AppContext, size: number): Promise<Fleet> {
  const made = await bootstrapWorkspace(ctx, {
    name: `Comparison of ${size}`,
    ownerEmail: 'comparison@example.com',
    actor: OPERATOR,
  })
  const fleet = { ...made, size, cohortId: crypto.randomUUID(), deploymentId: crypto.randomUUID() }
  await ctx.db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await insertRollOut(tx, fleet, ctx.now())
    await insertValues(tx, fleet, ctx.now())
  })
  return fleet
}

const runIn = (tx: Tx) => (statement: RawBuilder<unknown>) => statement.execute(tx)

/** Those with an even number have the update; they took it within three days, and their windows are over. */
async function insertRollOut(
  tx: Tx,
  { size, workspaceId, cohortId, deploymentId }: Fleet,
  now: Date,
): Promise<void> {
  const run = runIn(tx)
  const begin = addMs(now, -(WINDOW_DAYS + 4) * DAY_MS)
  const versionId = crypto.randomUUID()
  await run(sql`insert into firmwares (workspace_id, id, slug, name, created_at, updated_at)
    values (${workspaceId}, ${versionId}, 'gateway', 'Gateway', ${begin}, ${begin})`)
  await run(sql`insert into firmware_versions (workspace_id, id, firmware_id, name, created_at)
    values (${workspaceId}, ${versionId}, ${versionId}, '2.0', ${begin})`)
  await run(sql`insert into deployment_cohorts (workspace_id, id, name, created_at, updated_at)
    values (${workspaceId}, ${cohortId}, 'all', ${begin}, ${begin})`)
  await run(sql`insert into deployments (workspace_id, id, cohort_id, name, created_at, is_active, state, phases, phase_began_at,
      start_deadline_seconds, device_deadline_seconds, max_attempts)
    values (${workspaceId}, ${deploymentId}, ${cohortId}, 'to 2.0', ${begin}, true, 'Running', ${JSON.stringify(PHASES)}, ${begin},
      8640000, 8640000, 1)`)
  await run(sql`insert into deployment_artifacts (workspace_id, id, deployment_id, position, firmware_version_id, is_main)
    values (${workspaceId}, gen_random_uuid(), ${deploymentId}, 0, ${versionId}, true)`)
  await run(sql`insert into devices (workspace_id, id, cohort_id, created_at, effective_log_severity, first_seen_at, last_seen_at, door, run_ids)
    select ${workspaceId}, 'd' || number, ${cohortId}, ${addMs(begin, -30 * DAY_MS)}, 'Info', ${addMs(begin, -30 * DAY_MS)},
      ${now}::timestamptz - make_interval(mins => number % 60), 'Mqtt', '{r}'
    from generate_series(0, ${size}::int - 1) as number`)
  await run(sql`insert into device_updates (workspace_id, deployment_id, device_id, update_id, number, state, created_at, released_at,
      started_at, finished_at)
    select ${workspaceId}, ${deploymentId}, 'd' || number, gen_random_uuid(), 1,
      case when is_updated then 'succeeded' else 'pending' end, ${begin}, case when is_updated then ${begin}::timestamptz end,
      case when is_updated then at end, case when is_updated then at end
    from (select number, number % 2 = 0 as is_updated,
        ${begin}::timestamptz + make_interval(mins => number * 7919 % 4320) as at
      from generate_series(0, ${size}::int - 1) as number) as device`)
  await run(sql`insert into device_firmwares (workspace_id, device_id, slug, version, firmware_version_id, since)
    select workspace_id, device_id, 'gateway', '2.0', ${versionId}, finished_at
    from device_updates where workspace_id = ${workspaceId} and state = 'succeeded'`)
}

/** Of both groups those that the service draws. */
async function insertValues(
  tx: Tx,
  { workspaceId, deploymentId }: Fleet,
  now: Date,
): Promise<void> {
  const run = runIn(tx)
  const from = startOfHour(addMs(now, -(2 * WINDOW_DAYS + 5) * DAY_MS))
  const to = startOfHour(now)
  const hours = (to.getTime() - from.getTime()) / HOUR_MS
  const hour = sql`${from}::timestamptz + make_interval(hours => place)`
  await run(sql`create temporary table drawn on commit drop as
    select device_id from (select device_id, row_number() over (
        partition by state order by md5(device_id || deployment_id::text)) as place
      from device_updates where workspace_id = ${workspaceId} and deployment_id = ${deploymentId}) as device
    where place <= ${COMPARED}`)
  await run(sql`insert into metric_series (workspace_id, device_id, name, labels, label_names, digest, created_at, seen_at)
    select ${workspaceId}, device_id, name, '{}', '{}', sha256(name::bytea), ${from}, ${to}
    from drawn cross join unnest(${METRICS}::text[]) as name`)
  await run(sql`insert into metric_hours (workspace_id, series_id, time, sum, count, min, max, last, last_at)
    select ${workspaceId}, id, ${hour}, 6000 + 600 * random(), 60, 90, 120, 100, ${hour}
    from metric_series cross join generate_series(0, ${hours}::int - 1) as place where workspace_id = ${workspaceId}`)
  await run(sql`insert into device_logs (workspace_id, time, id, device_id, severity, message, labels)
    select ${workspaceId}, ${from}::timestamptz + (${to}::timestamptz - ${from}::timestamptz) * random(), gen_random_uuid(), device_id,
      case when line % 5 = 0 then 'Error' else 'Info' end, 'line ' || line, '{}'
    from drawn cross join generate_series(1, ${Math.round((LINES_A_DAY * hours) / 24)}::int) as line`)
  await run(sql`insert into device_presence_changes (workspace_id, device_id, at, kind)
    select ${workspaceId}, device_id, at + lasts * part, kind
    from drawn cross join lateral (select ${from}::timestamptz + make_interval(hours => 6 * place + abs(hashtext(device_id)) % 6) as at,
        interval '10 minutes' as lasts from generate_series(0, ${Math.floor(hours / 6) - 1}::int) as place) as event
    cross join (values ('Disconnected', 0), ('Started', 1), ('Connected', 1)) as change (kind, part)
    order by at`)
  await run(sql`insert into crash_devices (workspace_id, device_id, hour, reports_since)
    select ${workspaceId}, device_id, ${from}, ${from} from drawn`)
  await run(sql`insert into crash_device_hours (workspace_id, device_id, hour, kept_count, dropped_count, malformed_count, last_at)
    select ${workspaceId}, device_id, ${hour}, 1, 0, 0, ${hour}
    from drawn cross join lateral generate_series(abs(hashtext(device_id)) % 97, ${hours}::int - 1, 97) as place`)
}

async function measureLook(ctx: AppContext, { size, workspaceId, deploymentId }: Fleet) {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  delay.enable()
  await compareDeployments(ctx)
  delay.disable()
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const longest = delay.max / 1e6
  const { rows } = await sql<{ state: string; results: { verdict: string; updated: object }[] }>`
    select state, results from deployment_comparisons
    where workspace_id = ${workspaceId} and deployment_id = ${deploymentId}`.execute(ctx.db)
  keepFigure({ what: `a look at ${size} devices`, value: seconds, unit: 's' })
  keepFigure({
    what: `a look at ${size} devices holds up its worker for`,
    value: longest,
    unit: 'ms',
    most: MOST_BLOCKING_MS,
  })
  if (longest > MOST_BLOCKING_MS) process.exitCode = 1
  return {
    devices: size,
    state: rows[0]?.state,
    verdicts: rows[0]?.results.map(({ verdict }) => verdict).join(' '),
    seconds: seconds.toFixed(1),
    processor: ((user + system) / 1e6).toFixed(1),
    'held up, ms': longest.toFixed(0),
  }
}

async function timeRequests(ask: () => Promise<[number, string]>): Promise<number[]> {
  await ask()
  const times: number[] = []
  for (let turn = 0; turn < REQUESTS; turn++) times.push((await ask())[0])
  return times
}

const opened = await openBenchContext(folder)
const fleets: Fleet[] = []
const looks: object[] = []
try {
  const { ctx } = opened
  for (let day = 2 * WINDOW_DAYS + 6; day >= 0; day--)
    await maintainTelemetry({ ...ctx, now: () => addMs(new Date(), -day * DAY_MS) })
  for (const size of SIZES) {
    const fleet = await givenFleet(ctx, size)
    fleets.push(fleet)
    await ctx.pool.query('analyze')
    looks.push(await measureLook(ctx, fleet))
  }
} finally {
  console.table(looks)
  await opened.close()
}

const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})
try {
  const table: ReturnType<typeof formatTimes>[] = []
  for (const { size, cohortId, deploymentId, ...workspace } of fleets) {
    const timed = createTimedRequest({ url: service.url, ...workspace })
    const deployment = `/deployment-cohorts/${cohortId}/deployments/${deploymentId}`
    for (const [what, path] of [
      ['comparison', `${deployment}/comparison`],
      ['deployment', deployment],
    ] as const) {
      const times = await timeRequests(() => timed('GET', path))
      table.push(formatTimes(`${what} of ${size} devices`, times, BUDGET_MS))
    }
  }
  console.table(table)
} finally {
  await endProcess(service.child, 'SIGTERM')
}
