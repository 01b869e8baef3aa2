import { expect, it } from 'vitest'
import type { Advisory, AffectedStatement } from './model.ts'
import { parseOsvRecord } from './osv.ts'

const BASE = {
  schema_version: '1.6.0',
  id: 'GHSA-1111-2222-3333',
  modified: '2024-02-01T00:00:00Z',
  published: '2024-01-01T00:00:00Z',
}

function parsed(record: object): Advisory {
  const result = parseOsvRecord({ ...BASE, ...record })
  if (!result.ok) throw new Error(result.reason)
  return result.value
}

const affected = (...entries: object[]) => parsed({ affected: entries }).affected
const NPM = { package: { ecosystem: 'npm', name: 'widget' } }
const A = 'a'.repeat(40)
const B = 'b'.repeat(40)

function statement(entry: object): AffectedStatement | undefined {
  return affected({ ...NPM, ...entry })[0]?.statements[0]
}

it.each`
  events                                                                                    | expected
  ${[{ introduced: '0' }]}                                                                  | ${[{ text: 'all versions' }]}
  ${[{ introduced: '1.0.0' }, { fixed: '2.0.0' }]}                                          | ${[{ introduced: '1.0.0', fixed: '2.0.0', text: '>= 1.0.0, < 2.0.0' }]}
  ${[{ introduced: '0' }, { last_affected: '2.0.0' }]}                                      | ${[{ lastAffected: '2.0.0', text: '<= 2.0.0' }]}
  ${[{ introduced: '1.0.0' }, { limit: '2.0.0' }]}                                          | ${[{ introduced: '1.0.0', fixed: '2.0.0', fixedIsDerived: true, text: '>= 1.0.0, < 2.0.0' }]}
  ${[{ introduced: '1.0.0' }, { limit: '*' }]}                                              | ${[{ introduced: '1.0.0', text: '>= 1.0.0' }]}
  ${[{ introduced: '0' }, { fixed: '1.0.5' }, { introduced: '2.0.0' }, { fixed: '2.1.0' }]} | ${[{ fixed: '1.0.5', text: '< 1.0.5' }, { introduced: '2.0.0', fixed: '2.1.0', text: '>= 2.0.0, < 2.1.0' }]}
  ${[{ fixed: '2.1.0' }, { introduced: '2.0.0' }, { fixed: '1.0.5' }, { introduced: '0' }]} | ${[{ fixed: '1.0.5', text: '< 1.0.5' }, { introduced: '2.0.0', fixed: '2.1.0', text: '>= 2.0.0, < 2.1.0' }]}
  ${[{ introduced: '0', fixed: '1.0.0' }]}                                                  | ${[{ fixed: '1.0.0', text: '< 1.0.0' }]}
  ${[{ introduced: '1.0.0' }, { fixed: '1.5.0' }, { fixed: '1.6.0' }]}                      | ${[{ introduced: '1.0.0', fixed: '1.5.0', text: '>= 1.0.0, < 1.5.0' }]}
  ${[{ introduced: '1.0.0' }, { fixed: '2.0.0' }, { introduced: '2.0.0' }]}                 | ${[{ introduced: '1.0.0', fixed: '2.0.0', text: '>= 1.0.0, < 2.0.0' }, { introduced: '2.0.0', text: '>= 2.0.0' }]}
`(
  'the events $events are read as $expected',
  ({ events, expected }: { events: object[]; expected: object[] }) => {
    for (const type of ['SEMVER', 'ECOSYSTEM'])
      expect(statement({ ranges: [{ type, events }] })).toEqual({
        scheme: 'npm',
        defaultStatus: 'unaffected',
        versions: expected.map((of: object) => ({ status: 'affected', ...of })),
        packageName: 'widget',
      })
  },
)

it('a version is affected when it is listed or in a range', () => {
  const entry = {
    versions: ['1.0.0', '1.0.0', '1.1.0'],
    ranges: [{ type: 'SEMVER', events: [{ introduced: '3.0.0' }] }],
  }

  expect(statement(entry)?.versions).toEqual([
    { status: 'affected', versions: ['1.0.0', '1.1.0'], text: '1.0.0, 1.1.0' },
    { status: 'affected', introduced: '3.0.0', text: '>= 3.0.0' },
  ])
})

it.each`
  lastKnown     | expected
  ${'<= 9.0.5'} | ${{ lastAffected: '9.0.5' }}
  ${'< 9.1'}    | ${{ fixed: '9.1', fixedIsDerived: true }}
`(
  'a range without end ends where the database last knew it affected ($lastKnown)',
  ({ lastKnown, expected }: { lastKnown: string; expected: object }) => {
    const entry = {
      ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
      database_specific: { last_known_affected_version_range: lastKnown },
    }

    expect(statement(entry)?.versions).toMatchObject([expected])
  },
)

