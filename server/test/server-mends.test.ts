/** Faults of its machine or its settings that keep the service from starting: one sentence, exit code 1, no stack trace. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { freePort, runRefusedServer } from './service-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-server-mends-'))
const at = (...path: string[]) => join(folder, ...path)
const databaseUrl = (await createTestDatabase()).connectionString
const other = new URL((await createTestDatabase()).connectionString)

mkdirSync(at('closed'), { mode: 0 })
writeFileSync(at('closed.txt'), '', { mode: 0 })
writeFileSync(at('file'), 'a')
const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
for (const name of ['one', 'two'])
  execFileSync(
    'openssl',
    ['req', '-x509', ...curve, '-subj', `/CN=${name}`, '-keyout', at(`${name}.key`)].concat([
      '-out',
      at(`${name}.crt`),
    ]),
    { stdio: 'ignore' },
  )

/** A disk of 64 kB, where this user may mount one. */
const isMounted = (() => {
  mkdirSync(at('small'))
  try {
    const options = ['-t', 'tmpfs', '-o', 'size=64k,mode=755', 'none', at('small')]
    execFileSync('mount', options, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

afterAll(() => {
  if (isMounted) execFileSync('umount', [at('small')])
  chmodSync(at('closed'), 0o700)
  rmSync(folder, { recursive: true, force: true })
})

async function listen(server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  closeAtEndOfFile(async () => void server.close())
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

/** Each port of the service is taken by this one. */
const taken = String(await listen(createServer()))

const S3 = { PLIMSOLL_S3_ACCESS_KEY_ID: 'a', PLIMSOLL_S3_SECRET_ACCESS_KEY: 'b' }

async function givenStore(status: number, code: string): Promise<Record<string, string>> {
  const server = createHttpServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<Error><Code>${code}</Code><Message>No</Message></Error>`)
  })
  const endpoint = `http://127.0.0.1:${await listen(server)}`
  return { ...S3, PLIMSOLL_S3_BUCKET: 'nope', PLIMSOLL_S3_ENDPOINT: endpoint }
}

/** It speaks TLS as PostgreSQL does (SSLRequest is answered with S), with a certificate that nobody vouches for. */
async function givenDatabaseOfStranger(): Promise<Record<string, string>> {
  const [cert, key] = [readFileSync(at('one.crt')), readFileSync(at('one.key'))]
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => undefined)
    })
  })
  return { DATABASE_URL: `postgres://a:b@127.0.0.1:${await listen(server)}/x?sslmode=verify-full` }
}

/** Of the database of the test. */
function changed(change: (url: URL) => void): Record<string, string> {
  const url = new URL(databaseUrl)
  change(url)
  return { DATABASE_URL: url.href }
}

async function givenRoleWithoutRights(): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: other.href })
  await client.connect()
  const role = `guest_${other.pathname.slice(1)}`
  await client.query(`create role ${role} login password 'guest'`)
  await client.end()
  const url = new URL(other)
  url.username = role
  url.password = 'guest'
  return { DATABASE_URL: url.href }
}

const pair = (name: string, cert: string, key: string) => ({
  [`PLIMSOLL_${name}_CERT_FILE`]: at(cert),
  [`PLIMSOLL_${name}_KEY_FILE`]: at(key),
})
const PAIR = /_CERT and PLIMSOLL_\w+_KEY are not a certificate and key \(PEM\)/
const REFUSED = /: the user \S+ has no right to it\. /
const TAKEN = new RegExp(`: port ${taken} is taken`)

interface Fault {
  fault: string
  env?: Record<string, string> | (() => Promise<Record<string, string>>)
  args?: string[]
  told: RegExp
}

