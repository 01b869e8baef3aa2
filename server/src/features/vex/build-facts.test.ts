/** What builds say about patches, as decisions: where they apply, who outranks them, and when they end. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  MULTIPART,
  multipart,
  upload,
} from '../../../test/given.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
})

let count = 2_000
async function givenFlaw(aliases: string[] = []) {
  count += 1
  const [id, product] = [`CVE-2024-${count}`, `thing${count}`]
  await givenAdvisory(test.ctx.db, {
    id,
    score: 9.8,
    severity: 'Critical',
    title: `Flaw of ${product}`,
    aliases,
    affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
  })
  return { id, product }
}

interface Part {
  name: string
  ref?: string
  /** CVEs that patches of it resolve. */
  patched?: string[]
  version?: string
}

function bom(parts: Part[], members: object = {}) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'firmware', 'bom-ref': 'root', name: 'image', version: '7' } },
    components: parts.map(({ name, ref = name, patched = [], version = '1.0' }) => ({
      type: 'library',
      'bom-ref': ref,
      name,
      version,
      cpe: `cpe:2.3:a:acme:${name}:${version}:*:*:*:*:*:*:*`,
      ...(patched.length > 0 && {
        pedigree: {
          patches: [
            { type: 'backport', resolves: patched.map((id) => ({ type: 'security', id })) },
          ],
        },
      }),
    })),
    ...members,
  }
}

interface GivenVersion {
  client: Client
  firmwareVersionId: string
}

async function givenVersion(
  ...documents: { name?: string; document: object }[]
): Promise<GivenVersion> {
  const client = await givenClient(test)
  const given = { client, firmwareVersionId: await givenFirmwareVersion(client) }
  for (const { document, name } of documents) await uploaded(given, document, name)
  return given
}

async function uploaded(
  given: GivenVersion,
  document: object,
  name = 'image.cdx.json',
): Promise<string> {
  const { client, firmwareVersionId } = given
  const files = [{ name, bytes: JSON.stringify(document) }]
  const response = await upload(test, client, { firmwareVersionId, files })
  expect(response.statusCode).toBe(202)
  const sboms = await matchedSboms(client, firmwareVersionId)
  expect(sboms.every(({ parsingState }) => parsingState === 'Succeeded')).toBe(true)
  return response.json<{ sboms: { id: string }[] }>().sboms[0]?.id ?? ''
}

interface ListedFinding {
  id: string
  cveId: string
  assessment: string
}

async function findingOf({ client, firmwareVersionId }: GivenVersion, cveId: string) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const listed = (await client.post(path, {})).json<{ findings: ListedFinding[] }>().findings
  const id = listed.find((one) => one.cveId === cveId)?.id ?? ''
  const found = await client.get(`/vulnerability-findings/${id}`)
  return found.json<{
    id: string
    assessment: string
    isActive: boolean
    origin: string | null
    detail: string | null
    recheckReason: string | null
    timeline: { type: string; source?: string; assessment?: { assessment: string } }[]
  }>()
}

const activeOf = async ({ client, firmwareVersionId }: GivenVersion) =>
  (
    await client.get(`/firmware-versions/${firmwareVersionId}/vulnerability-findings/summary`)
  ).json<{ totalActiveIssues: number }>().totalActiveIssues

const cveCheck = (name: string, issues: object[], version = '1.0') => ({
  version: '1',
  package: [{ name, layer: 'meta', version, products: [], issue: issues }],
})

