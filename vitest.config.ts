import { defineConfig } from 'vitest/config'
import { findTestProjects } from './server/test/test-projects.ts'

const { pure, slices, system } = findTestProjects()
const common = { testTimeout: 60_000, hookTimeout: 120_000, pool: 'forks' } as const

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
