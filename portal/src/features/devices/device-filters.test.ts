import { expect, it } from 'vitest'
import { DEVICES } from '../../searches.ts'
import { readFilter } from './device-filters.ts'

const NOW = new Date('2026-11-19T12:59:31Z')

it.each([
  [{}, {}],
  [{ show: 'connected' }, { connected: true }],
  [{ show: 'silent' }, { connected: false, lastSeenBefore: '2026-11-12T12:00:00.000Z' }],
  [{ show: 'exploited' }, { exploited: true }],
  [{ show: 'unjudged' }, { worst: ['NotJudged'] }],
  [
    { show: 'unknown', text: 'gx4' },
    { blindSpot: true, text: 'gx4' },
  ],
  [{ show: 'loose' }, { inCohort: false }],
  [{ show: 'unregistered' }, { blindSpotKinds: ['UnknownVersion'] }],
  [
    { show: 'otherImage', image: 'ab12' },
    { blindSpotKinds: ['UnknownImage', 'OtherImage', 'NotAHash'], imageHashes: ['ab12'] },
  ],
  [{ show: 'nonsense', worst: 'worse' }, {}],
  [{ worst: 'none' }, { worst: ['None', 'Clean'] }],
  [
    { cohort: 'a', version: 'b', cve: 'CVE-2024-1', tag: 'lab', text: '' },
    { cohortIds: ['a'], firmwareVersionIds: ['b'], cveIds: ['CVE-2024-1'], tags: ['lab'] },
  ],
])('%j asks for %j', (search, filter) => {
  expect(readFilter(DEVICES.parse(search), NOW)).toEqual(filter)
})

it('names what may be dropped, not the order', () => {
  expect(DEVICES.listFilters(DEVICES.parse({ tag: 'lab', sort: 'Id', text: '' }))).toEqual([
    { name: 'tag', text: 'the tag lab' },
  ])
})