describe('a patch of the build', () => {
  it('resolves the finding, by the build, with text and source', async () => {
    const { id, product } = await givenFlaw()

    const given = await givenVersion({ document: bom([{ name: product, patched: [id] }]) })

    expect(await findingOf(given, id)).toMatchObject({
      assessment: 'Resolved',
      isActive: false,
      origin: 'Build',
      detail: expect.stringContaining(`resolves ${id}`) as string,
    })
    const { timeline } = await findingOf(given, id)
    expect(timeline.at(-1)).toMatchObject({
      source: 'Build',
      origin: 'Build',
      statedIn: { format: 'Build', sbomFileName: 'image.cdx.json' },
    })
    expect(await activeOf(given)).toBe(0)
  })

  it('says nothing of a package that another component stands for without it', async () => {
    const { id, product } = await givenFlaw()
    const twice = [
      { name: product, patched: [id] },
      { name: product, ref: 'unpatched' },
    ]

    const given = await givenVersion({ document: bom(twice) })
    expect(await findingOf(given, id)).toMatchObject({ assessment: 'NotAssessed', isActive: true })

    await uploaded(given, bom(twice.map((one) => ({ ...one, patched: [id] }))))
    expect(await findingOf(given, id)).toMatchObject({ assessment: 'Resolved' })
  })

  it('is known by the id of GitHub, too', async () => {
    const { id, product } = await givenFlaw(['GHSA-jc36-42cf-vqwj'])

    const given = await givenVersion({
      document: bom([{ name: product, patched: ['GHSA-jc36-42cf-vqwj'] }]),
    })

    expect(await findingOf(given, id)).toMatchObject({ assessment: 'Resolved' })
  })

  it('for a CVE that its component does not have waits, and is told', async () => {
    const [flaw, other] = [await givenFlaw(), await givenFlaw()]
    const given = await givenVersion({
      document: bom([
        { name: flaw.product, patched: [other.id, 'CVE-1999-0001', flaw.id] },
        { name: other.product },
      ]),
    })

    expect(await findingOf(given, other.id)).toMatchObject({ assessment: 'NotAssessed' })
    const path = `/firmware-versions/${given.firmwareVersionId}/vex-documents`
    expect((await given.client.get(path)).json()).toMatchObject({
      documents: [{ format: 'Build', statementCount: 3, waitingCount: 2 }],
    })
  })
})

describe('who outranks the build', () => {
  it('are persons, whatever the build says later', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion({ document: bom([{ name: product, patched: [id] }]) })
    const finding = await findingOf(given, id)
    const path = `/vulnerability-findings/${finding.id}/assessments`
    await given.client.post(path, { assessment: 'Exploitable' })

    const later = await uploaded(given, bom([{ name: product }], { version: 2 }))
    expect(await findingOf(given, id)).toMatchObject({ assessment: 'Exploitable' })

    await given.client.delete(`/sboms/${later}`)
    expect(await findingOf(given, id)).toMatchObject({
      assessment: 'Exploitable',
      origin: 'Person',
    })
  })

  it('are VEX documents', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion({ document: bom([{ name: product, patched: [id] }]) })
    const cpe = `cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`
    await given.client.post(`/firmware-versions/${given.firmwareVersionId}/vex`, {
      '@context': 'https://openvex.dev/ns/v0.2.0',
      '@id': `https://example.com/${product}`,
      author: 'PSIRT',
      timestamp: '2020-01-02T03:04:05Z',
      version: 1,
      statements: [
        {
          vulnerability: { name: id },
          products: [{ '@id': cpe }],
          status: 'affected',
          action_statement: 'x',
        },
      ],
    })

    expect(await findingOf(given, id)).toMatchObject({
      assessment: 'Exploitable',
      origin: 'Document',
    })
    await uploaded(given, bom([{ name: product, patched: [id] }], { version: 2 }))
    expect(await findingOf(given, id)).toMatchObject({ assessment: 'Exploitable' })
  })
})

