/** Runs `npm run check` itself in a small repository whose tests fail as each case says. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { check, givenRepository } from './small-repository.ts'

const PASSES = `it('passes', () => expect(1).toBe(1))`
/** Fails in the first process that runs it, and not in the second. */
const FLICKERS = `
  import { existsSync, writeFileSync } from 'node:fs'
  const isFirst = !existsSync('was-here')
  writeFileSync('was-here', '')
  it('flickers', () => expect(isFirst).toBe(false))`
const FAILS = `it('fails', () => expect(1).toBe(2))`

const IN_CI = { PLIMSOLL_SECOND_RUN: '1' }
const LIST = 'passed at the second run:\n'

it('passes a file that fails once, and ends with its name and first failure', () => {
  const root = givenRepository({ 'a.test.ts': FLICKERS, 'b.test.ts': PASSES })

  const { status, stdout } = check(root, IN_CI)

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
    const { status, stdout } = check(givenRepository(files), environment)

    expect({ status, stdout }).toMatchObject({ status: 1 })
    expect(stdout).toContain('\nfailed: test')
    expect(stdout).not.toContain(LIST)
  },
)

it('does not take a file that failed twice for one that failed by chance', () => {
  const root = givenRepository({ 'a.test.ts': FLICKERS, 'b.test.ts': FAILS })

  const { status, stdout } = check(root, IN_CI)

  expect(status).toBe(1)
  expect(stdout).toContain('b.test.ts by itself')
})

it('names what failed at the end, too, and counts what it leaves out', () => {
  const many = `for (let n = 1; n <= 42; n += 1) it('adds ' + n, () => expect(n).toBe(0))`
  const root = givenRepository({ 'a.test.ts': many, 'b.test.ts': FLICKERS })

  const { stdout } = check(root, IN_CI)

  const [, end = ''] = stdout.split('\nfailing tests:\n')
  const lines = end.split('\n')
  expect(lines[0]).toBe('  a.test.ts: adds 1: expected 1 to be +0 // Object.is equality')
  expect(lines.slice(39, 43)).toStrictEqual([
    '  a.test.ts: adds 40: expected 40 to be +0 // Object.is equality',
    expect.stringMatching(/^ {2}and [23] more$/),
    '',
    expect.stringMatching(/^failed: test/),
  ])
})
