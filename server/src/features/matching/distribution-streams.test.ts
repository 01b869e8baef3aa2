/** Records of distributions, as published, against packages as scanners name them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import type { Advisory } from '../../formats/advisories/model.ts'
import { parseOsvRecord } from '../../formats/advisories/osv.ts'
import { identifyPackage } from '../../formats/identity.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

function parsed(json: object): Advisory {
  const result = parseOsvRecord({ modified: '2024-01-01T00:00:00Z', ...json })
  if (!result.ok) throw new Error(result.reason)
  return result.value
}

function verdictsOf(purl: string, records: readonly Advisory[]) {
  const result = identifyPackage({
    vendor: undefined,
    packageName: 'thing',
    version: undefined,
    purl,
    cpes: [],
    scope: undefined,
    builtFrom: undefined,
  })
  if (!('identity' in result)) throw new Error(result.notMatchedReason)
  return matchPackage(
    result.identity,
    records.flatMap(({ source, id, affected }) =>
      affected.map((one) => ({ source, advisoryId: id, affected: one })),
    ),
  )
}

const matchOf = (purl: string, ...records: Advisory[]) => decideMatch(verdictsOf(purl, records))

/** `affected`, `unaffected`, `silent`, or why nothing can be told. */
function verdictOf(purl: string, ...records: Advisory[]): string {
  const verdicts = verdictsOf(purl, records)
  if (decideMatch(verdicts)) return 'affected'
  const [first] = verdicts
  return first ? (first.reasons[0] ?? first.verdict) : 'silent'
}

const range = (fixed?: string) => [
  {
    type: 'ECOSYSTEM',
    events: [{ introduced: '0' }, ...(fixed === undefined ? [] : [{ fixed }])],
  },
]

describe('Ubuntu', () => {
  const standard = (fixed?: string) => ({
    package: { ecosystem: 'Ubuntu:18.04:LTS', name: 'curl' },
    ranges: range(fixed),
  })
  const pro = (fixed: string) => ({
    package: { ecosystem: 'Ubuntu:Pro:18.04:LTS', name: 'curl' },
    ranges: range(fixed),
  })
  const fips = {
    package: { ecosystem: 'Ubuntu:Pro:FIPS-updates:18.04:LTS', name: 'curl' },
    ranges: range('9.0'),
  }
  const curl = (version: string) =>
    `pkg:deb/ubuntu/curl@${encodeURIComponent(version)}?distro=ubuntu-18.04`

  it.each`
    version                      | entries                                                             | expected        | because
    ${'7.58.0-2ubuntu3.24'}      | ${[pro('7.58.0-2ubuntu3.24+esm1')]}                                 | ${'affected'}   | ${'the release has no other support any more'}
    ${'7.58.0-2ubuntu3.24+esm1'} | ${[pro('7.58.0-2ubuntu3.24+esm1')]}                                 | ${'unaffected'} | ${'Pro has repaired it'}
    ${'7.58.0-2ubuntu3.24+esm1'} | ${[standard(), pro('7.58.0-2ubuntu3.24+esm1')]}                     | ${'unaffected'} | ${'Pro knows its own builds'}
    ${'7.58.0-2ubuntu3.20'}      | ${[standard('7.58.0-2ubuntu3.20'), pro('7.58.0-2ubuntu3.24+esm1')]} | ${'unaffected'} | ${'the standard stream has repaired it'}
    ${'7.58.0-2ubuntu3.19'}      | ${[standard('7.58.0-2ubuntu3.20')]}                                 | ${'affected'}   | ${'it is older than the repair'}
    ${'7.58.0-2ubuntu3.24'}      | ${[fips]}                                                           | ${'silent'}     | ${'certified builds are other packages'}
  `('$version is $expected, as $because', ({ version, entries, expected }) => {
    const record = parsed({
      id: 'UBUNTU-CVE-2024-1',
      upstream: ['CVE-2024-1'],
      affected: entries as object[],
    })

    expect(verdictOf(curl(String(version)), record)).toBe(expected)
  })

  it.each`
    purl                                                                         | ecosystem                              | name                | expected        | because
    ${'openssl@1.1.1f-1ubuntu2.fips.22'}                                         | ${'Ubuntu:18.04:LTS'}                  | ${'openssl'}        | ${'silent'}     | ${'its number is of another stream'}
    ${'openssl@1.1.1f-1ubuntu2.fips.22'}                                         | ${'Ubuntu:Pro:FIPS-updates:18.04:LTS'} | ${'openssl'}        | ${'affected'}   | ${'it is of this stream'}
    ${'openssl@1.1.1f-1ubuntu2.fips.24'}                                         | ${'Ubuntu:Pro:FIPS-updates:18.04:LTS'} | ${'openssl'}        | ${'unaffected'} | ${'it is repaired there'}
    ${'linux-image-5.4.0-1026-fips@5.4.0-1026.30?upstream=linux-signed-fips'}    | ${'Ubuntu:Pro:FIPS:18.04:LTS'}         | ${'linux-fips'}     | ${'affected'}   | ${'the package is certified'}
    ${'linux-image-5.15.0-1034-realtime@5.15.0-1034.37?upstream=linux-realtime'} | ${'Ubuntu:Pro:Realtime:18.04:LTS'}     | ${'linux-realtime'} | ${'affected'}   | ${'no other stream has the package'}
  `('$purl is $expected by $ecosystem, as $because', ({ purl, ecosystem, name, expected }) => {
    const fixed = name === 'openssl' ? '1.1.1f-1ubuntu2.fips.23' : '6.0'
    const record = parsed({
      id: 'UBUNTU-CVE-2024-1',
      affected: [
        { package: { ecosystem: ecosystem as string, name: name as string }, ranges: range(fixed) },
      ],
    })
    const [path = '', query] = String(purl).split('?')
    const all = `pkg:deb/ubuntu/${path}?distro=ubuntu-18.04${query === undefined ? '' : `&${query}`}`

    expect(verdictOf(all, record)).toBe(expected)
  })

  it('is known by its code names', () => {
    const record = parsed({ id: 'UBUNTU-CVE-2024-1', affected: [standard('7.58.0-2ubuntu3.20')] })

    for (const distro of ['bionic', 'ubuntu-bionic', 'ubuntu-18.04', '18.04'])
      expect(verdictOf(`pkg:deb/ubuntu/curl@7.58.0-2ubuntu3.19?distro=${distro}`, record)).toBe(
        'affected',
      )
  })
})

