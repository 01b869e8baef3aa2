import { spawnSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findReachedTests } from './reached-tests.ts'
import { check, givenRepository } from './small-repository.ts'

const FINDINGS = 'server/src/features/findings'
const TRIAGE = 'server/src/features/triage'
const GRAPH = new Map([
  ['server/src/formats/cvss.test.ts', ['server/src/formats/cvss.ts']],
  [`${FINDINGS}/store.ts`, ['server/src/formats/cvss.ts']],
  [`${FINDINGS}/store.test.ts`, [`${FINDINGS}/store.ts`]],
  [`${FINDINGS}/index.ts`, [`${FINDINGS}/store.ts`]],
  [`${TRIAGE}/service.ts`, [`${FINDINGS}/index.ts`]],
  [`${TRIAGE}/service.test.ts`, [`${TRIAGE}/service.ts`]],
  ['server/src/api.ts', [`${FINDINGS}/routes.ts`]],
  ['server/test/app.ts', ['server/src/api.ts']],
  ['server/test/given.ts', [`${FINDINGS}/store.ts`]],
  [`${FINDINGS}/routes.test.ts`, ['server/test/app.ts']],
  [`${TRIAGE}/routes.test.ts`, ['server/test/app.ts', 'server/test/given.ts']],
])
const TESTS = [...GRAPH.keys()].filter((file) => file.endsWith('.test.ts'))

it.each`
  changed                         | reached                                                             | because
  ${'server/src/formats/cvss.ts'} | ${['server/src/formats/cvss.test.ts', `${FINDINGS}/store.test.ts`]} | ${'they import it, the second through another file'}
  ${`${FINDINGS}/store.ts`}       | ${[`${FINDINGS}/store.test.ts`, `${FINDINGS}/routes.test.ts`]}      | ${'they import it or stand in its slice, and triage only knows the slice'}
  ${`${FINDINGS}/routes.ts`}      | ${[`${FINDINGS}/store.test.ts`, `${FINDINGS}/routes.test.ts`]}      | ${'the app imports it for every test'}
  ${'server/test/given.ts'}       | ${[`${TRIAGE}/routes.test.ts`]}                                     | ${'a helper reaches the tests that use it'}
  ${'server/test/app.ts'}         | ${[`${FINDINGS}/routes.test.ts`, `${TRIAGE}/routes.test.ts`]}       | ${'a helper reaches the tests that use it'}
  ${`${TRIAGE}/routes.test.ts`}   | ${[`${TRIAGE}/service.test.ts`, `${TRIAGE}/routes.test.ts`]}        | ${'a test stands in its slice, too'}
  ${'docs/glossary.md'}           | ${[]}                                                               | ${'nothing imports it'}
`(
  'a change of $changed reaches $reached.length tests, as $because',
  ({ changed, reached }: { changed: string; reached: string[] }) => {
    expect(findReachedTests([changed], TESTS, GRAPH)).toEqual(reached)
  },
)

it('checks what differs from main alone, committed or not', () => {
  const test = (name: string) =>
    `import { it } from 'vitest'\nimport './${name}.ts'\nit('${name}', () => undefined)`
  const root = givenRepository({
    ...Object.fromEntries(
      ['one', 'two', 'three'].flatMap((name) => [
        [`tools/${name}.ts`, 'export const a = 1\n'],
        [`tools/${name}.test.ts`, test(name)],
      ]),
    ),
    '.gitignore': 'node_modules\n',
  })
  const git = (...options: string[]) =>
    spawnSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...options], {
      cwd: root,
    })
  git('init', '--initial-branch=main')
  git('add', '.')
  git('commit', '--message=all')
  git('switch', '--create=topic')
  appendFileSync(join(root, 'tools/one.ts'), 'export const b = 2\n')
  git('commit', '--all', '--message=one')
  appendFileSync(join(root, 'tools/two.ts'), 'export const b = 2\n')

  const { status, stdout } = check(root, {}, '--changed')

  expect({ status, stdout }).toMatchObject({ status: 0 })
  expect(stdout).toContain('2 files changed, which reach 2 test files')
  expect(stdout).toMatch(/ok {5}lint .* tools\/one\.ts tools\/two\.ts\n/)
  expect(stdout).toMatch(/Tests {2}2 passed/)
  expect(stdout).not.toContain('queries:check')
})
