/**
 * Times storing log lines, reading their hours into stretches, and searching them; measures bytes a line.
 * `node bench/logs.ts [MILLIONS] [FOLDER]`
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeviceReport } from '../server/src/features/devices/index.ts'
import {
  maintainTelemetry,
  readLogHours,
  storeReportedTelemetry,
} from '../server/src/features/telemetry/index.ts'
import { listDeviceLogs } from '../server/src/features/telemetry/logs/service.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import type { AppContext } from '../server/src/platform/context.ts'
import { countArgument, declareOptionalFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { keepFigure } from './figures.ts'

const MILLION = 1_000_000
const DEVICES = 10_000
const DAYS = 5
const MESSAGES = 250
const LINES_OF_A_MESSAGE = 10
const SECONDS = 15

async function givenFleet(ctx: AppContext): Promise<string> {
  const { workspaceId } = await bootstrapWorkspace(ctx, {
    name: `Bench ${crypto.randomUUID()}`,
    ownerEmail: `bench-${crypto.randomUUID()}@example.com`,
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  await ctx.pool.query(
    `insert into devices (workspace_id, id, created_at, run_ids, effective_log_severity)
     select $1, 'device-' || number, now(), '{run-1}', 'Info' from generate_series(0, $2 - 1) as number`,
    [workspaceId, DEVICES],
  )
  return workspaceId
}

function reportsOf(workspaceId: string, at: number): DeviceReport[] {
  return Array.from({ length: MESSAGES }, (_, index) => ({
    workspaceId,
    deviceId: `device-${(at * MESSAGES + index) % DEVICES}`,
    door: 'Mqtt' as const,
    receivedAt: new Date(),
    message: {
      kind: 'logs' as const,
      lines: Array.from({ length: LINES_OF_A_MESSAGE }, (__, line) => ({
        severity: 'Info' as const,
        message: `sensor ${line}: read ${at * 7 + index} in ${(index * line) % 97} ms, queue ${at % 13}`,
      })),
    },
  }))
}

async function measureIntake(ctx: AppContext): Promise<void> {
  const workspaceId = await givenFleet(ctx)
  const begun = performance.now()
  let batches = 0
  for (; performance.now() - begun < SECONDS * 1_000; batches += 1) {
    const reports = reportsOf(workspaceId, batches)
    await ctx.db
      .transaction()
      .execute((tx) => storeReportedTelemetry(ctx, tx, { workspaceId, reports }))
  }
  const seconds = (performance.now() - begun) / 1_000
  const value = Math.round((batches * MESSAGES * LINES_OF_A_MESSAGE) / seconds)
  keepFigure({ what: 'lines stored', value, unit: 'lines/s' })
  console.log(`stored: ${value} lines/s`)
}

/** Lines as devices write them, with numbers and addresses in them; one in a million tells of a brownout. */
async function insertLines(ctx: AppContext, workspaceId: string, count: number): Promise<void> {
  const insert = (from: number, to: number, step: number) =>
    ctx.pool.query(
      `insert into device_logs (workspace_id, time, id, device_id, severity, message, labels)
       select $1, date_trunc('hour', now(), 'UTC') - interval '1 day' * $5 + interval '1 day' * $5 * (number::float8 / $6)
           - interval '2 hours', gen_random_uuid(), 'device-' || (number * 7919) % ${DEVICES}, 'Info',
         case when number % 1000000 = 500000 then 'brownout detector fired at ' || number % 4000 || ' mV'
           when number % 5 = 0 then 'wifi: connected to aa:bb:cc:' || to_hex(number % 65536) || ', rssi -' || number % 90
           when number % 5 = 1 then 'ota: chunk ' || number % 4096 || ' of 4096 written at 0x' || to_hex(number * 4096 % 16777216)
           when number % 5 = 2 then 'mqtt: published message ' || number % 65536 || ' to plimsoll/d/' || (number * 31) % 10000
           else 'sensor: temperature ' || (number % 800) / 10.0 || ' humidity ' || number % 100 || ' in ' || number % 37 || ' ms' end,
         '{}'
       from generate_series($2::bigint, $3, $4) as number`,
      [workspaceId, from, to, step, DAYS, count],
    )
  // A line of each hour, for which partitions are made.
  await insert(0, count - 1, Math.ceil(count / (DAYS * 24)))
  await maintainTelemetry(ctx)
  await ctx.pool.query('delete from device_logs where workspace_id = $1', [workspaceId])
  for (let from = 0; from < count; from += MILLION / 4)
    await insert(from, Math.min(count, from + MILLION / 4) - 1, 1)
  await ctx.pool.query('vacuum analyze device_logs')
  await ctx.pool.query(
    `insert into device_log_unread_hours (workspace_id, time, ready_at)
     select distinct $1::uuid, date_trunc('hour', time, 'UTC'), now() from device_logs where workspace_id = $1`,
    [workspaceId],
  )
}

