/** Completion by the shells themselves, where they are there. PLIMSOLL_REQUIRE_SHELLS=1 makes their absence an error. */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { type Fleet, givenFleet } from '../../server/test/given-fleet.ts'
import { findProgram } from '../../server/test/programs.ts'
import { type Environment, runPlimsoll, startService } from './service.ts'

const MAIN = await findProgram('client')

let environment: Environment
let fleet: Fleet

beforeAll(async () => {
  const service = await startService({ withWorker: false })
  fleet = await givenFleet(service, 1)
  environment = service.environmentOf(fleet.client)
})

async function complete(...words: string[]): Promise<string[]> {
  const done = await runPlimsoll(environment, ['__complete', '--', ...words])
  expect(done).toMatchObject({ exitCode: 0, stderr: '' })
  return done.stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']))
}

it.each([
  [['firmware', 'l'], ['list']],
  [['deployment', 'p'], ['pause']],
  [['findings', 'list', '--fir'], ['--firmware']],
  [['findings', 'list', '--severity', 'cr'], ['critical']],
  [['findings', 'list', '--firmware', 'g'], ['gateway']],
  [['findings', 'list', '--firmware', 'gateway', '--version', '2'], ['2.0']],
  [['firmware', 'show', ''], ['gateway']],
  [['device', 'show', 'device-'], ['device-000']],
  [['diff', 'gateway@1'], ['gateway@1.0']],
  [['completion', 'f'], ['fish']],
  [['open', 'firmware-'], ['firmware-version']],
  [
    ['help', 'fi'],
    ['firmware', 'firmware-version', 'findings', 'figures'],
  ],
  [['nonsense', 'x', ''], []],
])('completes %j', async (words, expected) => {
  expect(await complete(...words)).toEqual(expected)
})

