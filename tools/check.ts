/**
 * Runs every check of the repository side by side: the tests, and beside them the others. Each one's result is
 * printed when it ends, the whole output of those that failed at the end. A check is a script of package.json.
 * With PLIMSOLL_SECOND_RUN=1, as in CI, a test file that failed runs once more by itself. With `--changed`, tests and lint
 * are those of what differs from the branch `main`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { findChanges } from './check/reached-tests.ts'
import { describeSecondRuns, repeatFailedFiles, type TestRun } from './check/second-run.ts'
import { describeFailures, readOutcome, type TestFailure } from './check/test-outcome.ts'
import { COLLECTED, TESTS_ENDED } from './queries/collected.ts'

interface Result {
  name: string
  failed: boolean
  output: string
  /** The tests among what failed. */
  failures?: readonly TestFailure[]
}

const TESTS = 'test'
/** Reads the sources while the tests run, and what these collected when they end (decision 20). */
const WITH_TESTS = 'queries:check'
/** Checks the types too. */
const LINT = 'lint'
/** The most expensive first. */
const BESIDE_TESTS = [
  LINT,
  'format:check',
  'openapi:check',
  'boundaries',
  'names',
  'dead',
  'docs',
  'commits',
]
const WIDTH = Math.max(1, Math.min(3, availableParallelism() - 1))
/** What is printed of a check that succeeds: enough for the test runner's summary. */
const SUMMARY_LINES = 6
/** Of more files than this, the number is printed. */
const MOST_NAMES = 3
/** What tests tell people, such as the findings about Plimsoll itself. */
const NOTICES = /^notice: .*$/gm

/** Where the test runner begins to say what failed, after all that it said while it ran. */
const FAILURES = /^.*(?:Failed Suites|Failed Tests|Unhandled Errors).*$/m

const isForgiving = process.env['PLIMSOLL_SECOND_RUN'] === '1'
const OUTCOME = resolve(COLLECTED, '../test-outcome.json')
const passedAtSecondRun: TestFailure[] = []

const root = resolve(import.meta.dirname, '..')
/** undefined: everything is checked. */
const changes = process.argv.includes('--changed') ? findChanges(root) : undefined
const linted = changes?.changed.filter((file) => /\.tsx?$/.test(file)) ?? []
const manifest = readFileSync(resolve(root, 'package.json'), 'utf8')
const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string | undefined> }
/** Before the first `npm run queries` there is nothing to compare with, so nothing is collected. */
const isListed = existsSync(resolve(root, 'server/queries'))
/** What runs, with its output so far. */
const running = new Map<string, { child: ChildProcess; chunks: Buffer[] }>()

function run(name: string, options: readonly string[] = []): Promise<Result> {
  const command = scripts[name]
  if (command === undefined) throw new Error(`package.json has no script ${name}`)
  const started = performance.now()
  const child = spawn([command, ...options].join(' '), {
    cwd: root,
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // The type checker of `lint` is a Go program that ends before it needs its memory again.
      GOGC: 'off',
      ...(name === TESTS && { PLIMSOLL_TEST_OUTCOME: OUTCOME }),
      ...(name === TESTS && isListed && !changes && { PLIMSOLL_COLLECT_QUERIES: COLLECTED }),
    },
  })
  const chunks: Buffer[] = []
  running.set(name, { child, chunks })
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((done) => {
    const end = (failed: boolean, output: string) => {
      running.delete(name)
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      const files = options.length > MOST_NAMES ? [`${options.length} files`] : options
      const shown = [name.padEnd(14), `${seconds} s`, ...files].join(' ')
      process.stdout.write(`${failed ? 'FAILED' : 'ok    '} ${shown}\n`)
      done({ name, failed, output })
    }
    child.once('error', (error) => end(true, error.message))
    child.once('close', (code) => end(code !== 0, Buffer.concat(chunks).toString()))
  })
}

async function runTestFiles(files: readonly string[]): Promise<TestRun> {
  rmSync(OUTCOME, { force: true })
  const { failed, output } = await run(TESTS, files)
  return { failed, output, outcome: readOutcome(OUTCOME) }
}

