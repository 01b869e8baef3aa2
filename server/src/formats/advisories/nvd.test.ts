import { expect, it } from 'vitest'
import type { Advisory } from './model.ts'
import { parseNvdRecord } from './nvd.ts'

const BASE = {
  id: 'CVE-2024-1000',
  published: '2024-01-01T04:00:00.000',
  lastModified: '2024-02-01T04:00:00.000',
  vulnStatus: 'Analyzed',
}

function parsed(cve: object): Advisory {
  const result = parseNvdRecord({ cve: { ...BASE, ...cve } })
  if (!result.ok) throw new Error(result.reason)
  return result.value
}

const cpe = (name: string) => `cpe:2.3:${name}${':*'.repeat(11 - name.split(/(?<!\\):/).length)}`
const match = (name: string, bounds: object = {}, vulnerable = true) => ({
  vulnerable,
  criteria: cpe(name),
  ...bounds,
})
const node = (cpeMatch: object[], more: object = {}) => ({
  operator: 'OR',
  negate: false,
  cpeMatch,
  ...more,
})
const affected = (...configurations: object[]) => parsed({ configurations }).affected
const keys = (...configurations: object[]) => affected(...configurations).map(({ key }) => key)

it.each`
  bounds                                                          | expected
  ${{}}                                                           | ${{ text: 'all versions' }}
  ${{ versionEndExcluding: '2.0' }}                               | ${{ fixed: '2.0', text: '< 2.0' }}
  ${{ versionEndIncluding: '2.0' }}                               | ${{ lastAffected: '2.0', text: '<= 2.0' }}
  ${{ versionStartIncluding: '1.0', versionEndExcluding: '2.0' }} | ${{ introduced: '1.0', fixed: '2.0', text: '>= 1.0, < 2.0' }}
  ${{ versionStartExcluding: '1.0', versionEndIncluding: '2.0' }} | ${{ introducedAfter: '1.0', lastAffected: '2.0', text: '> 1.0, <= 2.0' }}
`(
  'the bounds $bounds are read as $expected',
  ({ bounds, expected }: { bounds: object; expected: object }) => {
    expect(affected({ nodes: [node([match('a:acme:widget', bounds)])] })).toEqual([
      {
        key: 'cpe:acme:widget',
        statements: [
          {
            scheme: 'generic',
            defaultStatus: 'unaffected',
            versions: [{ status: 'affected', cpe: cpe('a:acme:widget'), ...expected }],
            vendor: 'acme',
            packageName: 'widget',
          },
        ],
      },
    ])
  },
)

it('many exact versions are one statement for each update and further attributes', () => {
  const names = ['1.0', '1.0', '1.1', '1.2:rc1', '1.3:rc1', '1.0:-', '-'].map((version) =>
    match(`o:linux:linux_kernel:${version}`),
  )

  const [of] = affected({ nodes: [node(names)] })

  expect(of?.statements).toMatchObject([{ scheme: 'kernel' }])
  expect(of?.statements[0]?.versions).toEqual([
    {
      status: 'affected',
      versions: ['1.0', '1.1'],
      cpe: cpe('o:linux:linux_kernel'),
      text: '1.0, 1.1',
    },
    {
      status: 'affected',
      versions: ['1.2', '1.3'],
      cpe: cpe('o:linux:linux_kernel:*:rc1'),
      text: '1.2, 1.3',
    },
    { status: 'affected', versions: ['1.0'], cpe: cpe('o:linux:linux_kernel:1.0:-'), text: '1.0' },
    { status: 'affected', versions: ['-'], cpe: cpe('o:linux:linux_kernel:-'), text: '-' },
  ])
})

it('escaped names and versions are unescaped in keys and versions', () => {
  const [of] = affected({ nodes: [node([match('a:pear:archive_tar\\:\\:x:1.0\\(2\\)')])] })

  expect(of).toMatchObject({
    key: 'cpe:pear:archive_tar::x',
    statements: [{ versions: [{ versions: ['1.0(2)'] }] }],
  })
})

