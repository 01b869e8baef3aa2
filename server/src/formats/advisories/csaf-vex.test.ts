/** VEX documents in the shapes that Red Hat and SUSE publish; the facts in them are made up where not said otherwise. */
import { describe, expect, it } from 'vitest'
import { csafDocument, type GivenCsaf } from '../../../test/given-csaf.ts'
import { identifyPackage } from '../identity.ts'
import { matchPackage } from '../../features/matching/match.ts'
import { decideMatch } from '../../features/matching/verdict-precedence.ts'
import { parseCsafVex } from './csaf-vex.ts'
import type { Advisory } from './model.ts'

function read(given: GivenCsaf): Advisory {
  const parsed = parseCsafVex(csafDocument(given))
  if (!parsed.ok) throw new Error(parsed.reason)
  return parsed.value
}

/** What the document says about a package with this purl: undefined where it says nothing. */
function judge(advisory: Advisory, purl: string) {
  const identified = identifyPackage({
    packageName: 'x',
    vendor: undefined,
    version: undefined,
    purl,
    cpes: [],
    scope: undefined,
    builtFrom: undefined,
  })
  if (!('identity' in identified)) throw new Error(`${purl} cannot be identified`)
  const candidates = advisory.affected.map((affected) => ({
    source: 'csaf' as const,
    advisoryId: advisory.id,
    affected,
  }))
  const [verdict] = matchPackage(identified.identity, candidates)
  return verdict?.evidence.length ? verdict : undefined
}
const verdictOf = (advisory: Advisory, purl: string) => judge(advisory, purl)?.verdict
const rangeOf = (advisory: Advisory, purl: string) => judge(advisory, purl)?.evidence[0]?.range

const RHEL = {
  red_hat_enterprise_linux_7: 'cpe:/o:redhat:enterprise_linux:7',
  red_hat_enterprise_linux_8: 'cpe:/o:redhat:enterprise_linux:8',
  'BaseOS-8.9.0.GA': 'cpe:/o:redhat:enterprise_linux:8::baseos',
  'AppStream-8.9.0.GA': 'cpe:/a:redhat:enterprise_linux:8::appstream',
  'BaseOS-8.6.0.Z.EUS': 'cpe:/o:redhat:rhel_eus:8.6::baseos',
  '9Base-RHOSE-4.16': 'cpe:/a:redhat:openshift:4.16::el9',
}
const rpm = (nevra: string, rest = '') => `pkg:rpm/redhat/${nevra}${rest}`

