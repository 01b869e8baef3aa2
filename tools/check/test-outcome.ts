/** What a run of the tests came to, by file, for `npm run check`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

export interface TestFailure {
  /** From the root of the repository. */
  file: string
  test: string
  /** Of the first error. */
  message: string
}

export interface TestOutcome {
  /** Files of which at least one test ran and none failed. */
  passed: string[]
  failed: TestFailure[]
  /** What failed outside any file, such as a worker that was killed. */
  elsewhere: string[]
}

/** Writes the outcome when the run ends. A run that dies leaves none. */
export class OutcomeReporter implements Reporter {
  readonly #path: string
  readonly #root: string

  constructor(path: string, root: string) {
    this.#path = path
    this.#root = root
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const fileOf = (path: string) => relative(this.#root, path)
    const failed = modules.filter((module) => !hasEndedWell(module))
    const stray = errors.map((error) => ({ error, path: pathOf(error) }))
    const outcome: TestOutcome = {
      passed: modules.flatMap((module) =>
        module.state() === 'passed' ? [fileOf(module.moduleId)] : [],
      ),
      failed: [
        ...failed.flatMap((module) => failuresOf(module, fileOf(module.moduleId))),
        ...stray.flatMap(({ error: { message }, path }) =>
          path === undefined ? [] : [{ file: fileOf(path), test: 'unhandled error', message }],
        ),
      ],
      elsewhere: stray.flatMap(({ error, path }) => (path === undefined ? [error.message] : [])),
    }
    writeFileSync(this.#path, JSON.stringify(outcome))
  }
}

/** undefined: the run died before its end. */
export function readOutcome(path: string): TestOutcome | undefined {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TestOutcome) : undefined
}

const hasEndedWell = (module: TestModule) => ['passed', 'skipped'].includes(module.state())

/** The file in which nobody awaited what failed. */
function pathOf(error: SerializedError): string | undefined {
  const path: unknown = error['VITEST_TEST_PATH']
  return typeof path === 'string' ? path : undefined
}

/** The tests that failed, or else the suites, or else the file itself. */
function failuresOf(module: TestModule, file: string): TestFailure[] {
  const tests = [...module.children.allTests('failed')].map((test) => ({
    file,
    test: test.fullName,
    message: test.result().errors?.[0]?.message ?? '',
  }))
  const suites = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map(({ message }) => ({ file, test: suite.fullName, message })),
  )
  const failures = [...tests, ...suites]
  if (failures.length > 0) return failures
  const [error] = module.errors()
  return [{ file, test: 'the file', message: error?.message ?? 'did not end' }]
}

const MOST_FAILURES = 40
const MESSAGE_LENGTH = 300

/** One line for each of the first failures, with the first line of its error, and how many more there are. */
export function describeFailures(failures: readonly TestFailure[]): string {
  const lines = failures.slice(0, MOST_FAILURES).map(({ file, test, message }) => {
    const [line = ''] = message.split('\n')
    return `  ${file}: ${test}: ${line.slice(0, MESSAGE_LENGTH)}`
  })
  const others = failures.length - lines.length
  return [...lines, ...(others > 0 ? [`  and ${others} more`] : [])].join('\n')
}