it('AND makes each node the platform of what is vulnerable in the other', () => {
  const [of, ...rest] = affected({
    operator: 'AND',
    nodes: [
      node([match('o:acme:widget_firmware', { versionEndExcluding: '2.0' })]),
      node([match('h:acme:widget:-', {}, false)]),
    ],
  })

  expect(rest).toEqual([])
  expect(of).toMatchObject({
    key: 'cpe:acme:widget_firmware',
    statements: [{ platforms: [[cpe('h:acme:widget:-')]] }],
  })
})

it('AND of two vulnerable nodes asks either for the other', () => {
  const of = affected({
    operator: 'AND',
    nodes: [
      node([match('a:adobe:air')]),
      node([match('o:google:android'), match('o:apple:iphone_os')]),
    ],
  })

  expect(of.map(({ key, statements }) => [key, statements[0]?.platforms])).toEqual([
    ['cpe:adobe:air', [[cpe('o:google:android'), cpe('o:apple:iphone_os')]]],
    ['cpe:google:android', [[cpe('a:adobe:air')]]],
    ['cpe:apple:iphone_os', [[cpe('a:adobe:air')]]],
  ])
})

it('AND within a node asks each criterion for all others', () => {
  const of = affected({
    nodes: [node([match('o:linux:linux_kernel'), match('o:xen:xen')], { operator: 'AND' })],
  })

  expect(of).toMatchObject([
    { key: 'cpe:linux:linux_kernel', statements: [{ platforms: [[cpe('o:xen:xen')]] }] },
    { key: 'cpe:xen:xen', statements: [{ platforms: [[cpe('o:linux:linux_kernel')]] }] },
  ])
})

it('hundreds of chips that only name the hardware are cut to a few', () => {
  const chips = Array.from({ length: 300 }, (_, index) => match(`h:acme:chip${index}:-`, {}, false))

  const [of] = affected({ operator: 'AND', nodes: [node([match('o:acme:firmware')]), node(chips)] })

  expect(of?.statements[0]?.platforms).toEqual([chips.slice(0, 4).map(({ criteria }) => criteria)])
})

it('a negated node gives no verdict', () => {
  const [of] = affected({
    operator: 'AND',
    nodes: [
      node([match('a:acme:widget')]),
      node([match('o:acme:os', {}, false)], { negate: true }),
    ],
  })

  expect(of?.statements).toMatchObject([
    { defaultStatus: 'unknown', undecidable: 'a negated configuration' },
  ])
})

it('what is not vulnerable, fits everything or is not a CPE makes no key', () => {
  expect(
    keys({
      nodes: [
        node([match('a:acme:widget', {}, false), { vulnerable: true, criteria: 'nonsense' }]),
        node([match('a:*:*'), match('a:null:-')]),
        node([]),
      ],
    }),
  ).toEqual([])
})

it('a vendor may be any', () => {
  expect(keys({ nodes: [node([match('a:*:busybox')])] })).toEqual(['cpe:*:busybox'])
})

it('configurations about one product stay statements of one key', () => {
  const [of, ...rest] = affected(
    { nodes: [node([match('a:acme:widget:1.0')])] },
    { nodes: [node([match('a:acme:widget:2.0')])] },
  )

  expect(of?.statements).toHaveLength(2)
  expect(rest).toEqual([])
})