it('commit ranges decide by listed versions and by equality with event commits', () => {
  const of = affected({
    package: { ecosystem: 'PyPI', name: 'widget' },
    versions: ['v1.0', 'v1.1'],
    ranges: [
      {
        type: 'GIT',
        repo: 'https://github.com/Acme/Widget.git',
        events: [{ introduced: '0' }, { introduced: A }, { fixed: B }],
      },
    ],
  })

  expect(of).toEqual([
    {
      key: 'purl:pypi/widget',
      statements: [
        {
          scheme: 'pypi',
          defaultStatus: 'unknown',
          versions: [{ status: 'affected', versions: ['v1.0', 'v1.1'], text: 'v1.0, v1.1' }],
          packageName: 'widget',
        },
      ],
    },
    {
      key: 'repo:github.com/acme/widget',
      statements: [
        {
          scheme: 'git',
          defaultStatus: 'unknown',
          versions: [
            { status: 'affected', versions: ['v1.0', 'v1.1'], text: 'v1.0, v1.1' },
            { status: 'affected', versions: [A], text: `introduced in ${A}` },
            { status: 'unaffected', versions: [B], text: `fixed in ${B}` },
          ],
          packageName: 'widget',
        },
      ],
    },
  ])
})

it('commit ranges beside version ranges take nothing from these', () => {
  const ranges = [
    {
      type: 'GIT',
      repo: 'https://github.com/acme/widget',
      events: [{ introduced: '0' }, { fixed: B }],
    },
    { type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.2' }] },
  ]

  expect(statement({ ranges })).toMatchObject({
    defaultStatus: 'unaffected',
    versions: [{ fixed: '1.2' }],
  })
})

it.each`
  entry                                                                                           | reason
  ${{}}                                                                                           | ${'neither versions nor ranges are stated'}
  ${{ ranges: [{ type: 'GIT', repo: 'https://github.com/a/b', events: [{ introduced: '0' }] }] }} | ${'the ranges are of commits'}
  ${{ ranges: [{ type: 'SEMVER', events: [{ fixed: '1.0.0' }] }] }}                               | ${'a range has no beginning'}
  ${{ ranges: [{ type: 'MOON', events: [{ introduced: '0' }] }] }}                                | ${'the ranges are of an unknown type'}
`('$entry gives no verdict: $reason', ({ entry, reason }: { entry: object; reason: string }) => {
  expect(statement(entry)).toMatchObject({
    defaultStatus: 'unknown',
    versions: [],
    undecidable: reason,
  })
})

it.each`
  of                                                                                                   | key                                        | distro
  ${{ ecosystem: 'npm', name: '@acme/widget' }}                                                        | ${'purl:npm/@acme/widget'}                 | ${undefined}
  ${{ ecosystem: 'Go', name: 'github.com/acme/widget/v2' }}                                            | ${'purl:golang/github.com/acme/widget/v2'} | ${undefined}
  ${{ ecosystem: 'Maven', name: 'org.acme:widget' }}                                                   | ${'purl:maven/org.acme/widget'}            | ${undefined}
  ${{ ecosystem: 'Packagist', name: 'acme/widget' }}                                                   | ${'purl:composer/acme/widget'}             | ${undefined}
  ${{ ecosystem: 'Debian:12', name: 'glibc' }}                                                         | ${'purl:deb/debian/glibc'}                 | ${'Debian:12'}
  ${{ ecosystem: 'Alpine:v3.19', name: 'openssl', purl: 'pkg:apk/alpine/openssl?arch=source' }}        | ${'purl:apk/alpine/openssl'}               | ${'Alpine:v3.19'}
  ${{ ecosystem: 'Red Hat:rhel_aus:8.6::appstream', name: 'git-lfs', purl: 'pkg:rpm/redhat/git-lfs' }} | ${'purl:rpm/redhat/git-lfs'}               | ${'Red Hat:rhel_aus:8.6::appstream'}
  ${{ ecosystem: 'Linux', name: 'Kernel' }}                                                            | ${'cpe:linux:linux_kernel'}                | ${undefined}
`(
  'the package $of is known by $key',
  ({ of, key, distro }: { of: object; key: string | undefined; distro: string | undefined }) => {
    const [first, ...rest] = affected({ package: of, versions: ['1.0'] })

    expect(first?.key).toBe(key)
    expect(first?.statements[0]?.distro).toBe(distro)
    expect(rest).toEqual([])
  },
)

it('releases of one distribution package are statements of one key', () => {
  const entry = (release: string) => ({
    package: { ecosystem: `Debian:${release}`, name: 'glibc' },
    versions: ['2.36-9'],
  })

  expect(affected(entry('11'), entry('12'))).toMatchObject([
    {
      key: 'purl:deb/debian/glibc',
      statements: [{ distro: 'Debian:11' }, { distro: 'Debian:12' }],
    },
  ])
})

it("Bitnami's CPEs are keys besides", () => {
  const advisory = parsed({
    database_specific: { cpes: ['cpe:2.3:a:openssl:openssl:*:*:*:*:*:*:*:*', 7] },
    affected: [
      {
        package: { ecosystem: 'Bitnami', name: 'openssl', purl: 'pkg:bitnami/openssl' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '3.0.1' }] }],
      },
    ],
  })

  expect(advisory.affected).toMatchObject([
    { key: 'purl:bitnami/openssl', statements: [{ versions: [{ fixed: '3.0.1' }] }] },
    {
      key: 'cpe:openssl:openssl',
      statements: [
        {
          scheme: 'openssl',
          versions: [{ fixed: '3.0.1', cpe: 'cpe:2.3:a:openssl:openssl:*:*:*:*:*:*:*:*' }],
        },
      ],
    },
  ])
})