describe('Alpine', () => {
  const record = (fixed: string) =>
    parsed({
      id: 'ALPINE-CVE-2020-1',
      affected: [{ package: { ecosystem: 'Alpine:v3.11', name: 'mariadb' }, ranges: range(fixed) }],
    })

  it.each`
    version         | fixed            | expected        | because
    ${'10.2.25-r3'} | ${'10.2.26-r0'}  | ${'affected'}   | ${'it is older'}
    ${'10.2.25-r3'} | ${'10.2.26.r0'}  | ${'affected'}   | ${'the record misspells the revision'}
    ${'10.2.26-r0'} | ${'10.2.26.r0'}  | ${'unaffected'} | ${'the record misspells the revision'}
    ${'10.2.26-r0'} | ${'10.2.26'}     | ${'unaffected'} | ${'every revision has the repair'}
    ${'10.2.26-r9'} | ${'10.2.26-r10'} | ${'affected'}   | ${'revisions are numbers'}
    ${'10.2.26-r0'} | ${'0'}           | ${'unaffected'} | ${'Alpine never had the flaw'}
  `('$version with the fix $fixed is $expected, as $because', ({ version, fixed, expected }) => {
    const purl = `pkg:apk/alpine/mariadb@${String(version)}?distro=alpine-3.11.6`

    expect(verdictOf(purl, record(String(fixed)))).toBe(expected)
  })
})

describe('records without a CVE', () => {
  const fuzzed = { package: { ecosystem: 'OSS-Fuzz', name: 'thing' }, versions: ['1.0'] }
  const crate = (informational: string | null) => ({
    package: { ecosystem: 'crates.io', name: 'thing' },
    ranges: [{ type: 'SEMVER', events: [{ introduced: '0.0.0-0' }] }],
    database_specific: { informational },
  })

  it.each`
    id                     | aliases              | entry                    | confidence | because
    ${'OSV-2024-1'}        | ${[]}                | ${fuzzed}                | ${'Low'}   | ${'nobody has judged the crash'}
    ${'OSV-2024-1'}        | ${['CVE-2024-1000']} | ${fuzzed}                | ${'High'}  | ${'it has a CVE'}
    ${'RUSTSEC-2024-0001'} | ${[]}                | ${crate('unmaintained')} | ${'Low'}   | ${'it is no vulnerability'}
    ${'RUSTSEC-2024-0001'} | ${[]}                | ${crate('unsound')}      | ${'High'}  | ${'unsound code is a flaw'}
    ${'RUSTSEC-2024-0001'} | ${[]}                | ${crate(null)}           | ${'High'}  | ${'it is a vulnerability'}
  `('$id of $entry with $aliases is $confidence, as $because', (row) => {
    const { id, aliases, entry, confidence } = row as Record<string, unknown>
    const purl = id === 'OSV-2024-1' ? 'pkg:generic/thing@1.0' : 'pkg:cargo/thing@1.0.0'
    const record = parsed({ id, aliases, affected: [entry] })

    expect(matchOf(purl, record)?.confidence).toBe(confidence)
  })
})

