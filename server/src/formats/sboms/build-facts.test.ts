import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { parseSboms } from './parse.ts'
import { readFixedCves } from './spdx2-facts.ts'
import { readExcludedCves } from './excluded-cves.ts'
import { findCveIdsInFileName } from './vulnerability-ids.ts'

function factsOf(document: object | string) {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const [sbom] = parseSboms([Buffer.from(text)])
  const nameOf = (node: number) => sbom?.components[node]?.packageName
  return {
    format: sbom?.format,
    warnings: sbom?.warnings ?? [],
    facts: (sbom?.statements ?? []).map(({ statement, nodes, format, isWhole }) => ({
      ...statement,
      format,
      isWhole,
      names: nodes.map(nameOf),
    })),
  }
}

describe('SPDX 2', () => {
  it.each`
    sourceInfo                                                       | ids                                     | because
    ${'CVEs fixed: CVE-2018-25032 CVE-2022-37434'}                   | ${['CVE-2018-25032', 'CVE-2022-37434']} | ${'spaces separate them'}
    ${'CVEs fixed: CVE-2018-25032, CVE-2022-37434;CVE-2020-0001'}    | ${3}                                    | ${'commas and semicolons do'}
    ${'CVEs fixed:\n  CVE-2018-25032\n  CVE-2022-37434\n'}           | ${2}                                    | ${'lines do'}
    ${'cves fixed: cve-2018-25032'}                                  | ${['CVE-2018-25032']}                   | ${'small letters are meant'}
    ${'CVE fixed: CVE-2018-25032'}                                   | ${['CVE-2018-25032']}                   | ${'one CVE is no plural'}
    ${'built package from: zlib 1.2.11\nCVEs fixed: CVE-2018-25032'} | ${['CVE-2018-25032']}                   | ${'other texts may stand before'}
    ${'CVEs fixed: CVE-2018-25032. Not fixed: CVE-2022-37434'}       | ${['CVE-2018-25032']}                   | ${'the list ends with its sentence'}
    ${'CVEs not fixed: CVE-2018-25032'}                              | ${[]}                                   | ${'it says the opposite'}
    ${'unfixed CVE-2018-25032'}                                      | ${[]}                                   | ${'nothing says fixed'}
    ${'CVEs fixed: '}                                                | ${[]}                                   | ${'none is listed'}
    ${'CVEs fixed: CVE-2018-1 CVE-20188-25032'}                      | ${[]}                                   | ${'these are no ids'}
  `('reads $ids of $sourceInfo, as $because', ({ sourceInfo, ids }) => {
    const found = readFixedCves(String(sourceInfo))

    expect(typeof ids === 'number' ? found.length : found).toEqual(ids)
  })

  it('reads the lists of tag-value documents too', () => {
    const { facts } = factsOf(
      `SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\nDocumentName: d\nDocumentNamespace: http://x/d\nCreator: Tool: t
Created: 2024-01-01T00:00:00Z\nPackageName: zlib\nSPDXID: SPDXRef-zlib\nPackageVersion: 1\nPackageDownloadLocation: NONE
PackageSourceInfo: <text>CVEs fixed: CVE-2018-25032</text>\nRelationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-zlib\n`,
    )

    expect(facts).toMatchObject([
      { names: ['zlib'], isWhole: false, format: 'Build', vulnerability: 'CVE-2018-25032' },
    ])
  })
})

