/** A real streaming replica: dear reads go to it, see what was written before, and never fail because of it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, it } from 'vitest'
import { closeAtEndOfFile } from '../../../test/end-of-file.ts'
import { asking } from '../asking.ts'
import { createPool } from './connect.ts'
import { findPostgresBinaries } from './embedded-binaries.ts'
import { findLaunchUser } from './embedded-launch.ts'
import { fairPool } from './fair-pool.ts'
import { ReplicaReads } from './replica.ts'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-replica-'))
closeAtEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
const bin = join(findPostgresBinaries(), 'bin')
const { prefix } = findLaunchUser(folder, findPostgresBinaries())
const environment = { ...process.env, LC_ALL: 'C' }

function run(...command: string[]): void {
  const [program = '', ...rest] = [...prefix, ...command]
  const { status, stderr } = spawnSync(program, rest, { env: environment, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

const SETTINGS = ['listen_addresses=', 'wal_level=replica', 'max_wal_senders=4', 'fsync=off']

function start(name: string): ChildProcess {
  const place = ['-D', join(folder, name), '-k', join(folder, `${name}-socket`)]
  const settings = [...SETTINGS, 'shared_buffers=16MB'].flatMap((setting) => ['-c', setting])
  const [program = '', ...rest] = [...prefix, join(bin, 'postgres'), ...place, ...settings]
  return spawn(program, rest, { env: environment, stdio: 'ignore' })
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGQUIT')
  await ended
}

const urlOf = (name: string) =>
  `postgres://postgres@localhost/postgres?host=${encodeURIComponent(join(folder, `${name}-socket`))}`

async function query(name: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(name) })
  client.on('error', () => undefined)
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function untilServing(name: string): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await query(name, 'select 1')
      return
    } catch (error) {
      if (tries === 200) throw error
      await delay(50)
    }
  }
}

for (const name of ['primary-socket', 'replica-socket'])
  run('mkdir', '-m', '700', join(folder, name))
run(
  join(bin, 'initdb'),
  '-D',
  join(folder, 'primary'),
  '--no-sync',
  '-U',
  'postgres',
  '-A',
  'trust',
)
const primaryServer = start('primary')
closeAtEndOfFile(() => stop(primaryServer))
await untilServing('primary')
await copyPrimary()
let replicaServer = start('replica')
closeAtEndOfFile(() => stop(replicaServer))
await untilServing('replica')

async function copyPrimary(): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf('primary') })
  await client.connect()
  await client.query(`create table written (n int)`)
  await client.query(`select pg_backup_start('copy', true)`)
  run('cp', '-r', join(folder, 'primary'), join(folder, 'replica'))
  const { rows } = await client.query<{ labelfile: string }>('select * from pg_backup_stop(false)')
  await client.end()
  const replica = join(folder, 'replica')
  rmSync(join(replica, 'postmaster.pid'))
  writeFileSync(join(replica, 'backup_label'), rows[0]?.labelfile ?? '')
  writeFileSync(join(replica, 'standby.signal'), '')
  appendFileSync(
    join(replica, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${join(folder, 'primary-socket')} user=postgres'\n`,
  )
}

function openPool(name: string) {
  const pool = createPool({ connectionString: urlOf(name), poolSize: 4, onError: () => undefined })
  closeAtEndOfFile(() => pool.end())
  return fairPool(pool, { each: 4 })
}

const REST_MS = 200
const reads = new ReplicaReads({
  primary: openPool('primary'),
  replica: openPool('replica'),
  restMs: REST_MS,
})

/** One request: runs the statements one after another, and tells which server answered the last one. */
function request(...statements: string[]) {
  return asking.run({ workspaceId: 'w', isSlow: true }, async () => {
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
  await delay(REST_MS)
  expect(await request()).toEqual({ n, onReplica: true })
})

it('fails no request when the replica is killed, and uses it when it is back', async () => {
  const n = await write()
  const running = request('select pg_sleep(0.3)')
  await delay(100)
  await stop(replicaServer)

  expect(await running).toEqual({ n, onReplica: false })
  expect(await request()).toEqual({ n, onReplica: false })

  rmSync(join(folder, 'replica/postmaster.pid'), { force: true })
  replicaServer = start('replica')
  await untilServing('replica')
  await delay(REST_MS)
  expect(await request()).toEqual({ n, onReplica: true })
  expect(reads.counts.fallback).toBeGreaterThan(0)
})
