/** A PostgreSQL server and a streaming replica of it, for the test file that calls this. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findPostgresBinaries } from '../src/platform/db/embedded-binaries.ts'
import { findLaunchUser } from '../src/platform/db/embedded-launch.ts'
import { closeAtEndOfFile } from './end-of-file.ts'

type Name = 'primary' | 'replica'

export interface Standby {
  urlOf: (name: Name) => string
  /** On a connection of its own. The rows of the last statement. */
  query: (name: Name, ...statements: string[]) => Promise<object[]>
  kill: () => Promise<void>
  /** After `kill`. */
  restart: () => Promise<void>
  /** The replica stops answering, as if its host had vanished, until the result is called. */
  freeze: () => () => void
}

// Conflicts with vacuum end statements of the replica at once.
const SETTINGS = [
  'listen_addresses=',
  'wal_level=replica',
  'max_wal_senders=4',
  'fsync=off',
  'shared_buffers=16MB',
  'max_standby_streaming_delay=0',
  'max_standby_archive_delay=0',
]

const bin = () => join(findPostgresBinaries().folder, 'bin')
const environment = { ...process.env, LC_ALL: 'C' }

class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'plimsoll-standby-'))
  readonly #prefix = findLaunchUser(this.path, findPostgresBinaries().folder).prefix

  run(...command: string[]): void {
    const [program = '', ...rest] = [...this.#prefix, ...command]
    const { status, stderr } = spawnSync(program, rest, { env: environment, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }

  start(name: Name): ChildProcess {
    const place = ['-D', join(this.path, name), '-k', this.socketOf(name)]
    const settings = SETTINGS.flatMap((setting) => ['-c', setting])
    const command = [...this.#prefix, join(bin(), 'postgres'), ...place, ...settings]
    const [program = '', ...rest] = command
    return spawn(program, rest, { env: environment, stdio: 'ignore' })
  }

  socketOf(name: Name): string {
    return join(this.path, `${name}-socket`)
  }

  urlOf(name: Name): string {
    return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(this.socketOf(name))}`
  }

  /** What has to give way to what the replica replays is asked again. */
  async query(name: Name, ...statements: string[]): Promise<object[]> {
    try {
      return await this.queryOnce(name, statements)
    } catch (error) {
      if (!/conflict with recovery/.test(String(error))) throw error
      return this.query(name, ...statements)
    }
  }

  private async queryOnce(name: Name, statements: readonly string[]): Promise<object[]> {
    const client = new pg.Client({ connectionString: this.urlOf(name) })
    client.on('error', () => undefined)
    await client.connect()
    try {
      let rows: object[] = []
      for (const statement of statements) ({ rows } = await client.query<object>(statement))
      return rows
    } finally {
      await client.end()
    }
  }

  async untilServing(name: Name): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await this.query(name, 'select 1')
        return
      } catch (error) {
        if (tries === 200) throw error
        await delay(50)
      }
    }
  }

  /** While the primary runs (PostgreSQL 18, section 25.3.3). */
  async copyPrimary(): Promise<void> {
    const client = new pg.Client({ connectionString: this.urlOf('primary') })
    await client.connect()
    await client.query(`select pg_backup_start('copy', true)`)
    const replica = join(this.path, 'replica')
    this.run('cp', '-r', join(this.path, 'primary'), replica)
    const { rows } = await client.query<{ labelfile: string }>(
      'select * from pg_backup_stop(false)',
    )
    await client.end()
    rmSync(join(replica, 'postmaster.pid'))
    writeFileSync(join(replica, 'backup_label'), rows[0]?.labelfile ?? '')
    writeFileSync(join(replica, 'standby.signal'), '')
    appendFileSync(
      join(replica, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=${this.socketOf('primary')} user=postgres'\n`,
    )
  }
}

/** `prepare` is run on the primary before it is copied. */
export async function startStandby(...prepare: string[]): Promise<Standby> {
  const folder = new Folder()
  closeAtEndOfFile(() => rmSync(folder.path, { recursive: true, force: true }))
  for (const name of ['primary', 'replica'] as const)
    folder.run('mkdir', '-m', '700', folder.socketOf(name))
  const cluster = ['-D', join(folder.path, 'primary'), '--no-sync', '-U', 'postgres', '-A', 'trust']
  folder.run(join(bin(), 'initdb'), ...cluster)
  const primary = folder.start('primary')
  closeAtEndOfFile(() => end(primary))
  await folder.untilServing('primary')
  await folder.query('primary', ...prepare)
  await folder.copyPrimary()
  let replica = folder.start('replica')
  closeAtEndOfFile(() => end(replica))
  await folder.untilServing('replica')
  return {
    urlOf: (name) => folder.urlOf(name),
    query: (name, ...statements) => folder.query(name, ...statements),
    kill: () => end(replica),
    restart: async () => {
      rmSync(join(folder.path, 'replica/postmaster.pid'), { force: true })
      replica = folder.start('replica')
      await folder.untilServing('replica')
    },
    freeze: () => {
      const pids = processesOf(replica)
      for (const pid of pids) signal(pid, 'SIGSTOP')
      return () => {
        for (const pid of pids) signal(pid, 'SIGCONT')
      }
    },
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGQUIT')
  await ended
}

/** A process of a connection may have ended meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** The server first, so that it starts no further ones. */
function processesOf({ pid = 0 }: ChildProcess): number[] {
  const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...others.map(Number)]
}

function parentOf(process: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${process}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
