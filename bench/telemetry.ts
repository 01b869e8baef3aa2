/**
 * Times storing metrics, packing them and reading them, and measures bytes a point. Stores batches of 250 messages of 10,000 devices, one after another, as the gateway makes them. `node bench/telemetry.ts [FOLDER]`
 */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import type { DeviceReport } from '../server/src/features/devices/index.ts'
import {
  maintainTelemetry,
  storeReportedTelemetry,
} from '../server/src/features/telemetry/index.ts'
import type { AppContext } from '../server/src/platform/context.ts'
import { declareOptionalFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { measureDashboard, measurePacking } from './telemetry-packed.ts'
import { keepFigure } from './figures.ts'

const DEVICES = 10_000
const MESSAGES = 250
const SECONDS = 20

interface Shape {
  points: number
  sequenced: boolean
}

function batchOf(workspaceId: string, at: number, { points, sequenced }: Shape): DeviceReport[] {
  return Array.from({ length: MESSAGES }, (_, index) => {
    const message = at * MESSAGES + index
    const sequence = Math.floor(message / DEVICES)
    return {
      workspaceId,
      deviceId: `device-${message % DEVICES}`,
      door: 'Mqtt' as const,
      receivedAt: new Date(),
      message: {
        kind: 'metrics' as const,
        points: Array.from({ length: points }, (__, metric) => ({
          name: `metric_${metric}`,
          value: Math.random(),
          ...(sequenced && { sequence }),
        })),
      },
    }
  })
}

async function givenFleet(ctx: AppContext): Promise<string> {
  const { workspaceId } = await bootstrapWorkspace(ctx, {
    name: 'Bench',
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

/** Seconds of processor time that the database has spent for this process; Linux only. */
async function databaseSeconds({ pool }: AppContext): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  )
  return rows.reduce((sum, { pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return sum + (Number(fields[11]) + Number(fields[12])) / 100
  }, 0)
}

async function measure(ctx: AppContext, shape: Shape): Promise<void> {
  const workspaceId = await givenFleet(ctx)
  const store = async (at: number) => {
    const reports = batchOf(workspaceId, at, shape)
    const startedAt = performance.now()
    await ctx.db
      .transaction()
      .execute((tx) => storeReportedTelemetry(ctx, tx, { workspaceId, reports }))
    return performance.now() - startedAt
  }
  // The first message of each device creates its series and its run; the second one finds them.
  const warmUp = (2 * DEVICES) / MESSAGES
  for (let at = 0; at < warmUp; at++) await store(at)
  const times: number[] = []
  const cpu = process.cpuUsage()
  const database = await databaseSeconds(ctx)
  const startedAt = performance.now()
  while (performance.now() - startedAt < SECONDS * 1_000)
    times.push(await store(warmUp + times.length))
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  const perBatch = (used: number) => ((used * 1_000) / times.length).toFixed(1)
  const sorted = times.toSorted((a, b) => a - b)
  const percentile = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)
  const messages = (times.length * MESSAGES) / seconds
  const how = `${shape.points} points a message, ${shape.sequenced ? 'with' : 'without'} sequences`
  // One point a message measures messages.
  const least = shape.points === 1 ? undefined : shape.sequenced ? 60_000 : 100_000
  keepFigure({ what: how, value: messages * shape.points, unit: 'points/s', least })
  console.log(
    `${how}: ` +
      `${Math.round(messages)} messages/s, ${Math.round(messages * shape.points)} points/s ` +
      `(with 10 points a message at least ${shape.sequenced ? '60,000' : '100,000'}), ` +
      `a batch p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, ` +
      `processor time of a batch: ${perBatch((user + system) / 1e6)} ms here, ` +
      `${perBatch((await databaseSeconds(ctx)) - database)} ms in the database`,
  )
}

const given = readBenchArguments({ folder: declareOptionalFolder() })
const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'plimsoll-telemetry-'))
const opened = await openBenchContext(folder)
try {
  await maintainTelemetry(opened.ctx)
  for (const points of [1, 10])
    for (const sequenced of [false, true]) await measure(opened.ctx, { points, sequenced })
  await measurePacking(opened.ctx, await givenFleet(opened.ctx))
  await measureDashboard(opened.ctx, await givenFleet(opened.ctx))
} finally {
  await opened.close()
}
