import type { FindingDetail } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import type { FindingHere } from './queries.ts'
import { listReaches, listScopes, readTarget } from './decision-scope.ts'

const here = (id: string, name: string): FindingHere =>
  ({ id, component: { name, version: '1.2.13' } }) as FindingHere
const finding = {
  ...here('1', 'zlib'),
  cve: { id: 'CVE-2022-37434' },
  firmwareVersion: { name: '4.0.0' },
} as unknown as FindingDetail
const listed = [here('1', 'zlib'), here('2', 'zlib'), here('3', 'libz-sys')]

it('reaches from one finding over its component to all of the vulnerability', () => {
  const choices = listScopes(finding, { findings: listed, findingCount: 3 })
  expect(choices.map(({ count }) => count)).toEqual([1, 2, 3, 3])
  expect(choices[1]?.reach).toEqual({ findingIds: ['1', '2'] })
  expect(choices[3]?.reach).toEqual({ cveId: 'CVE-2022-37434', alsoFuture: true })
  // What a single finding of the list stands for.
  expect(choices.findLastIndex(({ isOfOneComponent }) => isOfOneComponent)).toBe(1)
})

it('reaches over the release line of the finding, and on the page of a vulnerability over each', () => {
  const [two, three] = ['2.x', '3.x'].map((name) => ({ id: name, name }))
  const firmwareVersion = { firmware: { name: 'Gateway' } } as FindingHere['firmwareVersion']
  const [one, other, third] = listed.map((found) => ({ ...found, firmwareVersion, deviceCount: 0 }))
  const findings = [
    { ...one, line: two },
    { ...other, line: two },
    { ...third, line: three },
  ] as FindingHere[]

  const choices = listScopes({ ...finding, line: two ?? null }, { findings, findingCount: 3 })
  const reaches = listReaches('CVE-2022-37434', { findings, findingCount: 3 })

  expect(choices.map(({ text, count }) => `${text}: ${count}`)[1]).toBe(
    'Line 2.x alone, later ones too: 2',
  )
  expect(readTarget(choices[1]?.reach ?? { findingIds: [] })).toEqual({
    filter: { cveIds: ['CVE-2022-37434'], lineIds: ['2.x'] },
    alsoFuture: true,
  })
  expect(choices.findLastIndex(({ isOfOneComponent }) => isOfOneComponent)).toBe(2)
  expect(reaches.map(({ text, count }) => `${text}: ${count}`)).toEqual([
    'Line 2.x of Gateway alone, later ones too: 2',
    'Line 3.x of Gateway alone, later ones too: 1',
    'All versions with this CVE: 3',
    'Future versions too: 3',
  ])
})

it('means all findings where the answer lists only some of them', () => {
  const choices = listScopes(finding, { findings: listed, findingCount: 3500 })
  expect(choices.map(({ count }) => count)).toEqual([1, 3500, 3500])
  expect(choices[1]?.reach).toEqual({ cveId: 'CVE-2022-37434', alsoFuture: false })
})

it('means all versions of a vulnerability, unless only those that devices run or future ones too are chosen', () => {
  const [first, ...rest] = listed.map((one) => ({ ...one, deviceCount: 0 }))
  const findings = [{ ...first, deviceCount: 7 } as FindingHere, ...rest]
  const reaches = listReaches('CVE-2022-37434', { findings, findingCount: 3 })
  expect(reaches.map(({ text, count }) => `${text}: ${count}`)).toEqual([
    'Versions that devices run: 1',
    'All versions with this CVE: 3',
    'Future versions too: 3',
  ])
  // Of more than are listed nobody knows which ones devices run.
  expect(listReaches('CVE-2022-37434', { findings, findingCount: 3500 })).toHaveLength(2)
})
