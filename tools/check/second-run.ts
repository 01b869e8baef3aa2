/**
 * In CI, a test file that failed runs once more, by itself. One test of thousands that fails by chance then costs nobody's work,
 * and is still told.
 */
import { describeFailures, type TestFailure, type TestOutcome } from './test-outcome.ts'

/** Of a run of the tests. `outcome` is undefined where the run died. */
export interface TestRun {
  failed: boolean
  output: string
  outcome: TestOutcome | undefined
}

export interface RepeatedRun {
  failed: boolean
  output: string
  /** What failed for good, as far as the runs could tell. */
  failures: TestFailure[]
  /** What failed at first in the files that passed at their second run. */
  passedAtSecondRun: TestFailure[]
}

/**
 * Runs the files that failed again, one after another, and stops at the first that fails twice: the result is certain then, and
 * a change that breaks hundreds of files ends soon. What failed outside any file is not repeated.
 */
export async function repeatFailedFiles(
  first: TestRun,
  runAlone: (file: string) => Promise<TestRun>,
): Promise<RepeatedRun> {
  const passedAtSecondRun: TestFailure[] = []
  const { failed, elsewhere } = first.outcome ?? { failed: [], elsewhere: [] }
  const ended = (isFailed: boolean, output = first.output): RepeatedRun => ({
    failed: isFailed,
    output,
    failures: failed.filter((failure) => !passedAtSecondRun.includes(failure)),
    passedAtSecondRun,
  })
  if (!first.failed) return ended(false)
  if (failed.length === 0 || elsewhere.length > 0) return ended(true)
  for (const [file, failures] of Map.groupBy(failed, (one) => one.file)) {
    const second = await runAlone(file)
    // A second run that skips every test proves nothing.
    if (second.failed || second.outcome?.passed.includes(file) !== true)
      return ended(true, `${first.output}\n--- ${file} by itself\n${second.output}`)
    for (const failure of failures) passedAtSecondRun.push(failure)
  }
  return ended(false)
}

/** The list at the end of the output; empty when every file passed at once. */
export function describeSecondRuns(failures: readonly TestFailure[]): string {
  return failures.length === 0 ? '' : `passed at the second run:\n${describeFailures(failures)}\n`
}