describe('patches among the files of SPDX 2', () => {
  const document = (relationships: object[], hasFiles: string[], fileName: string) => ({
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'd',
    documentNamespace: 'http://x/d',
    packages: [{ SPDXID: 'SPDXRef-a', name: 'a', downloadLocation: 'NONE', hasFiles }],
    files: [{ SPDXID: 'SPDXRef-p', fileName, fileTypes: ['SOURCE'] }],
    relationships,
  })
  const applied = {
    spdxElementId: 'SPDXRef-p',
    relationshipType: 'PATCH_APPLIED',
    relatedSpdxElement: 'SPDXRef-a',
  }

  it.each`
    fileName                                  | relationships | hasFiles         | ids                  | because
    ${'./debian/patches/CVE-2021-1234.patch'} | ${[]}         | ${['SPDXRef-p']} | ${['CVE-2021-1234']} | ${'Debian applies it'}
    ${'./patches/0001-CVE-2021-1234.patch'}   | ${[applied]}  | ${[]}            | ${['CVE-2021-1234']} | ${'it is said to be applied'}
    ${'./patches/0001-CVE-2021-1234.patch'}   | ${[]}         | ${['SPDXRef-p']} | ${[]}                | ${'it is only there'}
    ${'./debian/patches/CVE-2021-1234.txt'}   | ${[]}         | ${['SPDXRef-p']} | ${[]}                | ${'it is no patch'}
    ${'./debian/patches/fix-overflow.patch'}  | ${[applied]}  | ${['SPDXRef-p']} | ${[]}                | ${'it names none'}
  `('$fileName is for $ids, as $because', ({ fileName, relationships, hasFiles, ids }) => {
    const given = document(relationships as object[], hasFiles as string[], String(fileName))

    expect(factsOf(given).facts.map(({ vulnerability }) => vulnerability)).toEqual(ids)
  })
})

describe('cve-exclude-list', () => {
  it.each`
    comment                                                                                            | excluded                                            | because
    ${'cve-exclude-list:\n-   cve: CVE-2020-10932\n    reason: patched downstream'}                    | ${['CVE-2020-10932 patched downstream']}            | ${'it is a list'}
    ${'cve-exclude-list:\n  - cve: cve-2020-10932\n    reason: "a \\"quoted\\" reason: with colon"'}   | ${['CVE-2020-10932 a "quoted" reason: with colon']} | ${'quotes are YAML'}
    ${"cve-exclude-list:\n- reason: 'it''s mitigated'\n  cve: CVE-2020-10932"}                         | ${["CVE-2020-10932 it's mitigated"]}                | ${'members have any order'}
    ${'cve-exclude-list:\n-   cve: CVE-2020-10932\n    reason: a long reason\n        that is folded'} | ${['CVE-2020-10932 a long reason that is folded']}  | ${'texts are folded'}
    ${'cve-exclude-list:\n- cve: CVE-2020-10932\n- cve: CVE-2020-10933\n  reason: x'}                  | ${['CVE-2020-10932 undefined', 'CVE-2020-10933 x']} | ${'a reason may be missing'}
    ${'cve-exclude-list:\n-   cve: CVE-2020-10932\n    reason: x\ncve-keywords:\n-   CVE-2020-1'}      | ${['CVE-2020-10932 x']}                             | ${'another list follows'}
    ${'# The cve-exclude-list list contains CVE-2020-10932'}                                           | ${[]}                                               | ${'it is a remark'}
    ${'cve-exclude-list: []'}                                                                          | ${[]}                                               | ${'it is empty'}
    ${'cve-exclude-list:\nsome text about CVE-2020-10932'}                                             | ${[]}                                               | ${'it is no list'}
  `('has $excluded, as $because', ({ comment, excluded }) => {
    const found = readExcludedCves(String(comment)).map(({ id, reason }) => `${id} ${reason}`)

    expect(found).toEqual(excluded)
  })

  it('takes a justification of VEX', () => {
    const item =
      '-   cve: CVE-2020-10932\n    justification: vulnerable_code_not_present\n    reason: x'

    expect(readExcludedCves(`cve-exclude-list:\n${item}`)).toMatchObject([
      { justification: 'vulnerable_code_not_present' },
    ])
  })
})

