/** Whatever fails around a command, it says so in sentences, without a stack, and with an exit code other than 0. */
import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { promisify } from 'node:util'
import type { Argument, Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { givenFleet } from '../../server/test/given-fleet.ts'
import { findProgram } from '../../server/test/programs.ts'
import { freePort } from '../../server/test/service-process.ts'
import { EXIT } from '../src/exit-codes.ts'
import { listAcceptedWords } from '../src/option-values.ts'
import { createProgram, run } from '../src/program.ts'
import { type Environment, givenSbom, runPlimsoll, startService } from './service.ts'

const SBOM = givenSbom('bom.json', [{ name: 'zlib', version: '1.3' }])
const UUID = '01890000-0000-7000-8000-000000000000'
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/file|document|cause/i, SBOM],
  [/cve/i, 'CVE-2026-0001'],
  [/version|older|newer|fixed-in/i, 'gateway@1.0'],
  [/until|^at$|^due$/i, '24h'],
  [/from|to|since|until|time|date/i, '2026-01-01'],
  [/count|days|percent|number|seconds|hours/i, '1'],
  [/email/i, 'somebody@example.com'],
  [/url/i, 'https://example.com'],
]
/** They ask no service. */
const LOCAL: ReadonlySet<string> = new Set([
  'api',
  'completion',
  'evidence verify',
  'options',
  'mcp',
  'profile list',
])

/** What satisfies an argument or option, as far as its name tells. */
function valueFor(taker: Argument | Option): string {
  const [word] = taker.argChoices ?? listAcceptedWords(taker.parseArg) ?? []
  return word ?? VALUES.find(([name]) => name.test(taker.name()))?.[1] ?? UUID
}

interface NamedCommand {
  name: string[]
  command: Command
}

function listCommands(command: Command, path: readonly string[] = []): NamedCommand[] {
  return command.commands.flatMap((below) => {
    const name = [...path, below.name()]
    if (below.commands.length > 0) return listCommands(below, name)
    return ['help', '__complete'].includes(below.name()) ? [] : [{ name, command: below }]
  })
}

/** With all that it needs. */
function writeLine({ name, command }: NamedCommand, value: typeof valueFor): string[] {
  const needed = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap((option) => [option.long ?? '', value(option)])
  return [...name, ...needed, ...command.registeredArguments.map(value)]
}

const ALL = listCommands(await createProgram())
const COMMANDS = [
  ...ALL.filter(({ name }) => !LOCAL.has(name.join(' '))).map((one) => writeLine(one, valueFor)),
  ['api', 'GET', '/whoami'],
]

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const HTML = 'text/html'
const JSON_TYPE = 'application/json'
const answerWith =
  (status: number, type: string, text = '<html>'): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': type }).end(text)
  }

const FAULTS: Readonly<Record<string, () => Promise<string> | string>> = {
  'refuses connections': async () => `http://127.0.0.1:${await freePort()}`,
  'does not speak TLS': async () => (await listen(answerWith(200, HTML))).replace('http', 'https'),
  'is a page of HTML': () => listen(answerWith(200, HTML)),
  'fails with HTML': () => listen(answerWith(500, HTML)),
  'answers half a document': () => listen(answerWith(200, JSON_TYPE, '{"workspaceId":"')),
  'hangs up in the middle of its answer': () =>
    listen((_request, response) => {
      response.writeHead(200, { 'content-type': JSON_TYPE, 'content-length': 100 })
      response.write('{', () => response.destroy())
    }),
}

const STACK = /^\s+at |node:internal|file:\/\//m

describe.each(Object.keys(FAULTS))('a service that %s', (fault) => {
  it('is told by each command in words', async () => {
    const told = await Promise.all(COMMANDS.map(await runAgainst(FAULTS[fault])))

    expect(told.filter(({ stderr }) => STACK.test(stderr) || stderr === '')).toEqual([])
    expect(told.filter(({ exitCode }) => exitCode === EXIT.ok)).toEqual([])
    expect(told.filter(({ stderr }) => BUG.test(stderr))).toEqual([])
  })
})

it('says that nobody knows the name of the service', async () => {
  const runCommand = await runAgainst(() => 'http://plimsoll.invalid')

  const { stderr, exitCode } = await runCommand(['firmware', 'create', 'gateway'])

  expect(stderr).toMatch(/^Cannot reach http:\/\/plimsoll\.invalid: [^\n]+\nIs --url/)
  expect(exitCode).toBe(EXIT.unavailable)
})