describe('what the build said ends', () => {
  it('with its SBOM, and the timeline says why', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion({
      document: bom([{ name: product }], ROOTLESS),
      name: 'a.json',
    })
    const patched = await uploaded(given, bom([{ name: product, patched: [id] }]), 'b.json')
    expect(await findingOf(given, id)).toMatchObject({ assessment: 'Resolved' })
    await given.client.delete(`/sboms/${patched}`)

    const reason = 'Resolved by the SBOM b.json, which was deleted or replaced'
    const ended = await findingOf(given, id)
    expect(ended).toMatchObject({
      assessment: 'NotAssessed',
      isActive: true,
      recheckReason: reason,
    })
    expect(ended.timeline.at(-1)).toMatchObject({
      source: 'System',
      assessment: { assessment: 'NotAssessed', recheckReason: reason },
    })
    expect(await activeOf(given)).toBe(1)
  })

  it('when a later edition of the SBOM does not say so, until that is deleted', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion({ document: bom([{ name: product, patched: [id] }]) })

    const later = await uploaded(given, bom([{ name: product }]))
    expect(await findingOf(given, id)).toMatchObject({
      assessment: 'NotAssessed',
      recheckReason: 'Resolved by the SBOM image.cdx.json, which no longer says so',
    })

    await given.client.delete(`/sboms/${later}`)
    expect(await findingOf(given, id)).toMatchObject({
      assessment: 'Resolved',
      recheckReason: null,
    })
  })

  it('not when a later edition says the same, and then its source is the later one', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion({ document: bom([{ name: product, patched: [id] }]) })
    const [first] = await matchedSboms(given.client, given.firmwareVersionId)

    await uploaded(given, bom([{ name: product, patched: [id] }], { version: 2 }))
    await given.client.delete(`/sboms/${first?.id ?? ''}`)

    const { assessment, timeline } = await findingOf(given, id)
    expect(assessment).toBe('Resolved')
    expect(timeline.filter(({ type }) => type === 'Assessment')).toHaveLength(1)
  })

  it('when another SBOM brings the package back without it', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion({
      document: bom([{ name: 'base' }], ROOTLESS),
      name: 'a.json',
    })
    const sbomId = await uploaded(given, bom([{ name: product, patched: [id] }]), 'b.json')
    expect(await activeOf(given)).toBe(0)
    await given.client.delete(`/sboms/${sbomId}`)

    await uploaded(given, bom([{ name: product }], ROOTLESS), 'c.json')

    expect(await activeOf(given)).toBe(1)
    expect(await findingOf(given, id)).toMatchObject({
      assessment: 'NotAssessed',
      recheckReason: 'Resolved by the SBOM b.json, which was deleted or replaced',
    })
  })

  it('not when an upload replaces SBOM and report by others that say the same', async () => {
    const [one, two] = [await givenFlaw(), await givenFlaw()]
    const parts = [{ name: one.product, patched: [one.id] }, { name: two.product }]
    const issues = [{ id: two.id, status: 'Ignored', detail: 'disputed', description: 'By design' }]
    const given = await givenVersion(
      { document: bom(parts) },
      { document: cveCheck(two.product, issues), name: 'cve-summary.json' },
    )

    const { client, firmwareVersionId } = given
    const files = [
      { name: 'image.cdx.json', bytes: JSON.stringify(bom(parts, { version: 2 })) },
      {
        name: 'cve-summary.json',
        bytes: JSON.stringify({ ...cveCheck(two.product, issues), build: 2 }),
      },
    ]
    const response = await test.app.inject({
      method: 'POST',
      url: `/workspaces/${client.workspaceId}/firmware-versions/${firmwareVersionId}/sboms?replace=all`,
      headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': MULTIPART },
      payload: multipart(files),
    })
    expect(response.statusCode).toBe(202)
    expect(await matchedSboms(client, firmwareVersionId)).toHaveLength(2)

    for (const [{ id }, assessment] of [
      [one, 'Resolved'],
      [two, 'NotAffected'],
    ] as const) {
      const finding = await findingOf(given, id)
      expect(finding.assessment).toBe(assessment)
      expect(finding.timeline.filter(({ type }) => type === 'Assessment')).toHaveLength(1)
    }
  })

  it('and is not carried over to the next version', async () => {
    const { id, product } = await givenFlaw()
    const earlier = await givenVersion({ document: bom([{ name: product, patched: [id] }]) })
    const version = await earlier.client.get(`/firmware-versions/${earlier.firmwareVersionId}`)
    const { firmware } = version.json<{ firmware: { id: string } }>()
    const created = await earlier.client.post(`/firmwares/${firmware.id}/versions`, { name: '2' })
    const next = { ...earlier, firmwareVersionId: created.json<{ id: string }>().id }

    await uploaded(next, bom([{ name: product }]))

    expect(await findingOf(next, id)).toMatchObject({
      assessment: 'NotAssessed',
      recheckReason: null,
    })
  })
})

/** Another root: no edition of the other SBOM. */
const ROOTLESS = { metadata: {} }

