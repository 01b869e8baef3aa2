/** What a run of the tests came to, by file, for `npm run check`. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

export interface FirstFailure {
  /** From the root of the repository. */
  file: string
  test: string
  message: string
}

export interface TestOutcome {
  /** Files of which at least one test ran and none failed. */
  passed: string[]
  failed: FirstFailure[]
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
        ...failed.map((module) => ({ file: fileOf(module.moduleId), ...firstFailureOf(module) })),
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

function firstFailureOf(module: TestModule): { test: string; message: string } {
  for (const test of module.children.allTests('failed'))
    return { test: test.fullName, message: test.result().errors?.[0]?.message ?? '' }
  for (const suite of module.children.allSuites()) {
    const [error] = suite.errors()
    if (error) return { test: suite.fullName, message: error.message }
  }
  const [error] = module.errors()
  return { test: 'the file', message: error?.message ?? 'did not end' }
}
