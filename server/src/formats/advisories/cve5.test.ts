import { expect, it } from 'vitest'
import { parseCveRecord } from './cve5.ts'
import { cveRecord, parsedCve } from './fixtures/cve-record.ts'

it('scores, weaknesses and references of all containers are kept with their source', () => {
  const vectorString = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const json = cveRecord({
    title: 'Bad widget',
    descriptions: [
      { lang: 'fr', value: 'Mauvais' },
      { lang: 'en-US', value: 'Bad' },
    ],
    metrics: [
      { cvssV3_1: { version: '3.1', vectorString, baseScore: 9.8, baseSeverity: 'CRITICAL' } },
      { other: { type: 'ssvc', content: {} } },
    ],
    problemTypes: [
      { descriptions: [{ description: 'CWE-79 Cross-site scripting' }, { description: 'Other' }] },
    ],
    references: [
      { url: 'https://acme.example/1', tags: ['patch'] },
      { url: 'javascript:alert(1)' },
    ],
  })
  const adp = {
    providerMetadata: { orgId: 'x', shortName: 'CISA-ADP' },
    metrics: [{ cvssV3_1: { version: '3.1', vectorString } }],
    problemTypes: [{ descriptions: [{ cweId: 'CWE-79' }, { cweId: 'CWE-20' }] }],
    references: [{ url: 'https://acme.example/1', tags: ['x_transferred'] }],
  }

  const result = parseCveRecord({ ...json, containers: { ...json.containers, adp: [adp] } })

  expect(result).toMatchObject({
    ok: true,
    value: {
      title: 'Bad widget',
      description: 'Bad',
      scores: [
        { version: '3.1', vectorString, baseScore: 9.8, baseSeverity: 'CRITICAL', source: 'acme' },
        {
          version: '3.1',
          vectorString,
          baseScore: 9.8,
          baseSeverity: 'CRITICAL',
          source: 'CISA-ADP',
        },
      ],
      cweIds: ['CWE-79', 'CWE-20'],
      references: [
        { url: 'https://acme.example/1', source: 'acme', tags: ['patch', 'x_transferred'] },
      ],
    },
  })
})

it('severity in words counts where there is no score', () => {
  const metrics = [
    {
      format: 'other',
      other: { type: 'https://openssl.org/policies', content: { text: 'Moderate' } },
    },
  ]

  expect(parsedCve({ metrics }).statedSeverity).toBe('Medium')
})

it('SSVC decisions are kept beside the scores, and do not make a severity', () => {
  const decided = (content: unknown) => ({ other: { type: 'ssvc', content } })
  const options = [{ Exploitation: 'poc' }, { Automatable: 'no' }, { 'Technical Impact': 'total' }]

  const advisory = parsedCve({
    metrics: [
      decided({ id: 'CVE-2024-1000', timestamp: '2024-07-01T10:00:00Z', options }),
      decided({ options: [{ Exploitation: 'active' }, 'no object'], timestamp: 7 }),
      decided('no object'),
      { other: { type: 'other', content: { options } } },
    ],
  })

  expect(advisory.statedSeverity).toBeUndefined()
  expect(advisory.ssvc).toEqual([
    {
      source: 'acme',
      exploitation: 'poc',
      automatable: 'no',
      technicalImpact: 'total',
      decidedAt: '2024-07-01T10:00:00.000Z',
    },
    {
      source: 'acme',
      exploitation: 'active',
      automatable: undefined,
      technicalImpact: undefined,
      decidedAt: undefined,
    },
  ])
})

it('a rejected record is withdrawn and says nothing about packages', () => {
  const advisory = parsedCve(
    {
      rejectedReasons: [{ lang: 'en', value: 'Not a vulnerability' }],
      affected: [{ vendor: 'Acme', product: 'Widget', defaultStatus: 'affected' }],
    },
    { state: 'REJECTED', dateRejected: '2024-05-01T00:00:00', dateUpdated: '2024-05-02T00:00:00Z' },
  )

  expect(advisory).toMatchObject({
    withdrawnAt: '2024-05-01T00:00:00.000Z',
    modifiedAt: '2024-05-02T00:00:00.000Z',
    description: 'Not a vulnerability',
    status: 'REJECTED',
    affected: [],
  })
})

it.each`
  because                    | change                                                                                         | reason
  ${'an older format'}       | ${{ dataVersion: '4.0' }}                                                                      | ${'/dataVersion is not 5.x: 4.0'}
  ${'no id'}                 | ${{ cveMetadata: { state: 'PUBLISHED' } }}                                                     | ${'/cveMetadata/cveId is missing'}
  ${'an id of another kind'} | ${{ cveMetadata: { cveId: 'GHSA-1', state: 'PUBLISHED' } }}                                    | ${'/cveMetadata/cveId is not a CVE id'}
  ${'no CNA container'}      | ${{ containers: {} }}                                                                          | ${'/containers/cna is missing'}
  ${'a list for an object'}  | ${{ containers: { cna: { affected: [[]] } } }}                                                 | ${'/containers/cna/affected/0 is not an object'}
  ${'a number for a text'}   | ${{ containers: { cna: { affected: [{ versions: [{ version: 1, status: 'affected' }] }] } } }} | ${'/containers/cna/affected/0/versions/0/version is not a string'}
  ${'an unknown status'}     | ${{ containers: { cna: { affected: [{ versions: [{ version: '1', status: 'maybe' }] }] } } }}  | ${'/containers/cna/affected/0/versions/0/status is not a status'}
`(
  'a record with $because is skipped with the place named',
  ({ change, reason }: { change: object; reason: string }) => {
    expect(parseCveRecord({ ...cveRecord({}), ...change })).toMatchObject({ ok: false, reason })
  },
)
