/** The table of docs/design/asvs.md is whole, and leads to tests and pages that there are. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listMissingTests, listNamedTests, ROOT, sourceFiles } from './named-tests.ts'

const PAGE = join(ROOT, 'docs/design/asvs.md')
const STATES = ['met', 'partly', 'not', 'does not apply']

/** How many points of the levels 1 and 2 each section of ASVS 5.0.0 has. They are its first ones, by number. */
const SECTIONS = `
  1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1
  4.3:2 4.4:4 5.1:1 5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2
  7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4 10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2
  10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2 13.4:5
  14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2`

interface Row {
  points: string[]
  state: string
  shownBy: string
}

function readRows(): Row[] {
  return readFileSync(PAGE, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, points = '', , state = '', shownBy = ''] = line
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim())
      return /^\d/.test(points) ? [{ points: points.split(', '), state, shownBy }] : []
    })
}

const rows = readRows()
const listPages = ({ shownBy }: Row) =>
  [...shownBy.matchAll(/\]\(([^)#]+)/g)].map(([, path = '']) => path)

it('has each point once, with a state', () => {
  const sections = SECTIONS.trim()
    .split(/\s+/)
    .map((text) => text.split(':'))
  const expected = sections.flatMap(([section = '', count]) =>
    Array.from({ length: Number(count) }, (_, index) => `${section}.${index + 1}`),
  )

  expect(rows.flatMap(({ points }) => points).toSorted()).toEqual(expected.toSorted())
  expect(rows.filter(({ state }) => !STATES.includes(state))).toEqual([])
})

it('counts the points of each state', () => {
  const text = readFileSync(PAGE, 'utf8')

  for (const state of STATES) {
    const count = rows.filter((row) => row.state === state).flatMap(({ points }) => points).length
    expect(text).toMatch(new RegExp(`\\| ${state} +\\| ${count} +\\|`))
  }
})

it('names a test or a page for each point that is met', () => {
  const bare = rows.filter(
    (row) =>
      row.state === 'met' &&
      listNamedTests(row.shownBy).length === 0 &&
      listPages(row).length === 0,
  )

  expect(bare.map(({ points }) => points.join())).toEqual([])
})

it('names tests and pages that there are', () => {
  const missing = rows.flatMap((row) => [
    ...listMissingTests(listNamedTests(row.shownBy)),
    ...listPages(row).filter((path) => !existsSync(join(PAGE, '..', path))),
  ])

  expect(missing).toEqual([])
})

const SOURCES = sourceFiles.filter(
  (file) => /^(?:server|cli)\/src\//.test(file) && !file.endsWith('.test.ts'),
)
const listSources = (pattern: RegExp) =>
  SOURCES.filter((file) => pattern.test(readFileSync(join(ROOT, file), 'utf8'))).toSorted()

it('starts programs with lists of arguments, never through a shell', () => {
  expect(listSources(/from 'node:child_process'/)).not.toEqual([])
  expect(listSources(/\bshell: true|\bexec(?:Sync)?\b[^'\n]*'node:child_process'/)).toEqual([])
})

it('uses MD5 and SHA-1 where others ask for them, and nowhere else', () => {
  expect(
    listSources(/(?:createHash|createHmac|\bhash)\(\s*['"](?:md5|sha-?1)|\['md5', 'sha1'/i),
  ).toEqual([
    'server/src/features/artifacts/uploads/parts-service.ts',
    'server/src/features/artifacts/uploads/service.ts',
    'server/src/features/people/factors/totp.ts',
  ])
})