describeWithSharedData('published records', (folder) => {
  const files = new Map<string, string[]>()
  function recordOf(file: string, id: string): Advisory {
    const lines =
      files.get(file) ??
      gunzipSync(readFileSync(join(folder, 'osv', file)))
        .toString('utf8')
        .split('\n')
    files.set(file, lines)
    const line = lines.find((one) => one.includes(`"id":"${id}"`))
    if (line === undefined) throw new Error(`no record ${id}`)
    return parsed(JSON.parse(line) as object)
  }

  it('of AlmaLinux name their CVEs as related ones', () => {
    const record = recordOf('almalinux.jsonl.gz', 'ALSA-2021:3623')

    expect(record.upstream).toContain('CVE-2021-22930')
    expect(record.aliases).toEqual([])
  })

  it('of AlmaLinux that mend no vulnerability affect nothing', () => {
    const record = recordOf('almalinux.jsonl.gz', 'ALBA-2019:0973')

    expect(record.affected).toEqual([])
  })

  const almalinux = (name: string, version: string, more = '') =>
    `pkg:rpm/almalinux/${name}@${encodeURIComponent(version)}?arch=x86_64&distro=almalinux-8.5${more}`

  it.each`
    name        | version                                     | more          | expected        | because
    ${'nodejs'} | ${'12.22.4-1.module_el8.4.0+2525+c07ac28e'} | ${'&epoch=1'} | ${'affected'}   | ${'it is older'}
    ${'nodejs'} | ${'12.22.5-1.module_el8.4.0+2529+af52a4c7'} | ${'&epoch=1'} | ${'unaffected'} | ${'it is the fix'}
    ${'nodejs'} | ${'12.22.5-1.module_el8.5.0+85+79a7b441'}   | ${'&epoch=1'} | ${'unaffected'} | ${'it is the fix in another build of the module'}
    ${'nodejs'} | ${'12.22.5-1.module_el8.3.0+10+79a7b441'}   | ${''}         | ${'unaffected'} | ${'the epoch is not stated'}
    ${'nodejs'} | ${'10.24.0-1.module_el8.4.0+2224+b07ac28e'} | ${'&epoch=1'} | ${'silent'}     | ${'it is of another stream'}
    ${'nodejs'} | ${'12.22.4-1.el8'}                          | ${'&epoch=1'} | ${'silent'}     | ${'it is of no module'}
  `('of AlmaLinux’s nodejs:12 say $expected of $version, as $because', (row) => {
    const { name, version, more, expected } = row as Record<string, string>
    const record = recordOf('almalinux.jsonl.gz', 'ALSA-2021:3623')

    expect(verdictOf(almalinux(String(name), String(version), more), record)).toBe(expected)
  })

  it('of AlmaLinux 8 say nothing of AlmaLinux 9', () => {
    const record = recordOf('almalinux.jsonl.gz', 'ALSA-2021:3623')
    const purl =
      'pkg:rpm/almalinux/nodejs@1:12.22.4-1.module_el8.4.0%2B2525%2Bc07ac28e?distro=almalinux-9.1'

    expect(verdictOf(purl, record)).toBe('silent')
  })
})