it('says nothing where the service is away, or there is no key', async () => {
  const away = { ...environment, PLIMSOLL_URL: 'http://127.0.0.1:9' }

  const outcomes = [
    await runPlimsoll(away, ['__complete', '--', 'firmware', 'show', '']),
    await runPlimsoll({}, ['__complete', '--', 'firmware', 'show', '']),
  ]

  for (const outcome of outcomes) expect(outcome).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

const FIRMWARES = ['__complete', '--', 'firmware', 'show', '']
const GATEWAY = /^gateway\t/
const runCommand = promisify(execFile)

/** The real command in a process of its own. */
async function typeTab(env: Environment): Promise<string> {
  return (await runCommand(process.execPath, [MAIN, ...FIRMWARES], { env })).stdout
}

/** What was answered once, by the service. */
async function givenKeptAnswer() {
  const cache = mkdtempSync(join(tmpdir(), 'plimsoll-kept-'))
  const env = { ...environment, XDG_CACHE_HOME: cache, HOME: cache }
  expect(await typeTab(env)).toMatch(GATEWAY)
  const folder = join(cache, 'plimsoll', 'completion')
  const [name = ''] = readdirSync(folder)
  return { env, folder, path: join(folder, name) }
}

/** A text that no service gives shows that the answer is the kept one. */
const KEPT = JSON.stringify({ lines: ['kept\t'] })

it('answers from what is kept, which only its owner may read', async () => {
  const { env, folder, path } = await givenKeptAnswer()
  const modes = [folder, path].map((one) => (statSync(one).mode & 0o777).toString(8))
  writeFileSync(path, KEPT)

  expect(modes).toEqual(['700', '600'])
  expect(await typeTab(env)).toBe('kept\t\n')
  expect(await typeTab({ ...env, PLIMSOLL_API_KEY: 'another' })).toBe('')
  expect(await typeTab({ ...env, PLIMSOLL_URL: 'http://127.0.0.1:9' })).toBe('')
})

it('asks anew where what is kept is old, or broken, or cannot be written', async () => {
  const { env, path } = await givenKeptAnswer()
  writeFileSync(path, KEPT)
  utimesSync(path, new Date(), new Date(Date.now() - 61_000))
  expect(await typeTab(env)).toMatch(GATEWAY)
  writeFileSync(path, '{"lines":[')
  expect(await typeTab(env)).toMatch(GATEWAY)
  expect(await typeTab({ ...env, XDG_CACHE_HOME: '/dev/null' })).toMatch(GATEWAY)
})

it('keeps no more than fifty answers', async () => {
  const { env, folder } = await givenKeptAnswer()
  for (let i = 0; i < 60; i += 1) writeFileSync(join(folder, `other-${i}`), KEPT)

  await typeTab({ ...env, PLIMSOLL_WORKSPACE: fleet.client.workspaceId })

  expect(readdirSync(folder)).toHaveLength(50)
})

it('drops what is kept at a logout', async () => {
  const { env, folder } = await givenKeptAnswer()
  const config = join(env.HOME, '.config', 'plimsoll')
  mkdirSync(config, { recursive: true })
  const { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: apiKey } = environment
  const profile = {
    name: 'here',
    url,
    apiKey,
    workspaceId: 'w',
    workspaceName: 'w',
    isLogin: false,
  }
  const text = JSON.stringify({ current: 'here', profiles: [profile] })
  writeFileSync(join(config, 'config.json'), text, { mode: 0o600 })

  expect(await runPlimsoll(env, ['logout'])).toMatchObject({ exitCode: 0 })

  expect(existsSync(folder)).toBe(false)
})

const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0
const ZSH = 'zsh'
const FISH = 'fish'
const missing = [ZSH, FISH].filter((shell) => !isThere(shell))
if (missing.length > 0 && process.env['PLIMSOLL_REQUIRE_SHELLS'] === '1')
  throw new Error(`PLIMSOLL_REQUIRE_SHELLS is set, and there is no ${missing.join(' and ')}`)

const COMMAND = `plimsoll() { "${process.execPath}" "${MAIN}" "$@"; }`

/** What the shell makes of a line. No service is asked. */
function inBash(line: string): string[] {
  const script = `${COMMAND}
source <(plimsoll completion bash)
COMP_LINE=$1 COMP_POINT=\${#1}
_plimsoll
printf '%s\\n' "\${COMPREPLY[@]}"`
  const text = execFileSync('bash', ['-c', script, 'bash', line], { encoding: 'utf8', env: {} })
  return text.split('\n').filter(Boolean)
}

it('works in bash', () => {
  expect(inBash('plimsoll dep')).toEqual(['deployment'])
  expect(inBash('plimsoll findings list --assessment in-')).toEqual(['in-triage'])
})

/** zsh completes in a terminal only, so a second zsh runs in one that zpty makes. Waits for the text to be completed. */
const IN_TERMINAL = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PATH=$1:\\$PATH; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -D -u; $2; echo rea''dy"
zpty -r shell text '*ready*'
zpty -w -n shell "$3"$'\\t'
zpty -r shell text "*$4*"
zpty -d shell
print -r -- "$text"`

function inZsh(loading: string, line: string, completed: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-zsh-'))
  const program = `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`
  writeFileSync(join(folder, 'plimsoll'), program, { mode: 0o755 })
  const script = execFileSync(join(folder, 'plimsoll'), ['completion', 'zsh'], { env: {} })
  writeFileSync(join(folder, '_plimsoll'), script)
  const args = ['-f', '-c', IN_TERMINAL, ZSH, folder, loading, line, completed]
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '', TERM: 'dumb' }
  return execFileSync(ZSH, args, { encoding: 'utf8', env, timeout: 30_000 })
}

it.skipIf(missing.includes(ZSH)).each([
  ['that sources it', 'source <(plimsoll completion zsh)'],
  ['that finds it in a folder of completions', ''],
])('works in a zsh %s', (_how, loading) => {
  const text = inZsh(loading, 'plimsoll profile u', 'profile use')

  expect(text).toContain('plimsoll profile use')
})

it.skipIf(missing.includes(FISH))('works in fish', () => {
  const script = `function plimsoll; "${process.execPath}" "${MAIN}" $argv; end
plimsoll completion fish | source
complete -C 'plimsoll profile u'`
  const env = { HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' }

  const text = execFileSync(FISH, ['--no-config', '-c', script], { encoding: 'utf8', env })

  expect(text).toMatch(/^use\tUse a profile/)
})
