/** A small repository in which tests run `npm run check` itself. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** A repository with this check, these test files, and other checks that succeed. */
export function givenRepository(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'plimsoll-check-'))
  const texts = {
    'package.json': JSON.stringify({
      type: 'module',
      scripts: {
        ...Object.fromEntries(
          [
            'lint',
            'format:check',
            'openapi:check',
            'boundaries',
            'names',
            'dead',
            'docs',
            'commits',
            'spreads',
          ].map((name) => [name, 'true']),
        ),
        test: `'${process.execPath}' node_modules/vitest/vitest.mjs run`,
        // As the real one, it waits for the tests and tells what they collected.
        'queries:check': `until [ -e node_modules/.cache/tests-ended ]; do sleep 0.1; done; grep -q passed node_modules/.cache/tests-ended #`,
      },
    }),
    'vitest.config.ts': `
      import { OutcomeReporter } from './tools/check/test-outcome.ts'
      const outcome = process.env.PLIMSOLL_TEST_OUTCOME
      export default { test: { globals: true, pool: 'forks', setupFiles: ['setup.ts'], include: ['**/*.test.ts'],
        reporters: ['default', new OutcomeReporter(outcome, import.meta.dirname)] } }`,
    'setup.ts': `
      import { writeFileSync } from 'node:fs'
      const folder = process.env.PLIMSOLL_COLLECT_QUERIES
      if (folder) writeFileSync(folder + '/' + process.pid, '')`,
    'server/queries/none.sql': '',
    ...files,
  }
  for (const [name, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  for (const part of [
    'tools/check.ts',
    'tools/check/reached-tests.ts',
    'tools/check/second-run.ts',
    'tools/check/test-outcome.ts',
    'tools/queries/collected.ts',
    'server/test/test-projects.ts',
  ])
    cpSync(join(ROOT, part), join(root, part), { recursive: true })
  mkdirSync(join(root, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  return root
}

export function check(
  root: string,
  environment: Record<string, string> = {},
  ...options: string[]
): { status: number | null; stdout: string } {
  const { PLIMSOLL_SECOND_RUN: _, ...inherited } = process.env
  return spawnSync(process.execPath, ['tools/check.ts', ...options], {
    cwd: root,
    encoding: 'utf8',
    env: { ...inherited, NO_COLOR: '1', ...environment },
  })
}