describe('an extended stream of Red Hat', () => {
  const gitLfs = (version: string) => `pkg:rpm/redhat/git-lfs@${version}?distro=rhel-8.6`
  const ofRelease = (fixed: string) =>
    parsed({
      id: 'RHSA-2024:9999',
      upstream: ['CVE-2023-45288'],
      affected: [
        {
          package: {
            ecosystem: 'Red Hat:enterprise_linux:8::appstream',
            name: 'git-lfs',
            purl: 'pkg:rpm/redhat/git-lfs',
          },
          ranges: range(fixed),
        },
      ],
    })
  const ofStream = (fixed: string) =>
    parsed({
      id: 'RHSA-2024:4546',
      upstream: ['CVE-2023-45288'],
      affected: [
        {
          package: {
            ecosystem: 'Red Hat:rhel_aus:8.6::appstream',
            name: 'git-lfs',
            purl: 'pkg:rpm/redhat/git-lfs',
          },
          ranges: range(fixed),
        },
      ],
    })
  const stream = ofStream('0:2.13.3-3.el8_6.1')
  const release = ofRelease('0:3.4.1-2.el8_10')

  it.each`
    version               | records              | expected        | because
    ${'2.13.3-3.el8_6'}   | ${[stream]}          | ${'affected'}   | ${'it is older than the repair of its stream'}
    ${'2.13.3-3.el8_6.1'} | ${[stream]}          | ${'unaffected'} | ${'its stream has repaired it'}
    ${'2.13.3-3.el8_6.1'} | ${[stream, release]} | ${'unaffected'} | ${'its stream outranks the release, whose repair has a higher number'}
    ${'3.2.0-2.el8_8'}    | ${[stream]}          | ${'silent'}     | ${'a higher number of another stream proves nothing'}
    ${'3.2.0-2.el8_8'}    | ${[stream, release]} | ${'affected'}   | ${'the release says so'}
    ${'2.13.3-2.el8'}     | ${[stream]}          | ${'affected'}   | ${'it is older than all repairs'}
    ${'3.2.0-2.el8'}      | ${[stream]}          | ${'silent'}     | ${'it may be of the release, which the record is not about'}
    ${'3.4.1-2.el8_10'}   | ${[stream, release]} | ${'unaffected'} | ${'the release has repaired it'}
  `('$version is $expected, as $because', ({ version, records, expected }) => {
    expect(verdictOf(gitLfs(version as string), ...(records as Advisory[]))).toBe(expected)
  })
})

describeWithSharedData('a real record of Red Hat for an extended stream', (folder) => {
  it('says nothing of the builds of other minor releases', () => {
    const line = gunzipSync(readFileSync(join(folder, 'osv/mixed-fixtures.jsonl.gz')))
      .toString('utf8')
      .split('\n')
      .find((one) => one.includes('"id":"RHSA-2024:4546"'))
    const record = parsed(JSON.parse(line ?? 'null') as object)
    const verdicts = ['2.13.3-3.el8_6', '2.13.3-3.el8_6.1', '3.2.0-2.el8_8'].map((version) =>
      verdictOf(`pkg:rpm/redhat/git-lfs@${version}?distro=rhel-8.6`, record),
    )

    expect(verdicts).toEqual(['affected', 'unaffected', 'silent'])
  })
})

describe('CentOS Linux', () => {
  const record = (name: string, fixed: string, ecosystem = 'Red Hat:enterprise_linux:7::server') =>
    parsed({
      id: 'RHSA-2021:3798',
      upstream: ['CVE-2021-23840'],
      affected: [
        { package: { ecosystem, name, purl: `pkg:rpm/redhat/${name}` }, ranges: range(fixed) },
      ],
    })
  const openssl = record('openssl-libs', '1:1.0.2k-22.el7_9')
  const httpd = record('httpd', '0:2.4.6-97.el7_9.5')
  const of8 = record('openssl-libs', '1:1.1.1k-5.el8_5', 'Red Hat:enterprise_linux:8::baseos')

  it.each`
    purl                                                        | given      | expected        | because
    ${'openssl-libs@1.0.2k-16.el7?epoch=1&distro=centos-7.6'}   | ${openssl} | ${'affected'}   | ${'it is rebuilt from the same sources'}
    ${'openssl-libs@1.0.2k-22.el7_9?epoch=1&distro=centos-7'}   | ${openssl} | ${'unaffected'} | ${'it is the repair'}
    ${'httpd@2.4.6-97.el7.centos.5?distro=centos-7'}            | ${httpd}   | ${'unaffected'} | ${'its mark replaces the minor release'}
    ${'httpd@2.4.6-97.el7.centos.4?distro=centos-7'}            | ${httpd}   | ${'affected'}   | ${'it is older than the repair'}
    ${'openssl-libs@1.1.1g-15.el8_3?epoch=1&distro=centos-8'}   | ${of8}     | ${'affected'}   | ${'its build is of a minor release'}
    ${'openssl-libs@1.1.1k-4.el8?epoch=1&distro=centos-8'}      | ${of8}     | ${'silent'}     | ${'it may be of CentOS Stream, which comes before Red Hat'}
    ${'openssl-libs@1.1.1k-4.el8?epoch=1&distro=centos-8.5.21'} | ${of8}     | ${'affected'}   | ${'Stream has no minor releases'}
    ${'openssl-libs@3.0.1-1.el9?epoch=1&distro=centos-9'}       | ${of8}     | ${'silent'}     | ${'CentOS 9 is Stream'}
  `('$purl is $expected, as $because', ({ purl, given, expected }) => {
    expect(verdictOf(`pkg:rpm/centos/${String(purl)}`, given as Advisory)).toBe(expected)
  })
})