describe('a document of Red Hat', () => {
  const openssl = read({
    cve: 'CVE-2026-1001',
    cpes: RHEL,
    purls: {
      openssl: rpm('openssl', '?arch=src'),
      'fixed.src': rpm('openssl@1.1.1k-12.el8_9', '?arch=src&epoch=1'),
      'fixed.x86_64': rpm('openssl-libs@1.1.1k-12.el8_9', '?arch=x86_64&epoch=1'),
      'debug.x86_64': rpm('openssl-debuginfo@1.1.1k-12.el8_9', '?arch=x86_64&epoch=1'),
      'eus.src': rpm('openssl@1.1.1k-7.el8_6.2', '?arch=src&epoch=1'),
      'ose.x86_64': rpm('openssl@3.0.7-1.el9', '?arch=x86_64&epoch=1'),
    },
    status: {
      fixed: [
        'BaseOS-8.9.0.GA:fixed.src',
        'BaseOS-8.9.0.GA:fixed.x86_64',
        'BaseOS-8.9.0.GA:debug.x86_64',
        'BaseOS-8.6.0.Z.EUS:eus.src',
        '9Base-RHOSE-4.16:ose.x86_64',
      ],
      known_affected: ['red_hat_enterprise_linux_7:openssl'],
      known_not_affected: ['red_hat_enterprise_linux_7:openssl098e'],
    },
    remediations: [
      {
        category: 'no_fix_planned',
        details: 'Out of support scope',
        product_ids: ['red_hat_enterprise_linux_7:openssl'],
      },
    ],
    flags: [
      {
        label: 'vulnerable_code_not_present',
        product_ids: ['red_hat_enterprise_linux_7:openssl098e'],
      },
    ],
  })

  it('says of the products of a group what is said of the group', () => {
    const ids = ['red_hat_enterprise_linux_7:openssl']
    const document = csafDocument({
      cve: 'CVE-2026-1002',
      cpes: { red_hat_enterprise_linux_7: 'cpe:/o:redhat:enterprise_linux:7' },
      status: { known_affected: ids },
      remediations: [
        { category: 'no_fix_planned', details: 'Will not fix', group_ids: ['CSAFGID-1'] },
      ],
    })
    const product_groups = [{ group_id: 'CSAFGID-1', product_ids: ids }]

    const parsed = parseCsafVex({
      ...document,
      product_tree: { ...document.product_tree, product_groups },
    })

    expect(parsed.ok && parsed.value.affected[0]?.statements[0]?.versions[0]?.text).toBe(
      'all versions; no fix is planned: Will not fix',
    )
  })

  it('is one advisory about its CVE', () => {
    expect(openssl).toMatchObject({
      source: 'csaf',
      id: 'redhat:CVE-2026-1001',
      aliases: [],
      upstream: ['CVE-2026-1001'],
      modifiedAt: '2026-08-01T00:00:00.000Z',
      title: 'A flaw, CVE-2026-1001',
      description: 'What happens.',
      statedSeverity: 'Medium',
      scores: [{ version: '3.1', baseScore: 5.9, source: 'osv:redhat' }],
    })
    expect(openssl.affected.map(({ key }) => key).toSorted()).toEqual([
      'purl:rpm/redhat/openssl',
      'purl:rpm/redhat/openssl',
      'purl:rpm/redhat/openssl-libs',
      'purl:rpm/redhat/openssl098e',
    ])
  })

  it.each`
    purl                                        | expected        | because
    ${'openssl-libs@1.1.1k-9.el8_7?epoch=1'}    | ${'affected'}   | ${'the build is older than the repair'}
    ${'openssl-libs@1.1.1k-12.el8_9?epoch=1'}   | ${'unaffected'} | ${'it is the repair'}
    ${'openssl@1.1.1k-7.el8_6.2?epoch=1'}       | ${'unaffected'} | ${'it is the repair for 8.6'}
    ${'openssl@1.1.1k-7.el8_6.1?epoch=1'}       | ${'affected'}   | ${'it is before the repair for 8.6'}
    ${'openssl@1.1.1k-8.el8_7?epoch=1'}         | ${'affected'}   | ${'the repair for 8.6 is not in it'}
    ${'openssl@1.0.2k-26.el7_9?epoch=1'}        | ${'affected'}   | ${'no fix is planned for 7'}
    ${'openssl098e@0.9.8e-29.el7_2.3'}          | ${'unaffected'} | ${'Red Hat says so'}
    ${'openssl@3.0.7-1.el9?epoch=1'}            | ${undefined}    | ${'OpenShift has builds of its own'}
    ${'openssl-debuginfo@1.1.1k-9.el8?epoch=1'} | ${undefined}    | ${'symbols are not run'}
    ${'curl@7.61.1-33.el8'}                     | ${undefined}    | ${'it does not name curl'}
  `('judges $purl as $expected, as $because', ({ purl, expected }: Record<string, string>) => {
    expect(verdictOf(openssl, rpm(purl ?? ''))).toBe(expected)
  })

  it('says what the publisher does, and why something is not affected', () => {
    expect(rangeOf(openssl, rpm('openssl@1.0.2k-26.el7_9?epoch=1'))).toBe(
      'all versions; no fix is planned: Out of support scope',
    )
    expect(rangeOf(openssl, rpm('openssl098e@0.9.8e-29.el7'))).toBe(
      'all versions; vulnerable_code_not_present',
    )
  })

  it('outranks records that name the product by CPE', () => {
    const verdict = judge(openssl, rpm('openssl098e@0.9.8e-29.el7'))
    const byCpe = {
      source: 'nvd' as const,
      advisoryId: 'CVE-2026-1001',
      verdict: 'affected' as const,
      reasons: [],
      evidence: [
        {
          ...verdict?.evidence[0],
          source: 'nvd' as const,
          advisoryId: 'CVE-2026-1001',
          key: 'cpe:openssl:openssl',
          verdict: 'affected' as const,
        },
      ],
    } as Parameters<typeof decideMatch>[0][number]

    expect(decideMatch([byCpe])).toBeDefined()
    expect(verdict && decideMatch([byCpe, verdict])).toBeUndefined()
  })

  const node = read({
    cve: 'CVE-2026-1002',
    cpes: RHEL,
    purls: {
      'nodejs:18:8090020240101:abcd': 'pkg:rpmmod/redhat/nodejs@18:8090020240101:abcd',
      'nodejs-18': rpm('nodejs@18.19.0-1.module%2Bel8.9.0%2B21%2Bx', '?arch=x86_64&epoch=1'),
      'nodejs-20': rpm(
        'nodejs@20.11.0-1.module%2Bel8.9.0%2B22%2By',
        '?arch=x86_64&epoch=1&rpmmod=nodejs:20:8090020240102:abcd',
      ),
      'nodejs:16/nodejs': 'pkg:rpmmod/redhat/nodejs:16/nodejs',
    },
    status: {
      fixed: [
        'AppStream-8.9.0.GA:nodejs:18:8090020240101:abcd::nodejs-18',
        'AppStream-8.9.0.GA:nodejs-20',
      ],
      known_affected: ['red_hat_enterprise_linux_8:nodejs:16/nodejs'],
    },
  })

  it.each`
    version                                  | expected        | because
    ${'18.18.2-1.module%2Bel8.9.0'}          | ${'affected'}   | ${'its stream is repaired later'}
    ${'18.19.0-1.module%2Bel8.9.0%2B21%2Bx'} | ${'unaffected'} | ${'it is the repair of its stream'}
    ${'18.20.0-1.module%2Bel8.9.0'}          | ${'unaffected'} | ${'the repair of another stream does not count'}
    ${'20.9.0-1.module%2Bel8.9.0'}           | ${'affected'}   | ${'the repair of another stream does not help'}
    ${'16.20.2-4.module%2Bel8.9.0'}          | ${'affected'}   | ${'its stream has no repair'}
    ${'22.1.0-1.module%2Bel8.10.0'}          | ${undefined}    | ${'the document does not name its stream'}
  `(
    'judges nodejs $version as $expected: $because',
    ({ version, expected }: Record<string, string>) => {
      expect(verdictOf(node, rpm(`nodejs@${version ?? ''}?epoch=1&distro=rhel-8.9`))).toBe(expected)
    },
  )

  it('is withdrawn when it was deleted', () => {
    const deleted = read({ cve: 'CVE-2026-1003', cpes: RHEL, status: {}, tracking: 'deleted' })

    expect(deleted).toMatchObject({
      id: 'redhat:CVE-2026-1003',
      withdrawnAt: '2026-08-01T00:00:00.000Z',
      upstream: ['CVE-2026-1003'],
      affected: [],
    })
  })
})

