import { expect, it } from 'vitest'
import { groupReasons, type Reason } from './evidence.ts'

const reason = (changes: Partial<Reason>): Reason => ({
  id: `${changes.source} ${changes.range}`,
  source: 'NVD',
  state: 'agrees',
  compared: { key: 'cpe:linux:linux_kernel', version: '6.1.55' },
  text: 'is among the affected ones',
  range: 'before 6.1.76',
  raw: [],
  notes: [],
  ...changes,
})

it('has one line for sources that say the same, and keeps each of them', () => {
  const said = ['CVE List', 'NVD', 'OSV', 'NVD'].map((source, index) =>
    reason({ source, id: String(index) }),
  )

  const groups = groupReasons(said)

  expect(groups.map(({ sources, all }) => [sources, all.length])).toEqual([
    [['CVE List', 'NVD', 'OSV'], 4],
  ])
})

it.each<[string, Partial<Reason>]>([
  ['another range', { range: 'before 6.1.80' }],
  ['another verdict', { state: 'disagrees', text: 'is not affected' }],
  ['another version', { compared: { key: 'purl:deb/linux', version: '6.1.55-1' } }],
])('keeps %s in sight, on a line of its own', (_, changes) => {
  const groups = groupReasons([reason({}), reason({ source: 'OSV', ...changes })])

  expect(groups.map(({ sources }) => sources)).toEqual([['NVD'], ['OSV']])
})
