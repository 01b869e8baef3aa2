/** How little of the client is read for a Tab and for help: as a release has it, in processes of their own. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleCli, CLIENT } from './cli.ts'
import { REPOSITORY } from './paths.ts'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-cli-start-'))
const env = { HOME: folder, COLUMNS: '100' }
const WATCH = join(folder, 'watch.cjs')

beforeAll(async () => {
  await bundleCli(join(folder, 'client'))
  writeFileSync(WATCH, "process.on('exit', () => console.error(Object.keys(require.cache).join()))")
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What the client of the release answers, and which of its files it read for that. */
function runClient(...args: string[]) {
  const client = ['--require', WATCH, join(folder, 'client', CLIENT)]
  const { stdout, stderr } = spawnSync(process.execPath, [...client, ...args], {
    encoding: 'utf8',
    env,
  })
  const files = stderr
    .trim()
    .split(',')
    .map((path) => basename(path))
  return { stdout, files: files.filter((name) => name !== 'watch.cjs').toSorted() }
}

function runCheckout(...args: string[]): string {
  const main = join(REPOSITORY, 'cli/src/main.ts')
  return execFileSync(process.execPath, [main, ...args], { encoding: 'utf8', env })
}

const COMPLETING = new Set([
  'built-commands.cjs',
  'complete.cjs',
  CLIENT,
  'printable.cjs',
  'rolldown-runtime.cjs',
  'terminal.cjs',
])

it.each([
  [['fi']],
  [['']],
  [['findings', '']],
  [['findings', 'list', '--']],
  [['findings', 'list', '-q', '--severity', '']],
  [['open', 'firmware-']],
  [['completion', '']],
  [['help', '']],
  [['nonsense', 'x', '']],
])('completes %j without loading a command, the first time too', (words) => {
  const { stdout, files } = runClient('__complete', '--', ...words)

  expect(stdout).toBe(runCheckout('__complete', '--', ...words))
  expect(files.filter((name) => !COMPLETING.has(name))).toEqual([])
})

it('asks the service for names without loading a command', () => {
  const { files } = runClient('__complete', '--', 'firmware', 'show', '')

  expect(files).toContain('lookup.cjs')
  expect(
    files.filter((name) => ['program.cjs', 'completion.cjs', 'firmware.cjs'].includes(name)),
  ).toEqual([])
})

it('lists the commands in help without loading them', () => {
  const { stdout, files } = runClient('--help')

  expect(stdout).toBe(runCheckout('--help'))
  expect(stdout).toContain('findings')
  expect(files).not.toContain('findings.cjs')
})

it('knows what an unknown command resembles', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(folder, 'client', CLIENT), 'findngs'],
    {
      encoding: 'utf8',
      env,
    },
  )

  expect(status).toBe(1)
  expect(stderr).toContain('Did you mean findings?')
})
