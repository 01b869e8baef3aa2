/** -o and --jq are those of every command; here they are those of a list and of one thing. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Command } from 'commander'
import { findProgram } from '../../server/test/programs.ts'
import { createProgram } from '../src/program.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, runPlimsoll, startService } from './service.ts'

const NAME = '=HYPERLINK("x")'
/** Its end would turn the rest of the line around. */
const DESCRIPTION = 'on a pole \u202e'
let environment: Environment

beforeAll(async () => {
  const service = await startService({ withWorker: false })
  environment = service.environmentOf(await service.givenWorkspace())
  await run('firmware', 'create', 'gateway', '--name', NAME, '--description', DESCRIPTION)
  await run('firmware', 'create', 'modem')
  await run('firmware-version', 'create', 'gateway@1.0')
})

const run = (...args: string[]) => runPlimsoll(environment, args)

it('answers as YAML what it answers as JSON', async () => {
  for (const command of [
    ['firmware', 'list'],
    ['firmware', 'show', 'gateway'],
    ['components', 'list', 'gateway@1.0'],
    ['whoami'],
  ]) {
    const json = await run(...command, '-o', 'json')
    const yaml = await run(...command, '-o', 'yaml')

    expect(json.stdout).toBe((await run(...command, '--json')).stdout)
    expect(parse(yaml.stdout)).toEqual(JSON.parse(json.stdout))
  }
})

it('writes nothing of a list that cannot be read', async () => {
  const { stdout, exitCode } = await run('components', 'list', 'gateway@0', '--json')

  expect([exitCode, stdout]).toEqual([EXIT.error, ''])
})

it('answers as CSV without formulas', async () => {
  const listed = await run('firmware', 'list', '-o', 'csv')
  const shown = await run('firmware', 'show', 'gateway', '-o', 'csv')

  expect(listed.stdout).toBe((await run('firmware', 'list', '--csv')).stdout)
  expect(listed.stdout).toMatch(/\r\ngateway,"'=HYPERLINK/)
  expect(shown.stdout).toMatch(/^id,.*\r\n.*"'=HYPERLINK\(""x""\).*\r\n$/)
})

it('shows all columns of a table in full where the terminal is narrow', async () => {
  const terminal = { isTerminal: true, columns: 40 }
  const narrow = await runPlimsoll(environment, ['firmware', 'list'], terminal)
  const wide = await runPlimsoll(environment, ['firmware', 'list', '-o', 'wide'], terminal)

  expect(narrow.stdout).not.toContain('on a pole')
  expect(wide.stdout).toContain('on a pole')
})

it('answers what an expression of jq makes of the JSON', async () => {
  const names = await run('firmware', 'list', '--jq', '.firmwares[] | .slug # by name')
  const counts = await run('firmware', 'list', '--jq', '{count: (.firmwares | length)}')
  const raw = await run('firmware', 'show', 'gateway', '--jq', '.description')
  const terminal = { isTerminal: true }
  const shown = await runPlimsoll(
    environment,
    ['firmware', 'list', '--jq', '.firmwares[0].description'],
    terminal,
  )

  expect(names.stdout).toBe('gateway\nmodem\n')
  expect(counts.stdout).toBe('{"count":2}\n')
  expect(raw.stdout).toBe(`${DESCRIPTION}\n`)
  expect(shown.stdout).toBe('on a pole \ufffd\n')
})

it('says what is wrong with an expression, or that there is no jq, before it does anything', async () => {
  const create = ['firmware', 'create', 'third', '--jq']
  const wrong = await run(...create, '.id |')
  const absent = await runPlimsoll({ ...environment, PATH: '/nowhere' }, [...create, '.id'])
  const both = await run(...create, '.id', '-o', 'yaml')
  const late = await run('firmware', 'list', '--jq', '.firmwares | error("late")')

  expect(wrong).toMatchObject({ exitCode: EXIT.error, stdout: '' })
  expect(wrong.stderr).toMatch(/^--jq: jq: error: syntax error/)
  expect(absent.stderr).toMatch(/^--jq runs the program jq, which is not on the PATH: install it/)
  expect(both.stderr).toBe('--jq answers as JSON: leave -o yaml out.\n')
  expect(late).toMatchObject({ exitCode: EXIT.error, stdout: '' })
  expect(late.stderr).toContain('late')
  expect((await run('firmware', 'list', '--quiet')).stdout).toBe('gateway\nmodem\n')
})

it('holds for the process that people run', async () => {
  const args = [
    await findProgram('client'),
    'firmware',
    'list',
    '--jq',
    '.firmwares | map(.slug) | join("+")',
  ]
  const { PATH = '' } = process.env

  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...environment, PATH },
  })

  expect(stdout).toBe('gateway+modem\n')
})

it('is an option of every list and of every command that shows something', async () => {
  const named = listCommands(await createProgram()).filter((command) =>
    /^(?:list|show|devices|versions|counts)$/.test(command.name()),
  )

  expect(named.length).toBeGreaterThan(30)
  for (const { options } of named)
    expect(options.map(({ short }) => short)).toEqual(expect.arrayContaining(['-o']))
})

function listCommands(command: Command): Command[] {
  return command.commands.flatMap((below) => [below, ...listCommands(below)])
}
