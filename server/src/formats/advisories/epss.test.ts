import { expect, it } from 'vitest'
import { parseEpss } from './epss.ts'

it.each`
  record                                                                           | expected
  ${'CVE-2021-44228,0.975560000,0.999980000'}                                      | ${{ cveId: 'CVE-2021-44228', epss: 0.97556, percentile: 0.99998 }}
  ${'CVE-1999-0001;0.033510000;0.876500000\r'}                                     | ${{ cveId: 'CVE-1999-0001', epss: 0.03351, percentile: 0.8765 }}
  ${'CVE-2024-1000,1e-05,0'}                                                       | ${{ cveId: 'CVE-2024-1000', epss: 0.00001, percentile: 0 }}
  ${'CVE-2024-1000,1e-70,0'}                                                       | ${{ cveId: 'CVE-2024-1000', epss: 0, percentile: 0 }}
  ${{ id: 'CVE-2019-19609', epss: 0.05885 }}                                       | ${{ cveId: 'CVE-2019-19609', epss: 0.05885, percentile: undefined }}
  ${{ cve: 'CVE-2019-19609', epss: '0.5', percentile: '0.9', date: '2024-01-01' }} | ${{ cveId: 'CVE-2019-19609', epss: 0.5, percentile: 0.9 }}
`('$record is a score', ({ record, expected }: { record: unknown; expected: object }) => {
  expect(parseEpss(record)).toEqual({ ok: true, value: expected })
})

it.each([
  '',
  ' ',
  '#model_version:v2023.03.01,score_date:2024-01-01T00:00:00+0000',
  'cve,epss,percentile',
  'cve;epss;percentile',
])('the line %j is not a record', (line) => {
  expect(parseEpss(line)).toBeUndefined()
})

it.each`
  record                                                   | id                 | reason
  ${'CVE-2024-1000,1.5,0.5'}                               | ${'CVE-2024-1000'} | ${'the score is not between 0 and 1'}
  ${'CVE-2024-1000,-0.1,0.5'}                              | ${'CVE-2024-1000'} | ${'the score is not between 0 and 1'}
  ${'CVE-2024-1000,0.1,NaN'}                               | ${'CVE-2024-1000'} | ${'the percentile is not between 0 and 1'}
  ${'CVE-2024-1000,,0.5'}                                  | ${'CVE-2024-1000'} | ${'the score is not between 0 and 1'}
  ${'CVE-2024-1000,0.1'}                                   | ${'CVE-2024-1000'} | ${'not three fields'}
  ${'CVE-2024-1000,0.1,0.2,0.3'}                           | ${'CVE-2024-1000'} | ${'not three fields'}
  ${'GHSA-1,0.1,0.2'}                                      | ${undefined}       | ${'not a CVE id: GHSA-1'}
  ${'<html>'}                                              | ${undefined}       | ${'not a CVE id: <html>'}
  ${{ id: 'CVE-2024-1000', epss: 2 }}                      | ${'CVE-2024-1000'} | ${'/epss is not between 0 and 1'}
  ${{ epss: 0.5 }}                                         | ${undefined}       | ${'/id is missing'}
  ${{ cve: 'CVE-2024-1000', epss: 0.5, percentile: true }} | ${'CVE-2024-1000'} | ${'/percentile is not between 0 and 1'}
  ${7}                                                     | ${undefined}       | ${'the record is not an object'}
`(
  '$record is skipped: $reason',
  ({ record, id, reason }: { record: unknown; id: string | undefined; reason: string }) => {
    expect(parseEpss(record)).toEqual({ ok: false, id, reason })
  },
)