it.each`
  name                                                        | ids
  ${'debian/patches/CVE-2021-1234.patch'}                     | ${['CVE-2021-1234']}
  ${'0001-fix-cve-2021-1234-and-CVE-2021-5678.patch'}         | ${['CVE-2021-1234', 'CVE-2021-5678']}
  ${'CVE_2021_12345-2.diff'}                                  | ${['CVE-2021-12345']}
  ${'https://x.org/p/CVE-2021-1234.patch?id=1#CVE-2020-9999'} | ${['CVE-2021-1234']}
  ${'CVE-2021-1234/0001-fix.patch'}                           | ${[]}
  ${'0001-fix-overflow.patch'}                                | ${[]}
`('the patch $name is for $ids', ({ name, ids }) => {
  expect(findCveIdsInFileName(String(name))).toEqual(ids)
})

describe('patches of CycloneDX', () => {
  const bom = (patches: unknown) => ({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'firmware', 'bom-ref': 'root', name: 'image', version: '1' } },
    components: [
      { type: 'library', 'bom-ref': 'a', name: 'a', version: '2', pedigree: { patches } },
    ],
  })
  const security = (id: string, more: object = {}) => ({ type: 'security', id, name: id, ...more })

  it.each`
    patch                                                                                                                | ids                                     | because
    ${{ type: 'backport', resolves: [security('CVE-2018-25032')] }}                                                      | ${['CVE-2018-25032']}                   | ${'a backport resolves it'}
    ${{ type: 'unofficial', resolves: [security('cve-2018-25032')] }}                                                    | ${['CVE-2018-25032']}                   | ${'an unofficial patch does'}
    ${{ resolves: [{ type: 'security', name: 'CVE-2018-25032' }] }}                                                      | ${['CVE-2018-25032']}                   | ${'its name is an id'}
    ${{ resolves: [security('CVE-2018-25032 CVE-2018-25033')] }}                                                         | ${['CVE-2018-25032', 'CVE-2018-25033']} | ${'one issue lists two'}
    ${{ resolves: [security('GHSA-jc36-42cf-vqwj')] }}                                                                   | ${['GHSA-jc36-42cf-vqwj']}              | ${'GitHub names it'}
    ${{ resolves: [security('ghsa-JC36-42CF-vqwj', { name: 'CVE-2018-25032' })] }}                                       | ${['CVE-2018-25032']}                   | ${'the CVE goes before GitHub’s id'}
    ${{ resolves: [{ type: 'defect', id: 'JIRA-17' }, { type: 'security', id: 'a bug' }] }}                              | ${[]}                                   | ${'these are no vulnerabilities'}
    ${{ type: 'backport', diff: { url: 'http://x/CVE-2021-1234.patch' } }}                                               | ${['CVE-2021-1234']}                    | ${'its file is called so'}
    ${{ diff: { text: { content: 'Fix\n\nCVE: CVE-2021-1234 CVE-2021-1235\n\ndiff --git a b\n+CVE: CVE-2000-0001' } } }} | ${['CVE-2021-1234', 'CVE-2021-1235']}   | ${'its header says so'}
    ${{ diff: 'text', resolves: 'CVE-2018-25032' }}                                                                      | ${[]}                                   | ${'nobody can read it'}
  `('are for $ids, as $because', ({ patch, ids }) => {
    const { facts } = factsOf(bom([patch]))

    expect(facts.map(({ vulnerability }) => vulnerability)).toEqual(ids)
    expect(facts.every(({ assessment }) => assessment === 'Resolved')).toBe(true)
  })

  it('says when only the name of a patch tells it, and prefers what a patch states', () => {
    const url = 'patches/CVE-2021-1234.patch'
    const named = factsOf(bom([{ type: 'backport', diff: { url } }])).facts
    const both = factsOf(bom([{ diff: { url } }, { resolves: [security('CVE-2021-1234')] }])).facts

    expect(named).toMatchObject([{ detail: expect.stringContaining('the name alone') as string }])
    expect(both).toMatchObject([{ detail: expect.stringContaining('resolves') as string }])
  })

  it('reads XML, and takes no patch of the root for one of all its parts', () => {
    const { facts } = factsOf(`<?xml version="1.0"?>
      <bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1"><metadata><component type="firmware" bom-ref="r">
        <name>image</name><version>1</version><pedigree><patches><patch type="backport">
          <diff><text>--- a</text><url>http://x/CVE-2021-1234.patch</url></diff>
          <resolves><issue type="security"><id>CVE-2018-25032</id><name>zlib</name></issue></resolves>
        </patch></patches></pedigree></component></metadata>
        <components><component type="library"><name>a</name><version>1</version></component></components></bom>`)

    expect(facts).toMatchObject([
      { vulnerability: 'CVE-2018-25032', names: ['image'], isWhole: false },
      { vulnerability: 'CVE-2021-1234', names: ['image'], isWhole: false },
    ])
  })
})