it('says in one line that an answer is not known to it, and where on request', async () => {
  const runCommand = await runAgainst(() => listen(answerWith(200, JSON_TYPE, '{}')))

  const told = await Promise.all(COMMANDS.map(runCommand))

  expect(told.filter(({ stderr }) => STACK.test(stderr))).toEqual([])
  expect(told.filter(({ stderr }) => BUG.test(stderr)).length).toBeGreaterThan(50)
  const { stderr } = await runCommand(['whoami'], { PLIMSOLL_DEBUG: '1' })
  expect(stderr).toMatch(STACK)
})

const BUG = /^Failed by a fault of plimsoll/m

async function runAgainst(open: (() => Promise<string> | string) | undefined) {
  const env = {
    PLIMSOLL_URL: (await open?.()) ?? '',
    PLIMSOLL_API_KEY: 'plm_key',
    PLIMSOLL_WORKSPACE: UUID,
  }
  return async (args: readonly string[], more: unknown = {}) => ({
    args,
    ...(await runPlimsoll({ ...env, ...(typeof more === 'object' ? more : {}) }, args)),
  })
}

/** They follow what happens until they are ended, or wait for what the service does. */
const WAITING = new Set(['mcp', 'incident watch'])
/** What they need beside their operands to ask the service for these. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  'firmware update': ['--description', 'x'],
  'firmware-version update': ['--build-id', 'x'],
  'cohort update': ['--description', 'x'],
  'device update': ['--description', 'x'],
  'device configure': ['--log-severity', 'debug'],
  'device move': ['--no-cohort'],
  'device tag': ['--add', 'x'],
  'proposal create': ['--assessment', 'InTriage'],
  'product-line update': ['--contact', 'x'],
  'case correct': ['--withdraw'],
  'customer update': ['--note', 'x'],
  'override update': ['--name', 'x', '--ignore', '--reason', 'x'],
}
/** They say by themselves what there is, make what is named, or take any name; what is taken back has no list. */
const FREE = new Set([
  'open',
  'api',
  'completion',
  'profile use',
  'profile remove',
  'licence set',
  'owner set',
  'ssvc add-tree',
  'firmware create',
  'firmware-version create',
  'cohort create',
  'customer create',
  'advisory resubscribe',
  'trusted-key add',
  'device create',
  'device-issuer create',
  'device-key create',
  'metric query',
  'vulnerabilities show',
  'vulnerabilities watch',
  'vulnerabilities unwatch',
  'reports vulnerability',
  'reports quarter',
  'obligation show',
  'obligation note',
  'vex import',
  'device import',
  'source sync',
  'device undo',
  'artifact check',
  'evidence verify',
  'incident undo',
])