describe('a document of SUSE', () => {
  const SLES = {
    'SUSE Linux Enterprise Server 15 SP6': 'cpe:/o:suse:sles:15:sp6',
    'SUSE Linux Enterprise Server 15 SP7': 'cpe:/o:suse:sles:15:sp7',
    'SUSE Linux Enterprise Server 12 SP2': 'cpe:/o:suse:sles:12:sp2',
    'SLES15-SP1-CHOST-BYOS':
      'cpe:/o:suse:sles:15:sp1:chost-amazon:suse-sles-15-sp1-chost-byos-x86_64',
    'openSUSE Tumbleweed': 'cpe:/o:opensuse:tumbleweed',
    'openSUSE Leap 15.6': 'cpe:/o:opensuse:leap:15.6',
  }
  const suse = read({
    cve: 'CVE-2026-1004',
    publisher: 'suse',
    cpes: SLES,
    purls: {
      sp6: 'pkg:rpm/suse/libopenssl3@3.1.4-150600.5.15.1?upstream=openssl-3-3.1.4-150600.5.15.1.src.rpm',
      tumbleweed: 'pkg:rpm/suse/libopenssl3@3.1.4-13.1?upstream=openssl-3-3.1.4-13.1.src.rpm',
      any: 'pkg:rpm/suse/libopenssl3@?upstream=openssl-3.src.rpm',
    },
    status: {
      recommended: [
        'SUSE Linux Enterprise Server 15 SP6:sp6',
        'openSUSE Leap 15.6:libopenssl3-3.1.4-150600.5.15.1',
        'openSUSE Tumbleweed:tumbleweed',
      ],
      known_not_affected: ['SUSE Linux Enterprise Server 15 SP7:any', 'SLES15-SP1-CHOST-BYOS:any'],
      known_affected: ['SUSE Linux Enterprise Server 12 SP2:openssl'],
    },
  })

  it.each`
    purl                                                                             | expected        | because
    ${'pkg:rpm/suse/libopenssl3@3.1.4-150600.5.7.1?distro=sles-15.6'}                | ${'affected'}   | ${'it is before the recommended build'}
    ${'pkg:rpm/suse/libopenssl3@3.1.4-150600.5.39.1?distro=sles-15.6'}               | ${'unaffected'} | ${'it is after the recommended build'}
    ${'pkg:rpm/sles/libopenssl3@3.1.4-150600.5.7.1?distro=sles-15.6'}                | ${'affected'}   | ${'SBOMs use this name, too'}
    ${'pkg:rpm/suse/libopenssl3@3.2.3-150700.3.1?distro=sles-15.7'}                  | ${'unaffected'} | ${'no version of SP7 is affected'}
    ${'pkg:rpm/suse/libopenssl3@3.1.4-150100.1.1?distro=sles-15.1'}                  | ${undefined}    | ${'images of clouds are other products'}
    ${'pkg:rpm/suse/openssl@1.0.2j-60.24.1?distro=sles-12.2'}                        | ${'affected'}   | ${'all versions are, and no purl is stated'}
    ${'pkg:rpm/opensuse/libopenssl3@3.1.4-150600.5.7.1?distro=opensuse-leap-15.6'}   | ${'affected'}   | ${'the name of the build states the version'}
    ${'pkg:rpm/opensuse/libopenssl3@3.1.4-12.1?distro=opensuse-tumbleweed-20260801'} | ${'affected'}   | ${'Tumbleweed has a repair of its own'}
  `('judges $purl as $expected, as $because', ({ purl, expected }: Record<string, string>) => {
    expect(verdictOf(suse, purl ?? '')).toBe(expected)
  })
})

