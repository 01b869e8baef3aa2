import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { cpeOf, givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { newId } from '../../../platform/ids.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

interface Page {
  components: { packageName: string; version: string | null; firmwareVersion: { id: string } }[]
  nextCursor?: string
  hasMore: boolean
}
async function list(of: Client, body: object = {}): Promise<Page> {
  const response = await of.post('/components/list', body)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return response.json<Page>()
}
const versionOf = (of: Client, ...components: Parameters<typeof givenVersion>[2]) =>
  givenVersion(service.ctx, of.workspaceId, components)

describe('the components of a workspace', () => {
  it('are listed with the firmware version and SBOM that hold them', async () => {
    const product = `xz-${newId()}`
    const { firmwareVersionId, sbomId } = await versionOf(client, {
      packageName: product,
      version: '5.6.0',
      cpes: [cpeOf(product, '5.6.0')],
    })

    const filter = { components: [{ packageName: product, version: '5.6.0' }] }

    expect(await list(client, { filter })).toEqual({
      components: [
        {
          id: expect.any(String) as string,
          packageName: product,
          vendor: null,
          version: '5.6.0',
          purl: null,
          cpe: cpeOf(product, '5.6.0'),
          cpes: [cpeOf(product, '5.6.0')],
          licenses: [],
          scope: null,
          notMatchedReason: 'known to no source',
          overrideId: null,
          sbom: { id: sbomId, fileName: 'image.spdx.json' },
          firmwareVersion: {
            id: firmwareVersionId,
            name: '1.0',
            firmware: {
              id: expect.any(String) as string,
              slug: expect.any(String) as string,
              name: 'Gateway',
            },
          },
          affectedDeviceCount: 0,
          supportState: 'NotKnown',
          supportEndsOn: null,
          supportedAs: null,
          licenceOutcome: null,
        },
      ],
      hasMore: false,
    })
  })

  it('are found by vulnerability, alias, identifier, name and licence', async () => {
    const alias = `GHSA-${newId()}`
    const { product, cveIds } = await givenProduct(service.ctx, ['High'], { aliases: [alias] })
    const name = `npm-${product}`
    const mine = await givenClient(service)
    const { sbomId } = await versionOf(
      mine,
      { packageName: product, version: '1.0', cpes: [cpeOf(product, '1.0')] },
      { packageName: product, version: '2.0', cpes: [cpeOf(product, '2.0')] },
      { packageName: 'a', version: '3.0', purl: `pkg:npm/${name}@3.0` },
      { packageName: 'b', version: '4.0', purl: `pkg:npm/${name}@4.0` },
      { packageName: 'c', purl: `pkg:acme/c-${product}` },
    )
    await service.ctx.db
      .updateTable('sbomComponents')
      .set({ licenses: ['GPL-2.0-only WITH GCC-exception-2.0'] })
      .where('sbomId', '=', sbomId)
      .where('packageName', '=', 'b')
      .execute()
    const found = async (filter: object) =>
      (await list(mine, { filter })).components
        .map((one) => one.version)
        .toSorted((a, b) => Number(a ?? 0) - Number(b ?? 0))

    expect(await found({ cveIds })).toEqual(['1.0'])
    expect(await found({ cveIds: [alias] })).toEqual(['1.0'])
    expect(await found({ cpes: [`acme:${product}`] })).toEqual(['1.0', '2.0'])
    expect(await found({ cpes: [cpeOf(product, '2.0')] })).toEqual(['2.0'])
    expect(await found({ cpes: [`acme:${product}`], cveIds })).toEqual(['1.0'])
    expect(await found({ purls: [`pkg:npm/${name}`] })).toEqual(['3.0', '4.0'])
    expect(await found({ purls: [`pkg:npm/${name}@4.0`] })).toEqual(['4.0'])
    expect(await found({ purls: [`pkg:acme/c-${product}`] })).toEqual([null])
    expect(await found({ name: [{ contains: product.toUpperCase() }] })).toEqual(['1.0', '2.0'])
    expect(await found({ licenses: [{ contains: 'gpl-2.0' }] })).toEqual(['4.0'])
    expect(await found({ components: [{ version: '3.0' }] })).toEqual(['3.0'])
    expect(await found({ name: [{ contains: product }], licenses: [{ contains: 'MIT' }] })).toEqual(
      [],
    )
    expect(await found({ cveIds: [] })).toEqual([])
  })

  it('can be those of some firmware versions', async () => {
    const mine = await givenClient(service)
    await versionOf(mine, { packageName: 'a', version: '1' })
    const { firmwareVersionId } = await versionOf(mine, { packageName: 'a', version: '2' })
    const version = await mine.get(`/firmware-versions/${firmwareVersionId}`)
    const firmwareId = version.json<{ firmware: { id: string } }>().firmware.id

    for (const filter of [
      { firmwareVersionIds: [firmwareVersionId] },
      { firmwareIds: [firmwareId] },
      { firmwareIds: [firmwareId], name: [{ contains: 'a' }] },
    ])
      expect((await list(mine, { filter })).components).toMatchObject([{ version: '2' }])
  })

  it('are paged by name, as of the first page', async () => {
    const mine = await givenClient(service)
    const components = ['c', 'a', 'B', 'ä', 'a'].map((packageName) => ({ packageName }))
    await versionOf(mine, ...components)
    const names: string[] = []
    for (let cursor: string | undefined; ;) {
      const page = await list(mine, { limit: 2, ...(cursor && { cursor }) })
      names.push(...page.components.map(({ packageName }) => packageName))
      cursor = page.nextCursor
      if (cursor === undefined) break
      await versionOf(mine, { packageName: 'z' })
    }

    expect(names).toEqual(['B', 'a', 'a', 'c', 'ä'])
  })

  it('refuse a cursor of another filter or workspace, and what is not an identifier', async () => {
    const [mine, stranger] = [await givenClient(service), await givenClient(service)]
    await versionOf(mine, { packageName: 'a' }, { packageName: 'b' })
    const { nextCursor: cursor } = await list(mine, { limit: 1 })
    const ask = async (of: Client, body: object) =>
      (await of.post('/components/list', body)).json<{ errors?: { pointer: string }[] }>()

    expect(await ask(mine, { cursor, filter: { cveIds: ['CVE-2024-1'] } })).toMatchObject({
      type: '/problems/invalid-cursor',
    })
    expect(await ask(stranger, { cursor })).toMatchObject({ type: '/problems/invalid-cursor' })
    expect((await ask(mine, { filter: { purls: ['xz'] } })).errors?.[0]?.pointer).toBe(
      '/filter/purls/0',
    )
    expect((await ask(mine, { filter: { cpes: ['xz'] } })).errors?.[0]?.pointer).toBe(
      '/filter/cpes/0',
    )
    expect((await list(stranger)).components).toEqual([])
  })
})
