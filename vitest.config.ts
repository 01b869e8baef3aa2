import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'cli/**/*.test.ts', 'api-client/**/*.test.ts'],
    globalSetup: ['server/test/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Many wait for a database, a process or the next minute: on two cores one alone would leave them idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
})
