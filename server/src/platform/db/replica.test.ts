/** A real streaming replica: reads go to it, see what was written before, and never fail because of it. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { startStandby } from '../../../test/standby.ts'
import { asking } from '../asking.ts'
import { createPool } from './connect.ts'
import { createFairPool } from './fair-pool.ts'
import { Replica } from './replica.ts'

const standby = await startStandby('create table written (n int)')
const { query } = standby

function openPool(name: 'primary' | 'replica', answerMs?: number) {
  const pool = createPool({
    connectionString: standby.urlOf(name),
    poolSize: 4,
    ...(answerMs !== undefined && { answerMs }),
    onError: () => undefined,
  })
  closeAtEndOfFile(() => pool.end())
  return pool
}

const REST_MS = 200
const ANSWER_MS = 300
const rests: string[] = []
const replica = new Replica({
  primary: openPool('primary'),
  replica: openPool('replica', ANSWER_MS),
  restMs: REST_MS,
  onRest: (reason) => rests.push(reason),
})
const reads = replica.poolOf({
  primary: createFairPool(openPool('primary'), { each: 4 }),
  replica: createFairPool(openPool('replica'), { each: 4 }),
})

/** One request: runs the statements one after another, and tells which server answered the last one. */
function request(...statements: string[]) {
  return asking.run({ workspaceId: 'w' }, async () => {
    const client = await reads.connect()
    try {
      for (const statement of statements) await client.query(statement, [])
      const { rows } = await client.query<{ n: number; onReplica: boolean }>(
        'select count(*)::int as n, pg_is_in_recovery() as "onReplica" from written',
        [],
      )
      return rows[0]
    } finally {
      client.release()
    }
  })
}

let written = 0
async function write(): Promise<number> {
  await query('primary', 'insert into written values (1)')
  written += 1
  return written
}

it('reads from the replica what was just written', async () => {
  for (let i = 0; i < 20; i += 1) {
    const n = await write()

    expect(await request()).toEqual({ n, onReplica: true })
  }
})

it('gives transactions, and what follows them, to the primary', async () => {
  const begun = await request('begin', 'insert into written values (1)', 'commit')
  written += 1

  expect(begun).toEqual({ n: written, onReplica: false })
})

it('gives a statement that writes to the primary', async () => {
  const answer = await request('insert into written values (1)')
  written += 1

  expect(answer).toEqual({ n: written, onReplica: false })
  expect(await request()).toEqual({ n: written, onReplica: true })
})

it('reads from the primary while the replica is behind, and from the replica again afterwards', async () => {
  await query('replica', 'select pg_wal_replay_pause()')
  const n = await write()

  expect(await request()).toEqual({ n, onReplica: false })

  await query('replica', 'select pg_wal_replay_resume()')
  await expect.poll(() => request()).toEqual({ n, onReplica: true })
  expect(rests).toContain('it is behind')
})

/** A request with a statement that waits for long on the replica, and not at all on the primary. */
async function longRequest(name: string): Promise<{ answer: ReturnType<typeof request> }> {
  const statement = `select case when pg_is_in_recovery() then pg_sleep(60) end as ${name} from written limit 1`
  const answer = request(statement)
  const running = `select 1 from pg_stat_activity where state = 'active' and query = '${statement}'`
  await expect.poll(() => query('replica', running)).toHaveLength(1)
  return { answer }
}

it('reads from the primary what a conflict with vacuum ends on the replica', async () => {
  const n = await write()
  const { failed } = replica.counts
  const running = await longRequest('conflicting')

  await query('primary', 'insert into written values (-1)', 'delete from written where n = -1')
  await query('primary', 'vacuum written')

  expect(await running.answer).toEqual({ n, onReplica: false })
  expect(replica.counts.failed).toBe(failed + 1)
  // It is no reason to leave the replica out, nor is a page that vacuum has filled to within a record.
  expect(await request()).toEqual({ n, onReplica: true })
})

it('reads from the primary when the host of the replica vanishes', async () => {
  const n = await write()
  const running = await longRequest('vanishing')
  const thaw = standby.freeze()

  expect(await request()).toEqual({ n, onReplica: false })
  expect(await running.answer).toEqual({ n, onReplica: false })
  thaw()
  await expect.poll(() => request()).toEqual({ n, onReplica: true })
})

it('fails no request when the replica is killed, and uses it when it is back', async () => {
  const n = await write()
  const running = await longRequest('killed')
  await standby.kill()

  expect(await running.answer).toEqual({ n, onReplica: false })
  expect(await request()).toEqual({ n, onReplica: false })
  expect(await replica.bytesBehind()).toBeUndefined()

  await standby.restart()
  await expect.poll(() => request()).toEqual({ n, onReplica: true })
})

it('asks once for requests that come together, and for each that comes later again', async () => {
  const n = await write()
  const all = await Promise.all(Array.from({ length: 20 }, () => request()))
  expect(all).toEqual(all.map(() => ({ n, onReplica: true })))

  for (let i = 0; i < 20; i += 1) {
    const [, next, last] = await Promise.all([request(), write(), delay(1).then(() => request())])
    expect(last?.n === next || last?.n === next - 1).toBe(true)
    expect(await request()).toEqual({ n: next, onReplica: true })
  }
})

it('tells how far the replica is behind', async () => {
  await query('replica', 'select pg_wal_replay_pause()')
  await write()
  expect(await replica.bytesBehind()).toBeGreaterThan(0)

  await query('replica', 'select pg_wal_replay_resume()')
  await expect.poll(() => replica.bytesBehind()).toBe(0)
})
