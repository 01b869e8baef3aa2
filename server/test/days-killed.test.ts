/** A worker that is killed while it packs days of sums, as after an upgrade that left many: no sum is lost or there twice. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { addMs, countDays, DAY_MS, startOfDay } from '../src/formats/instants.ts'
import { drawChance } from '../src/simulator/chance.ts'
import { startTestApp, type TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { type Client, givenClient } from './given.ts'
import { givenDevice, metrics, storeTelemetry } from './given-telemetry.ts'
import { isDeep } from './property-runs.ts'
import { endProcess, freePort, startServiceProcess } from './service-process.ts'

const { kills, days, series } = isDeep
  ? { kills: 25, days: 380, series: 40 }
  : { kills: 1, days: 6, series: 10 }
const HOURS = 24 * series

/** Rows of hours as releases before packed days left them: a partition a day, and the sums of an hour of a series. */
async function givenOldDays({ ctx }: TestApp, client: Client, begin: Date): Promise<void> {
  const device = await givenDevice(ctx, client.workspaceId)
  const values = Array.from({ length: series }, (_, place) => ({ name: `x${place}`, value: 0 }))
  await storeTelemetry(ctx, metrics(device, values))
  for (let day = 0; day < days; day += 1) {
    const from = startOfDay(countDays(begin) + day)
    const table = `metric_hours_${from.toISOString().slice(0, 10).replaceAll('-', '')}`
    await sql`create table if not exists ${sql.table(table)} partition of metric_hours
      for values from (${sql.lit(from.toISOString())}) to (${sql.lit(addMs(from, DAY_MS).toISOString())})`.execute(
      ctx.db,
    )
  }
  await sql`
    insert into metric_hours (workspace_id, series_id, time, sum, count, min, max, last, last_at)
    select workspace_id, id, time, id % 7, 1, id % 7, id % 7, id % 7, time
    from metric_series, generate_series(${begin}::timestamptz, ${addMs(begin, days * DAY_MS - 1)}, interval '1 hour') as time
    where workspace_id = ${client.workspaceId}`.execute(ctx.db)
}

async function countByDay(client: Client, from: Date): Promise<number[]> {
  const counts = Array.from({ length: days }, () => 0)
  for (let place = 0; place < series; place += 1) {
    const response = await client.post('/metrics/query', {
      metric: `x${place}`,
      aggregation: 'Count',
      from: from.toISOString(),
      to: addMs(from, days * DAY_MS).toISOString(),
      stepSeconds: DAY_MS / 1_000,
    })
    const answer = response.json<{ series: { points: { time: string; value: number }[] }[] }>()
    for (const { time, value } of answer.series.flatMap(({ points }) => points)) {
      const at = countDays(new Date(time)) - countDays(from)
      counts[at] = (counts[at] ?? 0) + value
    }
  }
  return counts
}

async function countRows({ ctx: { db } }: TestApp, from: Date) {
  const until = addMs(from, days * DAY_MS)
  const { rows } = await sql<{ left: number; packed: number }>`
    select (select count(*)::int from metric_hours where time >= ${from} and time < ${until}) as left,
      (select count(*)::int from metric_packed_days) as packed`.execute(db)
  return rows[0] ?? { left: 0, packed: 0 }
}

/** Keeps workers from packing the last series of the newest day until the result is called. */
async function holdUp({ connectionString }: TestApp, day: Date): Promise<() => Promise<unknown>> {
  const holder = new pg.Client({ connectionString })
  await holder.connect()
  closeAtEndOfFile(() => holder.end())
  await holder.query('begin')
  await holder.query(
    `insert into metric_packed_days (workspace_id, series_id, time, sums)
     select workspace_id, id, $1, '' from metric_series order by id desc limit 1`,
    [day],
  )
  return () => holder.query('rollback')
}

async function isHeldUp({ ctx: { db } }: TestApp): Promise<boolean> {
  const { rows } = await sql`select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query like '%metric_packed_days%'`.execute(db)
  return rows.length > 0
}

it(
  `keeps each sum once when a worker is killed while it packs days (${kills} times)`,
  { timeout: 180_000 + kills * 60_000 },
  async () => {
    const test = await startTestApp()
    const client = await givenClient(test)
    const from = startOfDay(countDays(test.ctx.now()) - days - 2)
    await givenOldDays(test, client, from)
    const newest = addMs(from, (days - 1) * DAY_MS)
    const all = Array.from({ length: days }, () => HOURS)
    const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-test-'))
    closeAtEndOfFile(() => rmSync(dataDir, { recursive: true, force: true }))
    const startWorker = async () => {
      const worker = await startServiceProcess({
        dataDir,
        port: await freePort(),
        managementPort: await freePort(),
        env: { DATABASE_URL: test.connectionString },
        args: ['--roles', 'worker'],
      })
      closeAtEndOfFile(() => endProcess(worker.child, 'SIGKILL'))
      return worker
    }
    expect(await countByDay(client, from)).toEqual(all)

    const release = await holdUp(test, newest)
    const first = await startWorker()
    await expect.poll(() => isHeldUp(test)).toBe(true)
    await endProcess(first.child, 'SIGKILL')
    expect(await countByDay(client, from)).toEqual(all)
    await release()
    for (let kill = 1; kill < kills; kill += 1) {
      const { packed } = await countRows(test, from)
      const worker = await startWorker()
      while ((await countRows(test, from)).packed === packed) await delay(5)
      await delay(150 * drawChance('days', 'kill', kill))
      await endProcess(worker.child, 'SIGKILL')
      expect(await countByDay(client, from)).toEqual(all)
    }
    await startWorker()
    while ((await countRows(test, from)).left > 0) await delay(20)

    expect(await countByDay(client, from)).toEqual(all)
    expect((await countRows(test, from)).packed).toBe(days * series)
  },
)