describe('reports of Yocto’s cve-check', () => {
  const report = (...issue: object[]) => ({
    version: '1',
    package: [{ name: 'zlib', layer: 'meta', version: '1_1.2.11', products: [], issue }],
  })

  it.each`
    status         | detail                        | assessment
    ${'Patched'}   | ${undefined}                  | ${'Resolved'}
    ${'Patched'}   | ${'backported-patch'}         | ${'Resolved'}
    ${'Patched'}   | ${'cpe-stable-backport'}      | ${'Resolved'}
    ${'Patched'}   | ${'fixed-version'}            | ${'Resolved'}
    ${'Patched'}   | ${'fix-file-included'}        | ${'Resolved'}
    ${'Patched'}   | ${'our-own-word'}             | ${'Resolved'}
    ${'Patched'}   | ${'version-not-in-range'}     | ${undefined}
    ${'Unpatched'} | ${undefined}                  | ${undefined}
    ${'Unpatched'} | ${'version-in-range'}         | ${undefined}
    ${'Unpatched'} | ${'vulnerable-investigating'} | ${'Exploitable'}
    ${'Ignored'}   | ${undefined}                  | ${'NotAffected'}
    ${'Ignored'}   | ${'not-applicable-platform'}  | ${'NotAffected'}
    ${'Ignored'}   | ${'not-applicable-config'}    | ${'NotAffected'}
    ${'Ignored'}   | ${'cpe-incorrect'}            | ${'NotAffected'}
    ${'Ignored'}   | ${'disputed'}                 | ${'NotAffected'}
    ${'Ignored'}   | ${'upstream-wontfix'}         | ${'Exploitable'}
    ${'Ignored'}   | ${'our-own-word'}             | ${'InTriage'}
  `('say $assessment by $status $detail', ({ status, detail, assessment }) => {
    const issue = { id: 'cve-2018-25032', status: String(status), detail: detail as unknown }
    const { format, facts } = factsOf(report(issue))

    expect(format).toBe('YoctoCveCheck')
    expect(facts.map((fact) => fact.assessment)).toEqual(
      assessment === undefined ? [] : [assessment],
    )
  })

  it('name the recipe without its epoch, with the description', () => {
    const description = 'Issue only applies on Windows'
    const issue = { id: 'CVE-2018-25032', status: 'Ignored', detail: 'cpe-incorrect', description }

    const { facts, warnings } = factsOf(report(issue, { id: 'nothing', status: 'Patched' }))

    expect(facts).toMatchObject([
      {
        products: [{ name: 'zlib', version: '1.2.11' }],
        justification: 'component_not_present',
        detail: expect.stringContaining(description) as string,
      },
    ])
    expect(warnings).toEqual([expect.stringContaining('without a CVE id') as string])
  })

  it('are told apart from other JSON', () => {
    expect(() => factsOf({ package: [] })).toThrow('not an SBOM')
    expect(() => factsOf({ package: { name: 'x' } })).toThrow('not an SBOM')
    expect(factsOf({ version: '1', package: [] })).toMatchObject({ facts: [] })
  })
})