it('the rest of the record is kept with its sources', () => {
  const vectorString = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const metric = (source: string, type: string) => ({
    source,
    type,
    cvssData: { version: '3.1', vectorString, baseScore: 9.8, baseSeverity: 'CRITICAL' },
  })
  const score = { version: '3.1', vectorString, baseScore: 9.8, baseSeverity: 'CRITICAL' }

  const advisory = parsed({
    descriptions: [
      { lang: 'es', value: 'Malo' },
      { lang: 'en', value: 'Bad\u0000 \ud800' },
    ],
    metrics: {
      cvssMetricV31: [metric('nvd@nist.gov', 'Primary'), metric('psirt@acme.example', 'Secondary')],
      cvssMetricV2: [
        {
          source: 'nvd@nist.gov',
          cvssData: { version: '2.0', vectorString: 'AV:N/AC:L/Au:N/C:P/I:P/A:P', baseScore: 7.5 },
          baseSeverity: 'HIGH',
        },
      ],
      ssvcV203: [{ source: 'x' }],
    },
    weaknesses: [
      {
        source: 'nvd@nist.gov',
        description: [
          { lang: 'en', value: 'CWE-79' },
          { lang: 'en', value: 'NVD-CWE-noinfo' },
        ],
      },
    ],
    references: [
      { url: 'https://acme.example/1', source: 'psirt@acme.example', tags: ['Patch'] },
      {
        url: 'https://acme.example/1',
        source: 'af854a3a-2127-422b-91ae-364da2661108',
        tags: ['Vendor Advisory'],
      },
    ],
  })

  expect(advisory).toEqual({
    source: 'nvd',
    id: 'CVE-2024-1000',
    aliases: [],
    publishedAt: '2024-01-01T04:00:00.000Z',
    modifiedAt: '2024-02-01T04:00:00.000Z',
    withdrawnAt: undefined,
    status: 'Analyzed',
    title: undefined,
    description: 'Bad \ufffd',
    sourceUrl: 'https://nvd.nist.gov/vuln/detail/CVE-2024-1000',
    scores: [
      { ...score, source: 'nvd@nist.gov' },
      { ...score, source: 'psirt@acme.example' },
      {
        version: '2.0',
        vectorString: 'AV:N/AC:L/Au:N/C:P/I:P/A:P',
        baseScore: 7.5,
        baseSeverity: 'HIGH',
        source: 'nvd@nist.gov',
      },
    ],
    statedSeverity: undefined,
    references: [
      {
        url: 'https://acme.example/1',
        source: 'psirt@acme.example',
        tags: ['Patch', 'Vendor Advisory'],
      },
    ],
    cweIds: ['CWE-79'],
    affected: [],
  })
})

it('a rejected record is withdrawn when it was last changed', () => {
  const advisory = parsed({
    vulnStatus: 'Rejected',
    configurations: [{ nodes: [node([match('a:acme:widget')])] }],
  })

  expect(advisory).toMatchObject({ withdrawnAt: '2024-02-01T04:00:00.000Z', affected: [] })
})

it.each(['Received', 'Awaiting Analysis', 'Deferred'])(
  'a record without configurations (%s) is none the less one',
  (vulnStatus) => {
    expect(parsed({ vulnStatus })).toMatchObject({
      status: vulnStatus,
      withdrawnAt: undefined,
      affected: [],
    })
  },
)

it('the bare object is read like the element of a page', () => {
  expect(parseNvdRecord({ ...BASE })).toMatchObject({ ok: true, value: { id: 'CVE-2024-1000' } })
})

it.each`
  because                  | cve                                                                                      | reason
  ${'an id of no CVE'}     | ${{ id: '../../etc' }}                                                                   | ${'/cve/id is not a CVE id'}
  ${'an unknown operator'} | ${{ configurations: [{ operator: 'XOR', nodes: [] }] }}                                  | ${'/cve/configurations/0/operator is neither AND nor OR'}
  ${'a text for a list'}   | ${{ configurations: 'x' }}                                                               | ${'/cve/configurations is not an array'}
  ${'no criteria'}         | ${{ configurations: [{ nodes: [node([{ vulnerable: true }])] }] }}                       | ${'/cve/configurations/0/nodes/0/cpeMatch/0/criteria is missing'}
  ${'a number as bound'}   | ${{ configurations: [{ nodes: [node([match('a:a:b', { versionEndExcluding: 2 })])] }] }} | ${'/cve/configurations/0/nodes/0/cpeMatch/0/versionEndExcluding is not a string'}
  ${'the shape of 1.1'}    | ${{ CVE_data_meta: { ID: 'CVE-2009-0012' } }}                                            | ${'/cve has the shape of NVD 1.1'}
`(
  'a record with $because is skipped with the place named',
  ({ cve, reason }: { cve: object; reason: string }) => {
    expect(parseNvdRecord({ cve: { ...BASE, ...cve } })).toMatchObject({ ok: false, reason })
  },
)
