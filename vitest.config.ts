import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { findTestProjects } from './server/test/test-projects.ts'

const { pure, slices, system } = findTestProjects()
// `npm run check` and `npm run queries` collect the statements that the tests execute.
const collecting = process.env['PLIMSOLL_COLLECT_QUERIES'] ? ['server/test/collect-queries.ts'] : []
const common = {
  // Ends only tests that hang: a machine with other work to do takes several times as long.
  testTimeout: 180_000,
  hookTimeout: 240_000,
  pool: 'forks' as const,
  setupFiles: ['server/test/setup.ts', ...collecting],
}

/** The projects whose files take longest come first, so that the run does not end with one long file. */
const ORDER = ['system', 'slices', 'pure']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => ORDER.indexOf(project.name)
    // oxlint-disable-next-line unicorn/no-array-sort -- the sequencer of Vitest, not an array
    const byDuration = await super.sort(files)
    return byDuration.toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    sequence: { sequencer: LongestFirst },
    // Tests often wait for the database and for processes, and leave a processor idle meanwhile.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { ...common, name: 'pure', include: pure, isolate: false } },
      { test: { ...common, name: 'slices', include: slices, isolate: false } },
      { test: { ...common, name: 'system', include: system } },
    ],
  },
})