it.each`
  notes                                 | assessment       | responses           | because
  ${'upstream-wontfix'}                 | ${'Exploitable'} | ${['will_not_fix']} | ${'it is still there'}
  ${'upstream-wontfix: nobody cares'}   | ${'Exploitable'} | ${['will_not_fix']} | ${'a description follows'}
  ${'not-applicable-platform: Windows'} | ${'NotAffected'} | ${[]}               | ${'it does not apply'}
  ${'Our words: upstream-wontfix'}      | ${'NotAffected'} | ${[]}               | ${'these are no words of Yocto'}
  ${undefined}                          | ${'NotAffected'} | ${[]}               | ${'nothing is noted'}
`('SPDX 3 says $assessment with the notes $notes, as $because', (given) => {
  const { notes, assessment, responses } = given as Record<string, unknown>
  const { facts } = factsOf({
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [
      { type: 'CreationInfo', '@id': '_:i', specVersion: '3.0.1', created: '2026-01-01T00:00:00Z' },
      { type: 'SpdxDocument', spdxId: 'urn:d', rootElement: ['urn:a'] },
      { type: 'software_Package', spdxId: 'urn:a', name: 'a' },
      { type: 'security_Vulnerability', spdxId: 'urn:v/CVE-2024-0001', name: 'CVE-2024-0001' },
      {
        type: 'security_VexNotAffectedVulnAssessmentRelationship',
        spdxId: 'urn:r',
        from: 'urn:v/CVE-2024-0001',
        relationshipType: 'doesNotAffect',
        to: ['urn:a'],
        security_statusNotes: notes,
      },
    ],
  })

  expect(facts).toMatchObject([{ assessment, responses }])
})

describe('reports of Buildroot', () => {
  const zlib = {
    type: 'target',
    name: 'libzlib',
    virtual: false,
    version: '1.2.11',
    'cpe-id': 'cpe:2.3:a:gnu:zlib:1.2.11:*:*:*:*:*:*:*',
    dependencies: [],
    patches: ['package/libzlib/0001-CVE-2018-25032.patch'],
    ignore_cves: ['CVE-2018-25032', 'CVE-2022-37434'],
  }
  const expected = [
    { vulnerability: 'CVE-2018-25032', assessment: 'Resolved' },
    { vulnerability: 'CVE-2022-37434', assessment: 'NotAffected' },
  ]

  it('have what show-info ignores, without packages for the host', () => {
    const { format, facts } = factsOf({ libzlib: zlib, 'host-zlib': { ...zlib, type: 'host' } })

    expect(format).toBe('BuildrootShowInfo')
    expect(facts).toMatchObject(expected)
    expect(facts[0]?.products).toMatchObject([
      { name: 'libzlib', version: '1.2.11' },
      { cpes: ['cpe:2.3:a:gnu:zlib:1.2.11:*:*:*:*:*:*:*'] },
    ])
  })

  it('have what pkg-stats ignores', () => {
    const { format, facts } = factsOf({
      package_status_checks: ['cve'],
      packages: {
        libzlib: {
          current_version: '1.2.11',
          patch_files: ['0001-CVE-2018-25032.patch'],
          ignored_cves: ['CVE-2022-37434'],
        },
      },
    })

    expect(format).toBe('BuildrootPkgStats')
    expect(facts).toMatchObject(expected)
  })

  it('are no lock files of npm', () => {
    expect(() => factsOf({ name: 'x', packages: { 'node_modules/a': { version: '1' } } })).toThrow(
      'not an SBOM',
    )
  })
})

describeWithSharedData('the real archive of Yocto', (folder) => {
  it('has all CVEs that its recipes list as fixed', () => {
    const path = 'sbom/firmware/yocto-spdx22-rootfs/example.rootfs.spdx.tar.zst'
    const [sbom] = parseSboms([readFileSync(join(folder, path))])
    const by = Map.groupBy(sbom?.statements ?? [], ({ nodes }) =>
      nodes.map((node) => sbom?.components[node]?.packageName).join(),
    )

    expect(by.get('glibc')?.length).toBe(5)
    expect(by.get('busybox')?.length).toBe(6)
    expect(by.get('linux-yocto')?.length).toBeGreaterThan(68)
  })
})