it('aliases are kept, what a record is derived from or related to is no alias', () => {
  const advisory = parsed({
    id: 'UBUNTU-CVE-2024-1000',
    aliases: ['GHSA-x', 'UBUNTU-CVE-2024-1000', 'GHSA-x', 'not an id'],
    upstream: ['CVE-2024-1000'],
    related: ['CVE-2024-2000'],
  })

  expect(advisory).toMatchObject({ aliases: ['GHSA-x'], upstream: ['CVE-2024-1000'] })
  expect(JSON.stringify(advisory)).not.toContain('CVE-2024-2000')
})

it('a withdrawn record says nothing about packages', () => {
  const advisory = parsed({
    withdrawn: '2024-03-01T00:00:00Z',
    affected: [{ ...NPM, versions: ['1.0'] }],
  })

  expect(advisory).toMatchObject({ withdrawnAt: '2024-03-01T00:00:00.000Z', affected: [] })
  expect(parsed({ withdrawn: '2024-99-99T00:00:00Z' }).withdrawnAt).toBe('2024-02-01T00:00:00.000Z')
})

it('vectors of the record and of its packages are scores of the database', () => {
  const advisory = parsed({
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    database_specific: { severity: 'LOW', cwe_ids: ['CWE-79', 'no'] },
    affected: [
      {
        ...NPM,
        severity: [
          { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' },
          { type: 'CVSS_V3', score: 'broken' },
        ],
      },
    ],
  })

  expect(advisory.scores).toEqual([
    {
      version: '3.1',
      vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      baseScore: 9.8,
      baseSeverity: 'CRITICAL',
      source: 'osv:GHSA',
    },
  ])
  expect(advisory).toMatchObject({ statedSeverity: undefined, cweIds: ['CWE-79'] })
})

it.each`
  record                                                          | severity
  ${{ database_specific: { severity: 'MODERATE' } }}              | ${'Medium'}
  ${{ severity: [{ type: 'Ubuntu', score: 'negligible' }] }}      | ${'Low'}
  ${{ affected: [{ ecosystem_specific: { severity: 'HIGH' } }] }} | ${'High'}
  ${{ database_specific: { severity: ['x'] } }}                   | ${undefined}
`(
  '$record is of severity $severity',
  ({ record, severity }: { record: object; severity: string | undefined }) => {
    expect(parsed(record).statedSeverity).toBe(severity)
  },
)

it('references keep their type as tag', () => {
  const advisory = parsed({
    references: [
      { type: 'FIX', url: 'https://acme.example/1' },
      { type: 'WEB', url: 'nowhere' },
    ],
  })

  expect(advisory.references).toEqual([
    { url: 'https://acme.example/1', source: 'osv:GHSA', tags: ['FIX'] },
  ])
})

it.each`
  because                   | record                                          | reason
  ${'no id'}                | ${{ id: undefined }}                            | ${'/id is missing'}
  ${'an id with a space'}   | ${{ id: 'GHSA 1' }}                             | ${'/id is not a usable identifier'}
  ${'no list of packages'}  | ${{ affected: {} }}                             | ${'/affected is not an array'}
  ${'a range without type'} | ${{ affected: [{ ranges: [{ events: [] }] }] }} | ${'/affected/0/ranges/0/type is missing'}
  ${'a number as version'}  | ${{ affected: [{ versions: [1] }] }}            | ${'/affected/0/versions/0 is not a string'}
`(
  'a record with $because is skipped with the place named',
  ({ record, reason }: { record: object; reason: string }) => {
    expect(parseOsvRecord({ ...BASE, ...record })).toMatchObject({ ok: false, reason })
  },
)