describe('each command', async () => {
  const service = await startService({ withWorker: false })
  const { client } = await givenFleet(service, 1)
  const env = service.environmentOf(client)
  const runAll = (lines: readonly (readonly string[])[]) =>
    Promise.all(lines.map(async (args) => ({ args, ...(await runPlimsoll(env, args)) })))

  it('shows its help', async () => {
    const told = await runAll(ALL.map(({ name }) => [...name, '--help']))

    expect(told.filter(({ stdout }) => !stdout.startsWith('Usage: plimsoll '))).toEqual([])
    expect(told.filter(({ exitCode, stderr }) => exitCode !== EXIT.ok || stderr !== '')).toEqual([])
  })

  it('says how it is written when something is missing or not known', async () => {
    const lacking = ALL.filter(({ command }) =>
      command.registeredArguments.some(({ required }) => required),
    )
    const wrong = ALL.map((one) => [...writeLine(one, valueFor), '--nonsense'])

    const bare = await runAll(lacking.map(({ name }) => name))
    const told = await runAll(wrong)

    for (const { args, exitCode, stderr } of [...bare, ...told]) {
      expect({ args, exitCode }).toEqual({ args, exitCode: EXIT.error })
      expect(stderr).toMatch(
        /^error: [^\n]+\nUsage: plimsoll [^\n]+\. Run it with --help to see its options\.\n$/,
      )
    }
    expect(bare.find(({ args }) => args[1] === 'upload')?.stderr).toContain('gateway@2.4.1')
  })

  it('says in words what it lacks, or answers, without arguments', async () => {
    const bare = ALL.filter(({ name }) => !WAITING.has(name.join(' ')))

    const told = await runAll(bare.map(({ name }) => name))

    expect(told.filter(({ stderr }) => STACK.test(stderr) || BUG.test(stderr))).toEqual([])
    expect(told.filter(({ stderr }) => /^\/|^ {2}\//m.test(stderr))).toEqual([])
    expect(told.filter(({ exitCode, stderr }) => exitCode !== EXIT.ok && stderr === '')).toEqual([])
  })

  it.each(['nowhere', UUID])('says how to find what %s was to be', async (unknown) => {
    const value = (taker: Argument | Option) => {
      const text = valueFor(taker)
      if (/file/i.test(taker.name()) && text === SBOM) return text
      if (/text|reason/.test(taker.name())) return 'x'
      return text === UUID || /^(?:document|to)$/.test(taker.name()) ? unknown : text
    }
    const naming = ALL.filter(
      ({ name, command }) => command.registeredArguments.length > 0 && !FREE.has(name.join(' ')),
    )
    const lines = naming.map((one) => [
      ...writeLine(one, value).map((word) => (word === 'gateway@1.0' ? 'gateway@9.9' : word)),
      ...(MORE[one.name.join(' ')] ?? []),
      ...(one.command.options.some(({ long }) => long === '--yes') ? ['--yes'] : []),
    ])

    const told = await runAll(lines)

    expect(told.filter(({ exitCode }) => exitCode !== EXIT.error)).toEqual([])
    expect(told.filter(({ stderr }) => !/; plimsoll [^\n]+\.\n$/.test(stderr))).toEqual([])
  })
})

describe('files', async () => {
  const service = await startService({ withWorker: false })
  const { client } = await givenFleet(service, 300)
  const env = service.environmentOf(client)
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-folder-'))
  writeFileSync(join(folder, 'file'), '')
  const FILES = {
    missing: join(folder, 'missing.json'),
    'a folder': folder,
    'below a file': join(folder, 'file', 'x.json'),
    // Also root reads nothing of it.
    unreadable: '/proc/self/mem',
  }

  it.each(Object.entries(FILES))(
    'that are %s are named with what is wrong',
    async (_what, path) => {
      const commands = [
        ['sbom', 'upload', 'gateway@1.0', path],
        ['sbom', 'check', path],
        ['artifact', 'upload', 'gateway@1.0', path],
        ['vex', 'import', path, 'gateway@1.0'],
        ['components', 'source-files', path, '--sbom', UUID, '--component', UUID],
        ['alert-rule', 'create', '--file', path],
      ]

      const told = await Promise.all(
        commands.map(async (args) => ({ args, ...(await runPlimsoll(env, args)) })),
      )

      expect(
        told.filter(({ stderr, exitCode }) => !stderr.includes(path) || exitCode === 0),
      ).toEqual([])
      expect(told.filter(({ stderr }) => STACK.test(stderr) || BUG.test(stderr))).toEqual([])
    },
  )

  it.each([
    ['a folder', folder],
    ['below a file', join(folder, 'file', 'x.csv')],
    ['nowhere', join(folder, 'no', 'x.csv')],
  ])('to write that are %s are named with what is wrong', async (_what, path) => {
    const { stderr, exitCode } = await runPlimsoll(env, [
      'findings',
      'export',
      'gateway@1.0',
      '--output',
      path,
    ])

    expect(stderr).toMatch(/^Cannot (?:use|write) [^\n]+: [a-z][^\n]+\.\n$/)
    expect(exitCode).toBe(EXIT.error)
  })

  it.each([
    'device list',
    'device list --json',
    'findings check gateway@1.0',
    '--help',
    'nonsense',
  ])(
    '%s has no word for a reader that is gone, and its own exit code where it was done',
    async (line) => {
      const script = `node=$0 main=$1; node() { "$node" "$main" ${line} </dev/null; }; node >/dev/null 2>&1; echo $?; node 2>&1 | true; echo \${PIPESTATUS[0]}`

      const [whole, cut, ...others] = (await runShell(script, env)).trim().split('\n')

      expect(others).toEqual([])
      // A list may notice between two writes.
      const codes = line.startsWith('device') ? [whole, String(EXIT.outputClosed)] : [whole]
      expect(codes).toContain(cut)
    },
  )
})

it('ends what still writes when nobody reads, as a program does that SIGPIPE ends', async () => {
  const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done(closed) })
  stdout.on('error', () => undefined)
  const stderr = new Writable({ write: () => expect.unreachable('says nothing') })
  const lines = ['profile', 'list']

  const exitCode = await run(lines, { env: {}, stdin: Readable.from([]), stdout, stderr })
  const again = await run(lines, { env: {}, stdin: Readable.from([]), stdout, stderr })

  expect([exitCode, again]).toEqual([EXIT.ok, EXIT.outputClosed])
})

/** In bash, which knows the exit code of each program of a pipe. @returns all that was said */
async function runShell(script: string, env: Environment): Promise<string> {
  const args = ['-c', `exec 2>&1; ${script}`, process.execPath, await findProgram('client')]
  const { stdout } = await promisify(execFile)('bash', args, {
    env: { ...env, PATH: process.env['PATH'] ?? '' },
  })
  return stdout
}
