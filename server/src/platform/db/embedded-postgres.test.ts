import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { endService, isAlive, RUNNER, runService } from '../../../test/embedded-service.ts'
import { createPool } from './connect.ts'
import { findPostgresBinaries } from './embedded-binaries.ts'
import { findSocketFolder } from './embedded-folder.ts'
import {
  connectOrStartEmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts'
import { migrate } from './migrate.ts'

const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
const isRoot = process.geteuid?.() === 0
const isLinux = process.platform === 'linux'
const nobodyReachesUs =
  isRoot && isLinux && spawnSync('setpriv', [...NOBODY.slice(1), 'test', '-r', RUNNER]).status === 0

const folders: string[] = []
const dataDirs: string[] = []
afterAll(() => {
  for (const folder of dataDirs.map(findSocketFolder))
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-embedded-'))
  folders.push(folder)
  return folder
}

function given(dataDir: string, more?: Partial<EmbeddedPostgresOptions>): EmbeddedPostgresOptions {
  dataDirs.push(dataDir)
  return { dataDir, log: () => undefined, lockWaitSeconds: 5, ...more }
}

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}

it('creates a durable database at the first start and finds it again at the next', async () => {
  const dataDir = join(givenFolder(), 'postgres')
  const progress: string[] = []
  const options = given(dataDir, { onProgress: (text) => progress.push(text) })

  const first = await startEmbeddedPostgres(options)
  const settings = await query(
    first.connectionString,
    `select current_setting('fsync') as fsync, current_setting('listen_addresses') as tcp,
       current_setting('server_version_num')::int / 10000 as version, datcollate, datlocale,
       pg_encoding_to_char(encoding) as encoding from pg_database where datname = current_database()`,
  )
  await query(first.connectionString, 'create table kept as select 42 as answer')
  await query(first.connectionString, 'alter system set synchronous_commit = off')
  await query(first.connectionString, 'alter system set ssl = on')
  await first.stop()
  const second = await startEmbeddedPostgres(options)
  const kept = await query(
    second.connectionString,
    `select answer, current_setting('synchronous_commit') as "isSynchronous", current_setting('ssl') as tls from kept`,
  )
  await second.stop()

  const expected = { fsync: 'on', tcp: '', version: 18, encoding: 'UTF8', datlocale: 'C.UTF-8' }
  expect(settings).toMatchObject([expected])
  expect(kept).toEqual([{ answer: 42, isSynchronous: 'on', tls: 'off' }])
  // A busy machine also reports that the server takes its time.
  const steps = progress.filter((text) => !text.startsWith('PostgreSQL is not ready yet'))
  expect(steps).toEqual([`Creating the database in ${dataDir}`])
  expect(existsSync(second.connection.host)).toBe(false)
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
})

it.runIf(isLinux)('hands none of the settings of the service to PostgreSQL', async () => {
  vi.stubEnv('PLIMSOLL_SMTP_URL', 'smtp://plimsoll:secret@mail.example.com')
  const server = await startEmbeddedPostgres(given(join(givenFolder(), 'postgres')))
  vi.unstubAllEnvs()

  const names = readFileSync(`/proc/${server.pid() ?? 0}/environ`, 'utf8')
    .split('\0')
    .flatMap((one) => /^(\w+)=/.exec(one)?.[1] ?? [])
  await server.stop()

  const own = new Set([
    'LC_ALL',
    'LD_LIBRARY_PATH',
    'PATH',
    'PWD',
    'TMPDIR',
    'TZ',
    'OLDPWD',
    '_',
    'SHLVL',
  ])
  expect(names).toContain('TZ')
  expect(names.filter((name) => !own.has(name) && !name.startsWith('PG'))).toEqual([])
})

it('is started again when it is killed, at the same address, with its data and its socket folder', async () => {
  const log = vi.fn<(text: string) => void>()
  const server = await startEmbeddedPostgres(given(join(givenFolder(), 'postgres'), { log }))
  const pool = new pg.Pool({ connectionString: server.connectionString })
  pool.on('error', () => undefined)
  await pool.query('create table kept as select 42 as answer')
  const killed = server.pid() ?? 0
  rmSync(server.connection.host, { recursive: true })

  process.kill(killed, 'SIGKILL')
  await expect.poll(() => log.mock.calls).toContainEqual(['PostgreSQL runs again'])

  expect((await pool.query('select answer from kept')).rows).toEqual([{ answer: 42 }])
  expect(server.pid()).not.toBe(killed)
  await pool.end()
  await server.stop()
  expect(isAlive(server.pid() ?? 0)).toBe(false)
})

it('is started again as a whole when one of its processes is killed', async () => {
  const log = vi.fn<(text: string) => void>()
  const server = await startEmbeddedPostgres(given(join(givenFolder(), 'postgres'), { log }))
  const before = server.pid()
  const client = new pg.Client({ connectionString: server.connectionString })
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')

  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
  await expect.poll(() => log.mock.calls).toContainEqual(['PostgreSQL runs again'])

  expect(server.pid()).not.toBe(before)
  await server.stop()
})

it('stops while it is being started again', async () => {
  const ended = Promise.withResolvers<void>()
  const log = (text: string) => {
    if (text.includes('ended unexpectedly')) ended.resolve()
  }
  const server = await startEmbeddedPostgres(given(join(givenFolder(), 'postgres'), { log }))

  process.kill(server.pid() ?? 0, 'SIGKILL')
  await ended.promise
  await server.stop()

  expect(isAlive(server.pid() ?? 0)).toBe(false)
})

describe.runIf(isLinux)('when the service is killed', () => {
  it('ends by itself, and the next start works at once', async () => {
    const dataDir = join(givenFolder(), 'postgres')
    const { child, connectionString, pid } = await runService([], dataDir)
    await query(connectionString, 'create table kept as select 42 as answer')

    child.kill('SIGKILL')
    const next = await startEmbeddedPostgres(given(dataDir))

    expect(isAlive(pid)).toBe(false)
    expect(await query(next.connectionString, 'select answer from kept')).toEqual([{ answer: 42 }])
    await next.stop()
  })

  it('also recovers when PostgreSQL is killed with it', async () => {
    const dataDir = join(givenFolder(), 'postgres')
    const { child, connectionString, pid } = await runService([], dataDir)
    await query(connectionString, 'create table kept as select 42 as answer')

    child.kill('SIGKILL')
    process.kill(pid, 'SIGKILL')
    const next = await startEmbeddedPostgres(given(dataDir))

    expect(await query(next.connectionString, 'select answer from kept')).toEqual([{ answer: 42 }])
    expect(existsSync(socketOf(connectionString))).toBe(false)
    await next.stop()
  })

  it('leaves no half database when that happens during its creation', async () => {
    const dataDir = join(givenFolder(), 'postgres')
    const child = spawn(process.execPath, [RUNNER, dataDir], { stdio: 'ignore' })
    await expect.poll(() => existsSync(join(dataDir, 'cluster.new')), { interval: 5 }).toBe(true)

    child.kill('SIGKILL')
    const next = await startEmbeddedPostgres(given(dataDir, { lockWaitSeconds: 60 }))

    expect(await query(next.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
    await next.stop()
    expect(readdirSync(dataDir).toSorted()).toEqual(['cluster', 'lock', 'socket'])
  })
})

it('refuses a second server on the same folder, and takes it once the first has ended', async () => {
  const dataDir = join(givenFolder(), 'postgres')
  const first = await startEmbeddedPostgres(given(dataDir))

  await expect(startEmbeddedPostgres(given(dataDir, { lockWaitSeconds: 0 }))).rejects.toThrow(
    `Another Plimsoll service or command uses the database in ${dataDir}. ` +
      'Stop it first, or set another PLIMSOLL_DATA_DIR for this one.',
  )

  expect(await query(first.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  await first.stop()
  await (await startEmbeddedPostgres(given(dataDir))).stop()
})

it('lets a command use the running server, and else start one for itself', async () => {
  const dataDir = join(givenFolder(), 'postgres')
  const server = await startEmbeddedPostgres(given(dataDir))

  const beside = await connectOrStartEmbeddedPostgres(given(dataDir))
  await beside.release()
  expect(beside.connectionString).toBe(server.connectionString)
  expect(await query(server.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()

  const alone = await connectOrStartEmbeddedPostgres(given(dataDir))
  expect(await query(alone.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  await alone.release()
  await expect(query(alone.connectionString, 'select 1')).rejects.toThrow('ENOENT')
})

it('lets a command wait for a service that is just starting', async () => {
  const dataDir = join(givenFolder(), 'postgres')

  const [server, beside] = await Promise.all([
    startEmbeddedPostgres(given(dataDir)),
    delay(50).then(() => connectOrStartEmbeddedPostgres(given(dataDir))),
  ])

  expect(beside.connectionString).toBe(server.connectionString)
  await server.stop()
})

it('does not connect through a socket folder that others can write to', () => {
  const folder = givenFolder()
  const socket = join(folder, 'plimsoll-abcdef')
  mkdirSync(socket, { mode: 0o700 })
  writeFileSync(join(folder, 'socket'), socket)

  expect(findSocketFolder(folder)).toBe(socket)
  chmodSync(socket, 0o770)
  expect(findSocketFolder(folder)).toBeUndefined()
})

it('says why it cannot start', async () => {
  const dataDir = join(givenFolder(), 'postgres')
  mkdirSync(join(dataDir, 'cluster'), { recursive: true })

  await expect(startEmbeddedPostgres(given(dataDir))).rejects.toThrow(
    /could not be started on .*exit code \d.*could not access the server configuration file/s,
  )
})

it.each`
  what                             | path
  ${'spaces and non-ASCII text'}   | ${'mein Gerät $HOME "5" \'ж\' 船'}
  ${'more than a socket can have'} | ${'x'.repeat(200)}
  ${'option-like text'}            | ${'-D -c fsync=off'}
`('runs in a folder whose path has $what', async ({ path }: { path: string }) => {
  const server = await startEmbeddedPostgres(given(join(givenFolder(), path, 'postgres')))

  expect(await query(server.connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
  await server.stop()
})

const DISTRIBUTION = '/usr/lib/postgresql'

it.runIf(existsSync(DISTRIBUTION))(
  'runs the PostgreSQL of the distribution, and only its version',
  async () => {
    const dataDir = join(givenFolder(), 'postgres')
    const first = await startEmbeddedPostgres(given(dataDir, { place: DISTRIBUTION }))
    const [row] = await query(
      first.connectionString,
      `select lower('ÄŁ') as lower, 'Z' < 'a' as bytes, current_setting('lc_ctype') as ctype`,
    )
    const { connectionString } = first
    const pool = createPool({ connectionString, poolSize: 1, onError: () => undefined })
    await migrate(pool)
    await pool.end()
    await first.stop()
    const { folder, major } = findPostgresBinaries()
    const again = await startEmbeddedPostgres(given(dataDir))
    await again.stop()

    expect(row).toMatchObject({ lower: 'äł', bytes: true })
    expect(again.binaries).toEqual(first.binaries)
    expect(first.binaries.isBundled).toBe(false)
    if (major !== first.binaries.major)
      await expect(startEmbeddedPostgres(given(dataDir, { place: folder }))).rejects.toThrow(
        `was made by PostgreSQL ${first.binaries.major}, and there is PostgreSQL ${major}`,
      )
  },
)

describe.runIf(nobodyReachesUs)('whoever runs it', () => {
  it.each`
    who                              | id
    ${'an ordinary user'}            | ${65_534}
    ${'a number without an account'} | ${54_321}
  `('runs as $who', async ({ id }: { id: number }) => {
    const folder = givenFolder()
    chownSync(folder, id, id)
    const prefix = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups']

    const { child, connectionString, pid } = await runService(prefix, join(folder, 'postgres'))

    expect(await query(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(await endService(child)).toBe(0)
    expect(isAlive(pid)).toBe(false)
  })

  it('runs for root as the owner of the folder, whose it stays', async () => {
    const folder = join(givenFolder(), 'postgres')
    chmodSync(resolve(folder, '..'), 0o755)
    mkdirSync(folder, { mode: 0o700 })
    chownSync(folder, 65534, 65534)

    const server = await startEmbeddedPostgres(given(folder))
    await query(server.connectionString, 'create table kept ()')
    await server.stop()

    for (const name of ['lock', 'socket', 'cluster', 'cluster/base'])
      expect(statSync(join(folder, name)).uid).toBe(65534)
  })

  it('runs for root as an existing account where user namespaces are forbidden', async () => {
    const folder = join(givenFolder(), 'postgres')
    chmodSync(resolve(folder, '..'), 0o755)
    const tools = givenFolder()
    writeFileSync(join(tools, 'unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    await (await startEmbeddedPostgres(given(folder))).stop()

    const path = `${tools}:${process.env['PATH'] ?? ''}`
    const { child, connectionString } = await runService([], folder, path)

    expect(await query(connectionString, 'select 1 as one')).toEqual([{ one: 1 }])
    await endService(child)
    expect(statSync(join(folder, 'cluster')).uid).not.toBe(0)
  })
})

function socketOf(connectionString: string): string {
  return new URL(connectionString).searchParams.get('host') ?? ''
}