describe('reports beside the SBOM', () => {
  it('decide whichever is uploaded first, and end with the report', async () => {
    const { id, product } = await givenFlaw()
    const document = cveCheck(product, [
      { id, status: 'Ignored', detail: 'not-applicable-platform', description: 'Only Windows' },
      { id: 'CVE-1999-0002', status: 'Unpatched' },
    ])
    const given = await givenVersion({ document, name: 'cve-summary.json' })
    await uploaded(given, bom([{ name: product }]))

    const finding = await findingOf(given, id)
    expect(finding).toMatchObject({
      assessment: 'NotAffected',
      origin: 'Build',
      justification: 'vulnerable_code_not_present',
      detail: expect.stringContaining('Only Windows') as string,
    })

    await uploaded(given, cveCheck(product, []), 'cve-summary.json')
    expect(await findingOf(given, id)).toMatchObject({ assessment: 'NotAssessed' })
  })

  it('leave open what upstream does not fix', async () => {
    const { id, product } = await givenFlaw()
    const given = await givenVersion(
      { document: bom([{ name: product }]) },
      {
        document: cveCheck(product, [{ id, status: 'Ignored', detail: 'upstream-wontfix' }]),
        name: 'cve-summary.json',
      },
    )

    expect(await findingOf(given, id)).toMatchObject({
      assessment: 'Exploitable',
      isActive: true,
      response: 'will_not_fix',
    })
  })

  it('say nothing of another version of the recipe', async () => {
    const { id, product } = await givenFlaw()
    const issues = [{ id, status: 'Patched', detail: 'backported-patch' }]
    const given = await givenVersion(
      { document: bom([{ name: product }]) },
      { document: cveCheck(product, issues, '1.5'), name: 'cve-summary.json' },
    )

    expect(await findingOf(given, id)).toMatchObject({ assessment: 'NotAssessed' })
  })

  it('are refused by the import of VEX, with what to do', async () => {
    const given = await givenVersion()
    const path = `/firmware-versions/${given.firmwareVersionId}/vex`

    const refused = await given.client.post(path, cveCheck('zlib', []))

    expect(refused.statusCode).toBe(400)
    expect(refused.json<{ detail: string }>().detail).toContain('uploaded like an SBOM')
  })

  it('of Buildroot decide by name, or by CPE', async () => {
    const [one, two] = [await givenFlaw(), await givenFlaw()]
    const entry = (name: string, more: object) => ({
      type: 'target',
      name,
      virtual: false,
      version: '1.0',
      dependencies: [],
      ...more,
    })
    const given = await givenVersion(
      { document: bom([{ name: one.product }, { name: two.product }]) },
      {
        document: {
          [one.product]: entry(one.product, { ignore_cves: [one.id] }),
          other: entry('other', {
            'cpe-id': `cpe:2.3:a:acme:${two.product}:1.0:*:*:*:*:*:*:*`,
            patches: [`package/other/0001-${two.id}.patch`],
          }),
        },
        name: 'show-info.json',
      },
    )

    expect(await findingOf(given, one.id)).toMatchObject({ assessment: 'NotAffected' })
    expect(await findingOf(given, two.id)).toMatchObject({ assessment: 'Resolved' })
  })
})

describe('recipes of Yocto', () => {
  const spdx = (fixed: string[], recipe: string, product: string, packages: string[]) => ({
    spdxVersion: 'SPDX-2.2',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'd',
    dataLicense: 'CC0-1.0',
    documentNamespace: `http://spdx.org/spdxdocs/${recipe}-${crypto.randomUUID()}`,
    creationInfo: { created: '2024-01-01T00:00:00Z', creators: ['Tool: OpenEmbedded'] },
    packages: [
      {
        SPDXID: 'SPDXRef-Recipe',
        name: recipe,
        versionInfo: '1.0',
        downloadLocation: 'NOASSERTION',
        sourceInfo: `CVEs fixed: ${fixed.join(' ')}`,
        externalRefs: [
          {
            referenceCategory: 'SECURITY',
            referenceType: 'cpe23Type',
            referenceLocator: `cpe:2.3:*:*:${product}:1.0:*:*:*:*:*:*:*`,
          },
        ],
      },
      ...packages.map((name) => ({
        SPDXID: `SPDXRef-Package-${name}`,
        name,
        versionInfo: '1.0',
        downloadLocation: 'NOASSERTION',
      })),
    ],
    relationships: packages.map((name) => ({
      spdxElementId: `SPDXRef-Package-${name}`,
      relationshipType: 'GENERATED_FROM',
      relatedSpdxElement: 'SPDXRef-Recipe',
    })),
  })

  it('resolve the findings of packages built from them', async () => {
    const { id, product } = await givenFlaw()

    const given = await givenVersion({
      document: spdx([id], product, product, [`lib${product}-dev`, `lib${product}`]),
    })

    expect(await activeOf(given)).toBe(0)
    expect(await findingOf(given, id)).toMatchObject({ assessment: 'Resolved', origin: 'Build' })
  })

  it('leave open what another recipe of the same product has not fixed', async () => {
    const { id, product } = await givenFlaw()
    const [fixed, open] = [
      spdx([id], product, product, ['lib-a']),
      spdx([], product, product, ['lib-b']),
    ]

    const given = await givenVersion(
      { document: fixed, name: 'fixed.spdx.json' },
      { document: open, name: 'open.spdx.json' },
    )

    expect(await activeOf(given)).toBeGreaterThan(0)
  })
})
