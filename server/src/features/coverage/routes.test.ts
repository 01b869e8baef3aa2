/** What could be judged of a firmware version, and why the rest could not. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../test/given.ts'
import { cpeOf, givenVersion } from '../../../test/given-findings.ts'
import type { GivenComponent } from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory, type GivenAdvisory } from '../../../test/given-knowledge.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { newId } from '../../platform/ids.ts'
import { matchChangedPackages } from '../matching/index.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
  client = await givenClient(service)
})

async function coverageOf(firmwareVersionId: string) {
  const response = await client.get(`/firmware-versions/${firmwareVersionId}/coverage`)
  expect(response.statusCode).toBe(200)
  return response.json<{ notJudgedCount: number; reasons: object[] }>()
}

async function reasonsOf(component: GivenComponent): Promise<() => Promise<(string | null)[]>> {
  const { sbomId } = await givenVersion(service.ctx, client.workspaceId, [component])
  return async () => {
    const response = await client.post(`/sboms/${sbomId}/components/list`, {})
    const { components } = response.json<{ components: { notMatchedReason: string | null }[] }>()
    return components.map(({ notMatchedReason }) => notMatchedReason)
  }
}

async function merge(given: GivenAdvisory): Promise<void> {
  const revision = await givenAdvisory(service.ctx.db, given)
  await matchChangedPackages(service.ctx, { revision })
}

const UNKNOWN = 'known to no source'

describe('the coverage of a firmware version', () => {
  it('counts what could not be looked up by reason, apart from what is not in the firmware', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const commit = '351150e3bee8868222e37c0d82770ac83e85be8a'
    await merge({
      id: `CVE-${newId()}`,
      affected: [affectedIn('purl:npm/known', [{ fixed: '1' }])],
    })
    const components = [
      { type: 'library', name: 'known', version: '2.0', purl: 'pkg:npm/known@2.0' },
      { type: 'library', name: 'other', version: '2.0', purl: 'pkg:npm/other@2.0' },
      { type: 'library', name: 'zephyr-sources', version: commit },
      { type: 'library', name: 'zlib-deps' },
      { type: 'library', name: 'cmake', version: '3.0', scope: 'excluded' },
    ]
    const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
    const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
    await upload(service, client, { firmwareVersionId, files })
    await matchedSboms(client, firmwareVersionId)

    expect(await coverageOf(firmwareVersionId)).toEqual({
      sbomCount: 1,
      notMatchedYet: { sbomCount: 0, packageCount: 0 },
      componentCount: 5,
      excludedCount: 1,
      judgedCount: 2,
      notJudgedCount: 2,
      unknownCount: 0,
      reasons: [
        { reason: 'no identifier', count: 1, isExcluded: false },
        { reason: 'scope excluded', count: 1, isExcluded: true },
        { reason: 'version is a commit', count: 1, isExcluded: false },
      ],
      undecided: { componentCount: 0, recordCount: 0 },
    })
  })

  it('counts names that no source knows, apart from CPEs that no source knows', async () => {
    const product = `product-${newId()}`
    const { firmwareVersionId } = await givenVersion(service.ctx, client.workspaceId, [
      { packageName: product, version: '1.0', cpes: [cpeOf(product, '1.0')] },
      { packageName: `${product}-name`, version: '1.0' },
    ])

    expect(await coverageOf(firmwareVersionId)).toMatchObject({
      judgedCount: 0,
      notJudgedCount: 2,
      unknownCount: 1,
      reasons: [{ reason: UNKNOWN, count: 2 }],
    })
  })

  it('is empty without an SBOM', async () => {
    expect(await coverageOf(await givenFirmwareVersion(client))).toMatchObject({
      sbomCount: 0,
      componentCount: 0,
      judgedCount: 0,
      notJudgedCount: 0,
    })
  })

  it('is refused to other workspaces', async () => {
    const stranger = await givenClient(service)
    const path = `/firmware-versions/${await givenFirmwareVersion(client)}/coverage`

    expect((await stranger.get(path)).statusCode).toBe(404)
  })
})

describeWithSharedData('a build of Zephyr', (folder) => {
  it('counts what its documents say together, whichever is uploaded first', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const names = ['build.jsonld', 'app.jsonld', 'zephyr.jsonld.gz', 'modules-deps.jsonld']
    for (const name of names) {
      const bytes = readFileSync(`${folder}/sbom/firmware/zephyr-west-spdx3/${name}`)
      await upload(service, client, { firmwareVersionId, files: [{ name, bytes }] })
      await matchedSboms(client, firmwareVersionId)
    }

    expect(await coverageOf(firmwareVersionId)).toMatchObject({
      componentCount: 272,
      excludedCount: 72,
      judgedCount: 0,
      notJudgedCount: 200,
      unknownCount: 15,
      reasons: [
        { reason: 'version is a commit', count: 181 },
        { reason: 'scope build', count: 45, isExcluded: true },
        { reason: 'built from other components', count: 27, isExcluded: true },
        { reason: UNKNOWN, count: 15 },
        { reason: 'no identifier', count: 4 },
      ],
    })
    const sboms = await matchedSboms(client, firmwareVersionId)
    const sbom = sboms.find(({ fileName }) => fileName === 'modules-deps.jsonld')
    const { components } = (
      await client.post(`/sboms/${sbom?.id ?? ''}/components/list`, { limit: 100 })
    ).json<{ components: { id: string; packageName: string }[] }>()
    const id = components.find(({ packageName }) => packageName === 'lvgl-deps')?.id ?? ''
    const path = `/firmware-versions/${firmwareVersionId}/components/${id}/judgements`
    const why = (await client.get(path)).json<{
      identity: { steps: { text: string }[]; advice: string[] }
    }>()
    expect(why.identity.steps.map(({ text }) => text)).toContain(
      'It is built from lvgl bbedf2656086a93a8468a1c98168a6b36631ce9a, whose identifiers count too: git+https://github.com/zephyrproject-rtos/lvgl@bbedf2656086a93a8468a1c98168a6b36631ce9a.',
    )
    expect(why.identity.advice).toContain(
      'west spdx writes the purl and CPE that the zephyr/module.yml of lvgl lists under security, external-references: with the release there, the next build is matched.',
    )
  })

  it('has a flaw of a module once, though two documents list its code and one its CPE', async () => {
    const id = `CVE-2026-${newId()}`
    await merge({ id, affected: [affectedIn('cpe:arm:mbed_tls', [{ fixed: '4.1.1' }])] })
    const firmwareVersionId = await givenFirmwareVersion(client)
    const names = ['modules-deps.jsonld', 'build.jsonld', 'zephyr.jsonld.gz']
    const files = names.map((name) => ({
      name,
      bytes: readFileSync(`${folder}/sbom/firmware/zephyr-west-spdx3/${name}`),
    }))
    await upload(service, client, { firmwareVersionId, files })
    await matchedSboms(client, firmwareVersionId)

    const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
    const { findings } = (await client.post(path, {})).json<{ findings: { cveId: string }[] }>()

    expect(findings.filter(({ cveId }) => cveId === id)).toMatchObject([{ confidence: 'High' }])
  })
})

describe('a component', () => {
  it('is known to no source until a record has one of its names, and again afterwards', async () => {
    const product = `product-${newId()}`
    const id = `CVE-2026-${newId()}`
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '0.1' }])]
    const reasons = await reasonsOf({
      packageName: product,
      version: '1.0',
      cpes: [cpeOf(product, '1.0')],
    })

    const before = await reasons()
    await merge({ id, affected })
    const named = await reasons()
    await merge({ id, affected: [] })

    expect([before, named, await reasons()]).toEqual([[UNKNOWN], [null], [UNKNOWN]])
  })

  it('stays known while another record has its name', async () => {
    const product = `product-${newId()}`
    const [id, other] = [`CVE-2026-${newId()}`, `CVE-2026-${newId()}`]
    const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '0.1' }])]
    await merge({ id, affected })
    await merge({ id: other, affected })
    const reasons = await reasonsOf({
      packageName: product,
      version: '1.0',
      cpes: [cpeOf(product, '1.0')],
    })

    await merge({ id: other, affected: [] })

    expect(await reasons()).toEqual([null])
  })

  it.each([
    ['a registry without records here', 'pkg:hex/unknown@1.0', 'no records of Hex are loaded'],
    [
      'a registry that gives no such names',
      'pkg:pypi/silent%20title@1.0',
      'not named like packages of PyPI',
    ],
    ['a distribution without its release', 'pkg:deb/debian/silent@1.0', null],
    [
      'a distribution without records here',
      'pkg:deb/raspbian/thing@1.0',
      'no records of this distribution',
    ],
    ['a registry with records', 'pkg:pypi/silent@1.0', null],
    ['a distribution with records', 'pkg:deb/debian/silent@1.0?distro=debian-12', null],
  ])('of %s, which no record names, has its reason', async (_what, purl, reason) => {
    for (const key of ['purl:pypi/flawed', 'purl:deb/debian/flawed'])
      await merge({ id: `CVE-${newId()}`, affected: [affectedIn(key, [{ fixed: '1' }])] })

    const reasons = await reasonsOf({ packageName: 'thing', version: '1.0', purl })

    expect(await reasons()).toEqual([reason])
  })
})
