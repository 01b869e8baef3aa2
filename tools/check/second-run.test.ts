/** Runs `npm run check` itself in a small repository whose tests fail as each case says. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const PASSES = `it('passes', () => expect(1).toBe(1))`
/** Fails in the first process that runs it, and not in the second. */
const FLICKERS = `
  import { existsSync, writeFileSync } from 'node:fs'
  const isFirst = !existsSync('was-here')
  writeFileSync('was-here', '')
  it('flickers', () => expect(isFirst).toBe(false))`
const FAILS = `it('fails', () => expect(1).toBe(2))`

/** A repository with this check, these test files, and other checks that succeed. */
function givenRepository(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'plimsoll-check-'))
  const texts = {
    'package.json': JSON.stringify({
      type: 'module',
      scripts: {
        ...Object.fromEntries(
          [
            'lint',
            'format:check',
            'openapi:check',
            'boundaries',
            'names',
            'dead',
            'docs',
            'commits',
            'spreads',
          ].map((name) => [name, 'true']),
        ),
        test: `'${process.execPath}' node_modules/vitest/vitest.mjs run`,
        // As the real one, it waits for the tests and tells what they collected.
        'queries:check': `until [ -e node_modules/.cache/tests-ended ]; do sleep 0.1; done; grep -q passed node_modules/.cache/tests-ended #`,
      },
    }),
    'vitest.config.ts': `
      import { OutcomeReporter } from './tools/check/test-outcome.ts'
      const outcome = process.env.PLIMSOLL_TEST_OUTCOME
      export default { test: { globals: true, pool: 'forks', setupFiles: ['setup.ts'], include: ['**/*.test.ts'],
        reporters: ['default', new OutcomeReporter(outcome, import.meta.dirname)] } }`,
    'setup.ts': `
      import { writeFileSync } from 'node:fs'
      writeFileSync(process.env.PLIMSOLL_COLLECT_QUERIES + '/' + process.pid, '')`,
    'server/queries/none.sql': '',
    ...files,
  }
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const part of [
    'check.ts',
    'check/second-run.ts',
    'check/test-outcome.ts',
    'queries/collected.ts',
  ])
    cpSync(join(ROOT, 'tools', part), join(root, 'tools', part), { recursive: true })
  mkdirSync(join(root, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  return root
}

function check(files: Record<string, string>, environment: Record<string, string> = {}) {
  const root = givenRepository(files)
  const { PLIMSOLL_SECOND_RUN: _, ...inherited } = process.env
  const { status, stdout } = spawnSync(process.execPath, ['tools/check.ts'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...inherited, NO_COLOR: '1', ...environment },
  })
  return { status, stdout, root }
}

const IN_CI = { PLIMSOLL_SECOND_RUN: '1' }
const LIST = 'passed at the second run:\n'

it('passes a file that fails once, and ends with its name and first failure', () => {
  const { status, stdout, root } = check({ 'a.test.ts': FLICKERS, 'b.test.ts': PASSES }, IN_CI)

  expect({ status, stdout }).toMatchObject({ status: 0 })
  const [shown, list] = stdout.split(LIST)
  expect(list).toBe('  a.test.ts: flickers: expected true to be false // Object.is equality\n')
  expect(shown).toMatch(/FAILED test .*\n[^]*ok {5}test .* a\.test\.ts\n/)
  expect(shown).toContain('AssertionError: expected true to be false')
  // Two files in the first run and one in the second.
  expect(readdirSync(join(root, 'node_modules/.cache/queries'))).toHaveLength(3)
})

it.each`
  what                               | files                                                                               | environment
  ${'fails once, outside CI'}        | ${{ 'a.test.ts': FLICKERS }}                                                        | ${{}}
  ${'fails twice'}                   | ${{ 'a.test.ts': FAILS, 'b.test.ts': PASSES }}                                      | ${IN_CI}
  ${'cannot be loaded'}              | ${{ 'a.test.ts': `throw new Error('no')` }}                                         | ${IN_CI}
  ${'is skipped the second time'}    | ${{ 'a.test.ts': FLICKERS.replace(`it('`, `it.skipIf(!isFirst)('`) }}               | ${IN_CI}
  ${'ends its worker'}               | ${{ 'a.test.ts': `it('ends', () => process.kill(process.pid, 'SIGKILL'))` }}        | ${IN_CI}
  ${'is not there at all'}           | ${{}}                                                                               | ${IN_CI}
  ${'rejects twice behind its back'} | ${{ 'a.test.ts': `it('leaks', () => { void Promise.reject(new Error('late')) })` }} | ${IN_CI}
`(
  'fails when a test $what',
  ({ files = {}, environment }: Record<string, Record<string, string>>) => {
    const { status, stdout } = check(files, environment)

    expect({ status, stdout }).toMatchObject({ status: 1 })
    expect(stdout).toContain('\nfailed: test')
    expect(stdout).not.toContain(LIST)
  },
)

it('does not take a file that failed twice for one that failed by chance', () => {
  const { status, stdout } = check({ 'a.test.ts': FLICKERS, 'b.test.ts': FAILS }, IN_CI)

  expect(status).toBe(1)
  expect(stdout).toContain('b.test.ts by itself')
})
