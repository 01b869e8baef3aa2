import { expect, it } from 'vitest'
import { readCveAffected } from '../../formats/advisories/cve5-affected.ts'
import type { Evidence } from './evidence.ts'
import { describeDecidingRange, describeRange } from './range-words.ts'

it.each`
  range                      | said
  ${'>= 6.2, < 6.6.137'}     | ${'from 6.2 on, before 6.6.137'}
  ${'< 8.4.0'}               | ${'before 8.4.0'}
  ${'> 1.0, <= 1.2'}         | ${'after 1.0, up to 1.2'}
  ${'>= 6.6.137, <= 6.6.*'}  | ${'6.6.137 and later of 6.6'}
  ${'all versions'}          | ${'all versions'}
  ${'1.2.3'}                 | ${'1.2.3'}
  ${'>= 1.0; see the notes'} | ${'>= 1.0; see the notes'}
`('says "$said" for $range', ({ range, said }: { range: string; said: string }) => {
  expect(describeRange(range)).toBe(said)
})

const status = 'unaffected'
const BEFORE = { version: '0', lessThan: '4.14', status, versionType: 'semver' }
const BRANCH = { version: '6.6.137', lessThanOrEqual: '6.6.*', status, versionType: 'semver' }
const OTHER = { version: '6.12.85', lessThanOrEqual: '6.12.*', status, versionType: 'semver' }
const MAINLINE = { version: '7.0', lessThanOrEqual: '*', status, versionType: 'semver' }

/** What a record of the kernel's makers says of a release that it does not name. */
function say(defaultStatus: string, versions: object[]): string {
  const affected = [{ vendor: 'Linux', product: 'Linux', defaultStatus, versions }]
  const rows = readCveAffected({ affected }, '').map((one) => ({
    source: 'cvelist' as const,
    advisoryId: 'CVE-2026-1',
    ...one,
  }))
  const [row] = rows
  const statement = row?.statements.find((one) => one.defaultStatus === defaultStatus)
  if (!row || !statement) throw new Error('The record names nothing.')
  const { source, advisoryId, key } = row
  const range = `every version not named is ${defaultStatus}`
  const evidence = { source, advisoryId, key, range, statement, comparator: statement.scheme }
  return describeDecidingRange(evidence as Evidence, rows)
}

it.each`
  versions                                 | said
  ${[{ ...BEFORE, status: 'unaffected' }]} | ${'every release from 4.14 on'}
  ${[BEFORE, BRANCH]}                      | ${'every release from 4.14 on, except 6.6.137 and later of 6.6'}
  ${[BEFORE, BRANCH, OTHER, MAINLINE]}     | ${'every release from 4.14 on, before 7.0, except 6.6.137 and later of 6.6; and 6.12.85 and later of 6.12'}
  ${[BRANCH, MAINLINE]}                    | ${'every release before 7.0, except 6.6.137 and later of 6.6'}
`('says "$said"', ({ versions, said }: { versions: object[]; said: string }) => {
  expect(say('affected', versions)).toBe(said)
})

it('names the exceptions where all else is not affected', () => {
  const versions = [
    { version: '6.2', lessThan: '6.6.137', status: 'affected', versionType: 'semver' },
  ]

  expect(say('unaffected', versions)).toBe('every release except from 6.2 on, before 6.6.137')
})
