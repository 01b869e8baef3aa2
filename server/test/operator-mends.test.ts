/** What an operator can mend is told in a sentence, never as a stack trace: by the programs that people run. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import pg from 'pg'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { readOperatorCommands } from '../../cli/test/operator-commands.ts'
import { createTestDatabase } from './database.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { describeFailure } from '../src/describe-failure.ts'
import {
  freePort,
  runAdmin,
  runRefusedServer,
  serviceEnvironment,
  type ServiceSettings,
} from './service-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-mends-'))
const inFolder = (name: string, text: string) => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

let databaseUrl: string
let newer: string
let absent: string
let refusing: string

beforeAll(async () => {
  databaseUrl = (await createTestDatabase()).connectionString
  newer = (await createTestDatabase()).connectionString
  const client = new pg.Client({ connectionString: newer })
  await client.connect()
  await client.query(`insert into schema_migrations values ('9999-later.sql', 'y')`)
  await client.end()
  const url = new URL(databaseUrl)
  url.pathname = '/nowhere'
  absent = url.href
  refusing = `postgres://plimsoll:secret@127.0.0.1:${await freePort()}/plimsoll`
})

const settingsWith = async (env: Record<string, string>): Promise<ServiceSettings> => ({
  dataDir: mkdtempSync(join(folder, 'data-')),
  port: await freePort(),
  managementPort: await freePort(),
  env: { PLIMSOLL_HOST: '127.0.0.1', ...env },
})

/** Each with the environment that spoils it, and what is said. */
const FAULTS: [string, () => Record<string, string>, RegExp][] = [
  [
    'no database of the name',
    () => ({ DATABASE_URL: absent }),
    /database "nowhere" does not exist\. Check DATABASE_URL/,
  ],
  ['no server', () => ({ DATABASE_URL: refusing }), /ECONNREFUSED.*Check DATABASE_URL/],
  [
    'a newer schema',
    () => ({ DATABASE_URL: newer }),
    /migrated by a newer release: it holds 9999-later\.sql|was changed by another release/,
  ],
  [
    'a bad setting',
    () => ({ DATABASE_URL: databaseUrl, PLIMSOLL_PORT: 'eighty' }),
    /PLIMSOLL_PORT is "eighty"; it must be/,
  ],
  ['a bad URL', () => ({ DATABASE_URL: 'mysql://x' }), /DATABASE_URL is not a URL/],
  [
    'no file of settings',
    () => ({ PLIMSOLL_ENV_FILE: join(folder, 'none.env') }),
    /PLIMSOLL_ENV_FILE: There is no .*none\.env/,
  ],
  ['a folder of settings', () => ({ PLIMSOLL_ENV_FILE: folder }), /PLIMSOLL_ENV_FILE: /],
  [
    'a wrong line of settings',
    () => ({ PLIMSOLL_ENV_FILE: inFolder('wrong.env', 'export A=b\n') }),
    /wrong\.env, line 1: a line is NAME=value/,
  ],
  [
    'a missing file of a secret',
    () => ({ DATABASE_URL_FILE: join(folder, 'none') }),
    /DATABASE_URL_FILE: /,
  ],
]

/** They ask no database, or look at their files or options before. */
const ELSEWHERE = new Set([
  'config check',
  'key-encryption create',
  'backup list',
  'backup verify',
  'restore',
  'feeds import',
  'override create',
  'override update',
])
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/email|owner/, 'a@example.com'],
  [/scope/, 'SBOMs: read'],
  [/role/, 'Viewer'],
  [/file|folder|target/, join(folder, 'new')],
]

function listLines(command: Command, path: readonly string[] = []): string[][] {
  return command.commands.flatMap((below) => {
    const name = [...path, below.name()]
    if (below.commands.length > 0) return listLines(below, name)
    const valueOf = (word: string) => VALUES.find(([known]) => known.test(word))?.[1] ?? 'x'
    const options = below.options.filter(({ mandatory }) => mandatory)
    const needed = options.flatMap((option) => [option.long ?? '', valueOf(option.name())])
    const operands = below.registeredArguments.filter(({ required }) => required)
    return [[...name, ...needed, ...operands.map((operand) => valueOf(operand.name()))]]
  })
}

const COMMANDS = listLines(await readOperatorCommands()).filter(
  (line) => !ELSEWHERE.has(line[0] ?? '') && !ELSEWHERE.has(line.slice(0, 2).join(' ')),
)

const isSentence = (text: string) => {
  expect(text).not.toMatch(/^\s+at /m)
  expect(text).not.toContain('node:internal')
}

it.each(FAULTS)('plimsoll-server tells of %s', async (_fault, environment, told) => {
  const settings = await settingsWith(environment())

  const { code, stderr } = await runRefusedServer(settings)

  expect(stderr).toMatch(told)
  expect(code).toBe(1)
  isSentence(stderr)
})