describe('other documents', () => {
  const valid = csafDocument({
    cve: 'CVE-2026-1005',
    cpes: RHEL,
    status: { known_affected: ['red_hat_enterprise_linux_8:samba'] },
  })
  const [vulnerability] = valid.vulnerabilities
  const other = csafDocument({ cve: 'CVE-2026-1006', publisher: 'other', cpes: {}, status: {} })

  it.each([
    ['a text', 'x', 'the record is not an object'],
    ['no document', {}, '/document is missing'],
    ['another publisher', other, '/document/publisher/namespace is not a distribution'],
    ['no vulnerability', { ...valid, vulnerabilities: [] }, '/vulnerabilities is empty'],
    [
      'several vulnerabilities',
      { ...valid, vulnerabilities: [vulnerability, vulnerability] },
      '/vulnerabilities are several',
    ],
    [
      'an id that is not of the CVE program',
      { ...valid, vulnerabilities: [{ ...vulnerability, cve: 'x' }] },
      '/vulnerabilities/0/cve is not a CVE id',
    ],
  ])('with %s are skipped, with the reason', (_, json, reason) => {
    expect(parseCsafVex(json)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(reason) as string,
    })
  })

  it('say nothing where the product tree is broken', () => {
    const parsed = parseCsafVex({ ...valid, product_tree: { branches: 'x', relationships: [7] } })

    expect(parsed).toMatchObject({ ok: true, value: { affected: [] } })
  })
})
