/** Completion by the shells themselves, where they are there. zsh is asked for its syntax alone: its completion needs a terminal. */
import { execFileSync, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { type Fleet, givenFleet } from '../../server/test/given-fleet.ts'
import { type Environment, plimsoll, startService } from './service.ts'

const MAIN = resolve(import.meta.dirname, '../src/main.ts')

let environment: Environment
let fleet: Fleet

beforeAll(async () => {
  const service = await startService({ withWorker: false })
  fleet = await givenFleet(service, 1)
  environment = service.environmentOf(fleet.client)
})

async function complete(...words: string[]): Promise<string[]> {
  const done = await plimsoll(environment, ['__complete', '--', ...words])
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
  [['nonsense', 'x', ''], []],
])('completes %j', async (words, expected) => {
  expect(await complete(...words)).toEqual(expected)
})

it('says nothing where the service is away, or there is no key', async () => {
  const away = { ...environment, PLIMSOLL_URL: 'http://127.0.0.1:9' }

  const outcomes = [
    await plimsoll(away, ['__complete', '--', 'firmware', 'show', '']),
    await plimsoll({}, ['__complete', '--', 'firmware', 'show', '']),
  ]

  for (const outcome of outcomes) expect(outcome).toEqual({ exitCode: 0, stdout: '', stderr: '' })
})

const isThere = (shell: string) => spawnSync(shell, ['--version']).status === 0
const FISH = 'fish'
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

it.skipIf(!isThere('zsh'))('is understood by zsh', async () => {
  const { stdout } = await plimsoll({}, ['completion', 'zsh'])

  expect(spawnSync('zsh', ['-n'], { input: stdout, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
})

it.skipIf(!isThere(FISH))('works in fish', () => {
  const script = `function plimsoll; "${process.execPath}" "${MAIN}" $argv; end
plimsoll completion fish | source
complete -C 'plimsoll profile u'`
  const env = { HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' }

  const text = execFileSync(FISH, ['--no-config', '-c', script], { encoding: 'utf8', env })

  expect(text).toMatch(/^use\tUse a profile/)
})
