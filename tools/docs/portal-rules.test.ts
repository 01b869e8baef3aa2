/** docs/design/portal-rules.md names tests that there are. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listMissingTests, listNamedTests, ROOT } from './named-tests.ts'

const rows = readFileSync(join(ROOT, 'docs/design/portal-rules.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, rule = '', shownBy = ''] = line.split('|').map((cell) => cell.trim())
    return shownBy === '' || /^-+$|^shown by$|^its question/.test(shownBy)
      ? []
      : [{ rule, shownBy }]
  })

it('has what shows each rule', () => {
  const bare = rows.filter(
    ({ shownBy }) =>
      listNamedTests(shownBy).length === 0 && !/pictures|not shown|\]\(/.test(shownBy),
  )

  expect(rows.length).toBeGreaterThan(30)
  expect(bare).toEqual([])
})

it('names tests that there are', () => {
  expect(rows.flatMap(({ shownBy }) => listMissingTests(listNamedTests(shownBy)))).toEqual([])
})