const FAULTS: Fault[] = [
  {
    fault: 'a closed folder of data',
    env: { PLIMSOLL_DATA_DIR: at('closed/data') },
    told: REFUSED,
  },
  {
    fault: 'a closed folder of data for its own database',
    env: { DATABASE_URL: '', PLIMSOLL_DATA_DIR: at('closed/data') },
    told: REFUSED,
  },
  {
    fault: 'a file in place of the folder of data',
    env: { PLIMSOLL_DATA_DIR: at('file') },
    told: /a part of this path is a file/,
  },
  {
    fault: 'a file in place of the folder of its own database',
    env: { DATABASE_URL: '', PLIMSOLL_DATA_DIR: at('file') },
    told: /a part of this path is a file/,
  },
  {
    fault: 'no programs of PostgreSQL',
    env: { DATABASE_URL: '', PLIMSOLL_EMBEDDED_POSTGRES: at('nothing') },
    told: /PLIMSOLL_EMBEDDED_POSTGRES/,
  },
  { fault: 'closed settings', env: { PLIMSOLL_ENV_FILE: at('closed.txt') }, told: REFUSED },
  {
    fault: 'a closed secret',
    env: { DATABASE_URL: '', DATABASE_URL_FILE: at('closed.txt') },
    told: /^DATABASE_URL_FILE: \S+: the user/,
  },
  {
    fault: 'a folder for a secret',
    env: { DATABASE_URL: '', DATABASE_URL_FILE: folder },
    told: /^DATABASE_URL_FILE: \S+ is a folder, not a file\.\n$/,
  },
  { fault: 'the key of another', env: pair('TLS', 'one.crt', 'two.key'), told: PAIR },
  { fault: 'the key of another for MQTT', env: pair('MQTT_TLS', 'one.crt', 'two.key'), told: PAIR },
  {
    fault: 'a closed authority',
    env: { PLIMSOLL_CA_FILE: at('closed.txt') },
    told: /PLIMSOLL_CA_FILE names \S+, which cannot be read/,
  },
  {
    fault: 'an authority without certificates',
    env: { PLIMSOLL_CA_FILE: at('file') },
    told: /PLIMSOLL_CA_FILE names \S+, which holds no certificates/,
  },
  { fault: 'a taken port', env: { PLIMSOLL_PORT: taken }, told: TAKEN },
  { fault: 'a taken management port', env: { PLIMSOLL_MANAGEMENT_PORT: taken }, told: TAKEN },
  { fault: 'a taken port for MQTT', env: { PLIMSOLL_MQTT_PORT: taken }, told: TAKEN },
  {
    fault: 'a taken port for MQTT with TLS',
    env: { PLIMSOLL_MQTT_TLS_PORT: taken, ...pair('MQTT_TLS', 'one.crt', 'one.key') },
    told: TAKEN,
  },
  {
    fault: 'one port for two',
    env: async () => {
      const port = String(await freePort())
      return { PLIMSOLL_PORT: port, PLIMSOLL_MANAGEMENT_PORT: port }
    },
    told: /port \d+ is taken, by another program or by another setting/,
  },
  {
    fault: 'a port below 1024',
    env: { PLIMSOLL_PORT: '81' },
    told: /^PLIMSOLL_PORT: this user may not listen on port 81; /,
  },
  {
    fault: 'a foreign address',
    env: { PLIMSOLL_HOST: '192.0.2.1' },
    told: /^PLIMSOLL_PORT: the service cannot listen on port \d+: .*EADDRNOTAVAIL/,
  },
  {
    fault: 'an unknown name of its own',
    env: { PLIMSOLL_HOST: 'nowhere.invalid' },
    told: /^PLIMSOLL_PORT: the service cannot listen on port \d+: .*nowhere\.invalid/,
  },
  {
    fault: 'no bucket',
    env: () => givenStore(404, 'NoSuchBucket'),
    told: /refuses: NoSuchBucket/,
  },
  {
    fault: 'a wrong key of the bucket',
    env: () => givenStore(403, 'InvalidAccessKeyId'),
    told: /refuses: InvalidAccessKeyId/,
  },
  {
    fault: 'files of another database',
    env: { PLIMSOLL_DATA_DIR: at('fresh') },
    told: /PLIMSOLL_DATA_DIR: the folder \S+ does not hold the files of this database/,
  },
  {
    fault: 'an unknown role of the database',
    env: changed((url) => {
      url.username = 'nobody'
    }),
    told: /does not let this process in: role "nobody" does not exist/,
  },
  {
    fault: 'a role of the database without rights',
    env: givenRoleWithoutRights,
    told: /The role of DATABASE_URL lacks a right/,
  },
  {
    fault: 'an unknown host of the database',
    env: { DATABASE_URL: 'postgres://a:b@nowhere.invalid/x' },
    told: /does not let this process in: .*nowhere\.invalid/,
  },
  {
    fault: 'a database without TLS',
    env: changed((url) => url.searchParams.set('sslmode', 'verify-full')),
    told: /no trusted TLS connection to the database: The server does not support SSL/,
  },
  {
    fault: 'a certificate of a stranger',
    env: givenDatabaseOfStranger,
    told: /no trusted TLS connection to the database: self-signed certificate/,
  },
  {
    fault: 'no authority of the database',
    env: changed((url) => {
      url.searchParams.set('sslmode', 'verify-full')
      url.searchParams.set('sslrootcert', at('nothing'))
    }),
    told: /^There is no \S+nothing\.\n$/,
  },
  {
    fault: 'a database for reading only',
    env: changed((url) => url.searchParams.set('options', '-c default_transaction_read_only=on')),
    told: /read-only transaction/,
  },
  { fault: 'an unknown role', args: ['--roles', 'apo'], told: /^--roles: apo is not a role\./ },
  { fault: 'an unknown option', args: ['--rolls'], told: /^Unknown option '--rolls'/ },
]

/** Without the right of root to pass by the modes of files. */
const AS_ANYBODY =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []

const run = async (env: Record<string, string>, args: string[], via: string[]) =>
  runRefusedServer(
    {
      dataDir: at('data'),
      port: await freePort(),
      managementPort: await freePort(),
      env: { PLIMSOLL_HOST: '127.0.0.1', DATABASE_URL: databaseUrl, ...env },
      args,
    },
    via,
  )

it.each(FAULTS)('tells of $fault', async ({ env = {}, args = [], told }) => {
  const { code, stderr } = await run(
    typeof env === 'function' ? await env() : env,
    args,
    AS_ANYBODY,
  )

  expect(stderr).toMatch(told)
  expect(stderr).not.toMatch(/^\s+at |node:internal/m)
  expect(code).toBe(1)
})

// A container may not mount; a skipped test says so.
it.skipIf(!isMounted).each([
  ['for its files', { DATABASE_URL: other.href }],
  ['for its own database', { DATABASE_URL: '' }],
])('tells of a full disk %s', async (_what, env) => {
  writeFileSync(at('small/filler'), Buffer.alloc(64 * 1024))

  const { code, stderr } = await run({ PLIMSOLL_DATA_DIR: at('small/data'), ...env }, [], [])

  expect(stderr).toMatch(/disk is full|No space left/)
  expect(stderr).not.toMatch(/^\s+at |node:internal/m)
  expect(code).toBe(1)
})
