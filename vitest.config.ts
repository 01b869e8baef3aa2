import { defineConfig } from 'vitest/config'
import { findTestProjects } from './server/test/test-projects.ts'

const { pure, slices, system } = findTestProjects()
// `npm run check` and `npm run queries` collect the statements that the tests execute.
const collecting = process.env['PLIMSOLL_COLLECT_QUERIES'] ? ['server/test/collect-queries.ts'] : []
const common = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
  setupFiles: ['server/test/setup.ts', ...collecting],
}

export default defineConfig({
  test: {
    globalSetup: ['server/test/global-setup.ts'],
    maxWorkers: 2,
    projects: [
      { test: { ...common, name: 'pure', include: pure, isolate: false } },
      { test: { ...common, name: 'slices', include: slices, isolate: false } },
      { test: { ...common, name: 'system', include: system } },
    ],
  },
})
