import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { findTestProjects } from './server/test/test-projects.ts'
import { OutcomeReporter } from './tools/check/test-outcome.ts'

const { components, pure, slices, system } = findTestProjects()
// `npm run check` and `npm run queries` collect the statements that the tests execute.
const collecting = process.env['PLIMSOLL_COLLECT_QUERIES'] ? ['server/test/collect-queries.ts'] : []
// `npm run check` asks for the outcome of each file.
const outcome = process.env['PLIMSOLL_TEST_OUTCOME']
const reporters = outcome
  ? ['default', new OutcomeReporter(outcome, import.meta.dirname)]
  : undefined
const common = {
  // Ends only tests that hang: a machine with other work to do takes several times as long.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  // So does this: a test that waits for something does not fail because the machine is slow.
  expect: { poll: { timeout: 170_000 } },
  pool: 'forks' as const,
  // The files of a project share processes: loading the service takes three seconds of processor.
  isolate: false,
  // Tests make much garbage, and workers of many files keep much: with the usual sizes a sixth of their processor time goes
  // into collecting it.
  execArgv: [
    '--min-semi-space-size=16',
    '--max-semi-space-size=64',
    '--initial-old-space-size=512',
  ],
  setupFiles: ['server/test/setup.ts', ...collecting],
}

/** Of a group, these begin first and in this order, so that it does not end with one long file. */
const LONG = [
  'portal/test/portal.test.ts',
  'server/test/scaled.test.ts',
  'server/test/survival.test.ts',
  'server/test/operator.test.ts',
  'cli/test/service-killed.test.ts',
  'server/test/rolling-upgrade.test.ts',
  'tools/release/release.test.ts',
  'server/test/rauc-streaming.test.ts',
  'server/test/acceptances-killed.test.ts',
  'server/test/key-encryption.test.ts',
  'server/test/fleet.test.ts',
  'cli/test/guide-blocks.test.ts',
  'server/src/features/advisories/first-import.test.ts',
]
const ORDER = ['system', 'slices', 'pure', 'components']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = (moduleId: string) => {
      const place = LONG.findIndex((file) => moduleId.endsWith(file))
      return place === -1 ? LONG.length : place
    }
    // Whole groups follow each other: a worker ends when the next file is of another one.
    const rank = ({ project, moduleId }: TestSpecification) =>
      (LONG.length + 1) * ORDER.indexOf(project.name) + placeOf(moduleId)
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer of Vitest, not an array
    const byDuration = await super.sort(files)
    return byDuration.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    ...(reporters && { reporters }),
    globalSetup: ['server/test/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    // Tests often wait for the database or for other processes, and leave a processor idle meanwhile: a sixth of the time of two
    // processors with two workers more.
    maxWorkers: availableParallelism() + 3,
    projects: [
      { test: { ...common, name: 'components', include: components, environment: 'jsdom' } },
      { test: { ...common, name: 'pure', include: pure } },
      { test: { ...common, name: 'slices', include: slices } },
      { test: { ...common, name: 'system', include: system } },
    ],
  },
})