async function searchAll(
  ctx: AppContext,
  workspaceId: string,
  contains: string,
  mostPages = 1_000,
) {
  const begun = performance.now()
  let found = 0
  let pages = 0
  let longest = 0
  for (let cursor: string | undefined; pages < mostPages;) {
    const pageBegun = performance.now()
    const page = await listDeviceLogs(ctx, {
      workspaceId,
      filter: { message: [{ contains }] },
      ...(cursor !== undefined && { cursor }),
    })
    longest = Math.max(longest, performance.now() - pageBegun)
    found += page.lines.length
    pages += 1
    if (!('nextCursor' in page)) break
    cursor = page.nextCursor
  }
  return { found, pages, longest, ms: performance.now() - begun }
}

async function tellSearches(ctx: AppContext, workspaceId: string, when: string): Promise<void> {
  for (const [text, pages] of [
    ['brownout', undefined],
    ['no such text', undefined],
    ['aa:bb:cc:1f2e', undefined],
    ['connected', 3],
  ] as const) {
    const { found, pages: read, longest, ms } = await searchAll(ctx, workspaceId, text, pages)
    keepFigure({ what: `${text}, ${when}`, value: Math.round(ms), unit: 'ms' })
    console.log(
      `${when}: "${text}": ${found} lines in ${read} pages, ${Math.round(ms)} ms, a page at most ${Math.round(longest)} ms`,
    )
  }
}

async function bytesOf(ctx: AppContext, table: string) {
  const { rows } = await ctx.pool.query<{ heap: string; indexes: string }>(
    `select sum(pg_table_size(relid)) as heap, sum(pg_indexes_size(relid)) as indexes from pg_partition_tree($1)`,
    [table],
  )
  return { heap: Number(rows[0]?.heap), indexes: Number(rows[0]?.indexes) }
}

async function measureSearch(ctx: AppContext, count: number): Promise<void> {
  const workspaceId = await givenFleet(ctx)
  const before = await bytesOf(ctx, 'device_logs')
  await insertLines(ctx, workspaceId, count)
  const after = await bytesOf(ctx, 'device_logs')
  const a = (bytes: number) => Math.round((bytes / count) * 10) / 10
  console.log(
    `a line: ${a(after.heap - before.heap)} bytes, its indexes ${a(after.indexes - before.indexes)}`,
  )
  await tellSearches(ctx, workspaceId, 'before its hours are read')
  const begun = performance.now()
  await readLogHours(ctx)
  const seconds = (performance.now() - begun) / 1_000
  const { heap, indexes } = await bytesOf(ctx, 'device_log_stretches')
  const rate = Math.round(count / seconds)
  keepFigure({ what: 'lines read into stretches', value: rate, unit: 'lines/s' })
  keepFigure({ what: 'stretches', value: a(heap + indexes), unit: 'bytes a line' })
  console.log(`read into stretches: ${rate} lines/s, ${a(heap + indexes)} bytes a line`)
  await tellSearches(ctx, workspaceId, 'afterwards')
}

const given = readBenchArguments({ millions: countArgument(5), folder: declareOptionalFolder() })
const opened = await openBenchContext(given.folder ?? mkdtempSync(join(tmpdir(), 'plimsoll-logs-')))
try {
  await maintainTelemetry(opened.ctx)
  await measureIntake(opened.ctx)
  await measureSearch(opened.ctx, given.millions * MILLION)
} finally {
  await opened.close()
}