/** The program as it is started: each command meets one fault, in turn. */
const PAIRS = COMMANDS.flatMap((command, at) => {
  const [fault, environment, told] = FAULTS[at % FAULTS.length] ?? []
  return fault && environment && told
    ? [{ name: command.join(' '), fault, command, environment, told }]
    : []
})

it.each(PAIRS)('plimsoll-admin $name tells of $fault', async ({ command, environment, told }) => {
  const { code, stderr } = await runAdmin(await settingsWith(environment()), ...command)

  expect(stderr).toMatch(told)
  expect(code).toBe(command[0] === 'doctor' ? 3 : 1)
  isSentence(stderr)
})

/** These a command could pass by that opens the database in a way of its own. They are tried with the commands of the program in this process. */
const OF_ALL = FAULTS.filter(
  ([fault]) => fault === 'no database of the name' || fault === 'a newer schema',
)

describe.each(OF_ALL)('each command of plimsoll-admin tells of %s', (_fault, environment, told) => {
  it.each(COMMANDS.map((command) => [command.join(' '), command] as const))(
    '%s',
    async (_name, command) => {
      const said = await runHere(await settingsWith(environment()), command)

      expect(said).toMatch(told)
      isSentence(said)
    },
  )
})

/** What the command fails with, or says where it fails by itself. */
async function runHere(settings: ServiceSettings, command: readonly string[]): Promise<string> {
  const program = await readOperatorCommands()
  const [environment, exitCode] = [process.env, process.exitCode]
  const written: string[] = []
  const output = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text))
    return true
  })
  const answers = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  process.env = serviceEnvironment(settings)
  try {
    await program.parseAsync([...command], { from: 'user' })
  } catch (error) {
    written.push(describeFailure(error))
  } finally {
    process.env = environment
    process.exitCode = exitCode
    output.mockRestore()
    answers.mockRestore()
  }
  return written.join('')
}

it.each([
  ['feeds import', ['feeds', 'import', join(folder, 'none.zip')], /There is no .*none\.zip/],
  [
    'feeds bundle',
    ['feeds', 'bundle', join(folder, 'none', 'x.bundle')],
    /none.*cannot be written/,
  ],
  ['restore', ['restore', join(folder, 'none')], /none/],
  ['backup', ['backup', join(folder, 'a-file', 'x')], /a-file/],
])('plimsoll-admin %s tells of a file that is not there', async (_name, command, told) => {
  inFolder('a-file', '')
  const { code, stderr } = await runAdmin(
    await settingsWith({ DATABASE_URL: databaseUrl }),
    ...command,
  )

  expect(stderr).toMatch(told)
  expect(code).not.toBe(0)
  isSentence(stderr)
})

/** As a store of S3 answers where there is no bucket of this name. */
async function givenStoreWithoutBucket(): Promise<Record<string, string>> {
  const server = createHttpServer((_request, response) => {
    response.writeHead(404, { 'content-type': 'application/xml' })
    response.end(
      '<Error><Code>NoSuchBucket</Code><Message>The bucket does not exist</Message></Error>',
    )
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  closeAtEndOfFile(async () => void server.close())
  return {
    DATABASE_URL: databaseUrl,
    PLIMSOLL_S3_BUCKET: 'nope',
    PLIMSOLL_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    PLIMSOLL_S3_ACCESS_KEY_ID: 'a',
    PLIMSOLL_S3_SECRET_ACCESS_KEY: 'b',
  }
}

it('plimsoll-admin tells of a bucket that is not there', async () => {
  const settings = await settingsWith(await givenStoreWithoutBucket())

  const adopted = await runAdmin(settings, 'files', 'adopt')

  expect(adopted.stderr).toMatch(/The file store refuses: NoSuchBucket.*Check PLIMSOLL_S3_BUCKET/)
  isSentence(adopted.stderr)
  expect(adopted.code).toBe(1)
})

it('says what each setting became, and hides secrets', async () => {
  mkdirSync(join(folder, 'etc'))
  const path = inFolder(
    'etc/plimsoll.env',
    [
      'PLIMSOLL_PUBLIC_URL=https://plimsoll.example.com',
      'PLIMSOLL_S3_BUCKET=files',
      'PLIMSOLL_S3_ACCESS_KEY_ID=abc',
      'PLIMSOLL_S3_SECRET_ACCESS_KEY=a#b`c$d',
      'DATABASE_URL=postgres://plimsoll:pass%23word@db.example.com/plimsoll',
    ].join('\n'),
  )
  const settings = await settingsWith({ PLIMSOLL_ENV_FILE: path })

  const { code, stdout } = await runAdmin(settings, 'config', 'check')

  expect(code).toBe(0)
  expect(stdout).toContain(`PLIMSOLL_S3_SECRET_ACCESS_KEY=hidden, 7 characters  (${path})`)
  expect(stdout).toContain(`PLIMSOLL_S3_BUCKET=files  (${path})`)
  expect(stdout).toContain('PLIMSOLL_HOST=127.0.0.1  (environment)')
  expect(stdout).not.toMatch(/pass(?:%23)?word|a#b/)
})