/** The statements that a second run executes are collected beside those of the first. */
async function runAllTests(): Promise<Result> {
  const first = await runTestFiles(changes?.tests ?? [])
  if (!isForgiving) return { name: TESTS, ...first, failures: first.outcome?.failed ?? [] }
  const repeated = await repeatFailedFiles(first, (file) => runTestFiles([file]))
  for (const failure of repeated.passedAtSecondRun) passedAtSecondRun.push(failure)
  const { failed, output, failures } = repeated
  return { name: TESTS, failed, output, failures }
}

/** What failed comes first, and before it the names alone: whoever sees only the beginning of a long output learns them too. */
function failuresFirst(output: string): string {
  const at = output.search(FAILURES)
  if (at <= 0) return output.trimEnd()
  const failures = output.slice(at).trimEnd()
  const names = new Set(failures.match(/^.*\bFAIL\b.*$/gm))
  return `${[...names].join('\n')}\n${failures}\n\nbefore that:\n${output.slice(0, at).trimEnd()}`
}

async function runAll(names: readonly string[], width: number): Promise<Result[]> {
  const waiting = names.values()
  const results: Result[] = []
  const runWaiting = async () => {
    for (const name of waiting) results.push(await run(name, name === LINT ? linted : []))
  }
  await Promise.all(Array.from({ length: width }, runWaiting))
  return results
}

/** If the check ends early (by a person or a time limit of CI), prints the output so far of what still ran. */
function stop(): void {
  for (const [name, { child, chunks }] of running) {
    process.stderr.write(`\n--- ${name}, not finished\n${Buffer.concat(chunks).toString()}\n`)
    child.kill()
  }
  process.exit(1)
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)

async function runTests(): Promise<Result[]> {
  rmSync(COLLECTED, { recursive: true, force: true })
  rmSync(TESTS_ENDED, { force: true })
  mkdirSync(COLLECTED, { recursive: true })
  if (changes) {
    const { changed, tests } = changes
    process.stdout.write(
      `${changed.length} files changed, which reach ${tests.length} test files\n`,
    )
    return tests.length === 0 ? [] : [await runAllTests()]
  }
  if (!isListed) {
    process.stdout.write(`not run ${WITH_TESTS}: server/queries is missing\n`)
    return [await runAllTests()]
  }
  const tests = runAllTests().then((result) => {
    writeFileSync(TESTS_ENDED, result.failed ? 'failed' : 'passed')
    return result
  })
  return Promise.all([tests, run(WITH_TESTS, ['--wait'])])
}

const beside = BESIDE_TESTS.filter((name) => name !== LINT || !changes || linted.length > 0)
const [tests, others] = await Promise.all([runTests(), runAll(beside, WIDTH)])
for (const { name, failed: isFailed, output } of tests)
  if (name === TESTS && !isFailed) {
    const at = output.search(FAILURES)
    const summary =
      passedAtSecondRun.length > 0
        ? [`\n--- ${name}, first run`, output.slice(at).trimEnd()]
        : output.trimEnd().split('\n').slice(-SUMMARY_LINES)
    const shown = [...(output.match(NOTICES) ?? []), ...summary]
    process.stdout.write(`${shown.join('\n')}\n`)
  }
const failed = [...tests, ...others].filter((result) => result.failed)
for (const { name, output } of failed)
  process.stdout.write(`\n--- ${name} failed\n${failuresFirst(output)}\n`)
// Names the tests again, as only the end is kept where a long output is cut.
const failures = failed.flatMap((result) => result.failures ?? [])
if (failures.length > 0) process.stdout.write(`\nfailing tests:\n${describeFailures(failures)}\n`)
if (failed.length > 0)
  process.stdout.write(`\nfailed: ${failed.map(({ name }) => name).join(', ')}\n`)
process.stdout.write(describeSecondRuns(passedAtSecondRun))
process.exitCode = failed.length > 0 ? 1 : 0
