/** From upload to inventory, through the API and real parser processes. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  parsedSboms,
  upload,
} from '../../../test/given.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  client = await givenClient(test)
})

interface Component {
  id?: string
  packageName: string
  version: string | null
  vendor: string | null
  purl: string | null
  cpe: string | null
  pathsToRoot: string[][]
  scope: string | null
  notMatchedReason: string | null
}

const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: { type: 'firmware', 'bom-ref': 'root', name: 'image', version: '1' } },
  components: [
    {
      type: 'library',
      'bom-ref': 'a',
      name: 'a',
      version: '2',
      supplier: { name: 'Acme' },
      purl: 'pkg:npm/a@2',
    },
    {
      type: 'library',
      'bom-ref': 'b',
      name: 'b',
      version: '3',
      cpe: 'cpe:2.3:a:b:b:3:*:*:*:*:*:*:*',
    },
    { type: 'library', 'bom-ref': 'alone', name: 'alone' },
  ],
  dependencies: [
    { ref: 'root', dependsOn: ['a', 'b'] },
    { ref: 'a', dependsOn: ['b'] },
    { ref: 'b', dependsOn: ['a'] },
  ],
}

async function givenParsed(...documents: { name: string; bytes: string | Uint8Array }[]) {
  const firmwareVersionId = await givenFirmwareVersion(client)
  await upload(test, client, { firmwareVersionId, files: documents })
  const sboms = await parsedSboms(client, firmwareVersionId)
  return { firmwareVersionId, sboms, sbomId: sboms[0]?.id ?? '' }
}

/** One document after another. */
async function givenParsedOneByOne(
  files: readonly { name: string; bytes: string | Uint8Array }[],
): Promise<string> {
  const firmwareVersionId = await givenFirmwareVersion(client)
  for (const file of files) {
    await upload(test, client, { firmwareVersionId, files: [file] })
    await parsedSboms(client, firmwareVersionId)
  }
  return firmwareVersionId
}

async function components(firmwareVersionId: string): Promise<Component[]> {
  const response = await client.get(`/firmware-versions/${firmwareVersionId}/sbom-components`)
  return response.json<{ components: Component[] }>().components
}

it('lists every component as declared, with its paths to the root', async () => {
  const { firmwareVersionId, sboms } = await givenParsed({
    name: 'a.json',
    bytes: JSON.stringify(BOM),
  })
  await matchedSboms(client, firmwareVersionId)

  const listed = await components(firmwareVersionId)

  expect(sboms[0]).toMatchObject({
    format: 'CycloneDxJson',
    parsingState: 'Succeeded',
    componentCount: 4,
    parsingError: null,
  })
  expect(listed.map(({ packageName, pathsToRoot }) => [packageName, pathsToRoot])).toEqual([
    [
      'a',
      [
        ['a@2', 'image@1'],
        ['a@2', 'b@3', 'image@1'],
      ],
    ],
    ['alone', []],
    [
      'b',
      [
        ['b@3', 'image@1'],
        ['b@3', 'a@2', 'image@1'],
      ],
    ],
    ['image', [['image@1']]],
  ])
  expect(listed[0]).toMatchObject({
    vendor: 'Acme',
    version: '2',
    purl: 'pkg:npm/a@2',
    cpe: null,
    notMatchedReason: 'no records of npm are loaded',
  })
  expect(listed[1]).toMatchObject({
    version: null,
    purl: null,
    notMatchedReason: expect.any(String) as string,
  })
})

it('marks an SBOM once all its packages were held against the advisories', async () => {
  const { firmwareVersionId } = await givenParsed({ name: 'a.json', bytes: JSON.stringify(BOM) })

  const [sbom] = await matchedSboms(client, firmwareVersionId)

  expect(sbom?.vulnerabilitiesParsedAt).not.toBeNull()
})

it('pages the components of one SBOM', async () => {
  const { sbomId } = await givenParsed({
    name: 'a.json',
    bytes: JSON.stringify({ ...BOM, version: 2 }),
  })
  const names: string[] = []
  let cursor: string | undefined

  do {
    const command = { limit: 3, ...(cursor === undefined ? {} : { cursor }) }
    const response = await client.post(`/sboms/${sbomId}/components/list`, command)
    const page = response.json<{ components: Component[]; nextCursor?: string; hasMore: boolean }>()
    names.push(...page.components.map(({ packageName }) => packageName))
    expect(page.hasMore).toBe(page.nextCursor !== undefined)
    cursor = page.nextCursor
  } while (cursor !== undefined)

  expect(names.toSorted()).toEqual(['a', 'alone', 'b', 'image'])
})

it.each([
  [{ limit: 0 }, '/limit'],
  [{ limit: -1 }, '/limit'],
  [{ limit: 1e9 }, '/limit'],
  [{ limit: 'x' }, '/limit'],
  [{ limit: 1.5 }, '/limit'],
  [{ cursor: 'nonsense' }, '/cursor'],
  [{ cursor: 5 }, '/cursor'],
  [{ page: 2 }, '/page'],
])('refuses the list command %j', async (command, pointer) => {
  const { sbomId } = await givenParsed({ name: 'a.json', bytes: JSON.stringify(BOM) })

  const response = await client.post(`/sboms/${sbomId}/components/list`, command)

  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ errors: [{ pointer }] })
})

it('refuses the cursor of another SBOM', async () => {
  const one = await givenParsed({ name: 'a.json', bytes: JSON.stringify({ ...BOM, version: 3 }) })
  const other = await givenParsed({ name: 'a.json', bytes: JSON.stringify({ ...BOM, version: 4 }) })
  const { nextCursor } = (
    await client.post(`/sboms/${one.sbomId}/components/list`, { limit: 1 })
  ).json<{ nextCursor: string }>()

  const response = await client.post(`/sboms/${other.sbomId}/components/list`, {
    cursor: nextCursor,
  })

  expect(response.statusCode).toBe(400)
})

it('unites equal declarations of several SBOMs with the paths of all', async () => {
  const second = {
    ...BOM,
    metadata: { component: { type: 'firmware', 'bom-ref': 'root', name: 'other', version: '1' } },
  }
  const { firmwareVersionId } = await givenParsed(
    { name: 'a.json', bytes: JSON.stringify(BOM) },
    { name: 'b.json', bytes: JSON.stringify(second) },
  )

  const listed = await components(firmwareVersionId)

  expect(listed.map(({ packageName }) => packageName)).toEqual([
    'a',
    'alone',
    'b',
    'image',
    'other',
  ])
  expect(listed[0]?.pathsToRoot).toEqual([
    ['a@2', 'image@1'],
    ['a@2', 'other@1'],
    ['a@2', 'b@3', 'image@1'],
    ['a@2', 'b@3', 'other@1'],
  ])
})

it('gives a link that answers the exact file without a key, until it expires', async () => {
  const bytes = Buffer.from(JSON.stringify(BOM))
  const { sbomId } = await givenParsed({ name: 'größe "x".json', bytes })

  const response = await client.get(`/sboms/${sbomId}/content`)
  const { contentSasLink, fileName } = response.json<{ contentSasLink: string; fileName: string }>()
  const url = new URL(contentSasLink)
  const file = await test.app.inject({ url: url.pathname + url.search })
  url.searchParams.set('expires', '1')
  const expired = await test.app.inject({ url: url.pathname + url.search })

  expect(fileName).toBe('größe "x".json')
  expect(file.rawPayload.equals(bytes)).toBe(true)
  expect(file.headers).toMatchObject({
    'content-length': String(bytes.length),
    'content-disposition': expect.stringContaining(
      "filename*=UTF-8''gr%C3%B6%C3%9Fe%20%22x%22.json",
    ) as string,
    'x-content-type-options': 'nosniff',
  })
  expect(expired.statusCode).toBe(403)
  expect(expired.json()).toMatchObject({ type: '/problems/content-link-invalid' })
})

it('deletes an SBOM with its components and its file', async () => {
  const { firmwareVersionId, sbomId } = await givenParsed({
    name: 'a.json',
    bytes: JSON.stringify(BOM),
  })
  const { contentSasLink } = (await client.get(`/sboms/${sbomId}/content`)).json<{
    contentSasLink: string
  }>()

  const response = await client.delete(`/sboms/${sbomId}`)
  const again = await client.delete(`/sboms/${sbomId}`)
  const url = new URL(contentSasLink)
  const file = await test.app.inject({ url: url.pathname + url.search })

  expect([response.statusCode, again.statusCode, file.statusCode]).toEqual([204, 404, 404])
  expect(await components(firmwareVersionId)).toEqual([])
})

it('shows nothing of an SBOM to another workspace', async () => {
  const { firmwareVersionId, sbomId } = await givenParsed({
    name: 'a.json',
    bytes: JSON.stringify(BOM),
  })
  const other = await givenClient(test)

  const responses = await Promise.all([
    other.get(`/firmware-versions/${firmwareVersionId}/sboms`),
    other.get(`/firmware-versions/${firmwareVersionId}/sbom-components`),
    other.get(`/sboms/${sbomId}/content`),
    other.post(`/sboms/${sbomId}/components/list`, {}),
    other.delete(`/sboms/${sbomId}`),
    upload(test, other, { firmwareVersionId, files: [{ name: 'x.json', bytes: '{}' }] }),
  ])

  expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404, 404, 404])
  expect((await client.get(`/sboms/${sbomId}/content`)).statusCode).toBe(200)
})

it('parses a failed SBOM again when the same bytes are uploaded again', async () => {
  const { firmwareVersionId, sboms } = await givenParsed({
    name: 'a.json',
    bytes: '{"bomFormat":"CycloneDX"',
  })

  const response = await upload(test, client, {
    firmwareVersionId,
    files: [{ name: 'a.json', bytes: '{"bomFormat":"CycloneDX"' }],
  })

  expect(sboms[0]?.parsingState).toBe('Failed')
  expect(response.json()).toMatchObject({
    sboms: [{ id: sboms[0]?.id, parsingState: 'InProgress' }],
  })
})

it.each`
  name             | bytes                                                                                   | error
  ${'zip.json'}    | ${Buffer.from('504b0304140000000000', 'hex')}                                           | ${/ZIP/}
  ${'pic.json'}    | ${Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')}                               | ${/PNG|image|picture/i}
  ${'text.json'}   | ${'hello'}                                                                              | ${/./}
  ${'cut.json'}    | ${JSON.stringify(BOM).slice(0, -10)}                                                    | ${/line|position|end/i}
  ${'utf8.json'}   | ${Buffer.from('7b2261223a22ff227d', 'hex')}                                             | ${/UTF-8/}
  ${'other.json'}  | ${'{"hello":"world"}'}                                                                  | ${/./}
  ${'deep.json'}   | ${'['.repeat(1_000_000)}                                                                | ${/deep|depth|nest/i}
  ${'doctype.xml'} | ${'<!DOCTYPE bom [<!ENTITY a "b">]><bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>'} | ${/DOCTYPE/}
`(
  'fails $name with words a build engineer understands',
  async ({ name, bytes, error }: { name: string; bytes: string; error: RegExp }) => {
    const { sboms } = await givenParsed({ name, bytes })

    expect(sboms[0]).toMatchObject({
      parsingState: 'Failed',
      componentCount: 0,
      parsingError: expect.stringMatching(error) as string,
    })
  },
)

it('reports an SBOM without components as a success with a warning', async () => {
  const { sboms } = await givenParsed({
    name: 'none.json',
    bytes: '{"bomFormat":"CycloneDX","specVersion":"1.6","version":1}',
  })

  expect(sboms[0]).toMatchObject({ parsingState: 'Succeeded', componentCount: 0 })
  expect(sboms[0]?.warnings.join()).toMatch(/no components?/i)
})

it('writes nothing of a parse that ends after its SBOM was deleted', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const many = Array.from({ length: 20_000 }, (_, index) => ({
    type: 'library',
    name: `p${index}`,
    version: '1',
  }))
  const response = await upload(test, client, {
    firmwareVersionId,
    files: [{ name: 'a.json', bytes: JSON.stringify({ ...BOM, components: many }) }],
  })
  const id = response.json<{ sboms: { id: string }[] }>().sboms[0]?.id ?? ''

  const deleted = await client.delete(`/sboms/${id}`)
  await givenParsed({ name: 'next.json', bytes: JSON.stringify(BOM) })

  expect(deleted.statusCode).toBe(204)
  expect(await components(firmwareVersionId)).toEqual([])
  const rows = await test.ctx.db
    .selectFrom('sbomComponents')
    .select('node')
    .where('sbomId', '=', id)
    .execute()
  expect(rows).toEqual([])
})

it('follows a BOM-Link to another SBOM of the firmware version, whichever comes first', async () => {
  const serial = crypto.randomUUID()
  const library = {
    ...BOM,
    serialNumber: `urn:uuid:${serial}`,
    metadata: undefined,
    components: [{ type: 'library', 'bom-ref': 'deep', name: 'deep', version: '1' }],
    dependencies: [],
  }
  const image = {
    ...BOM,
    components: [],
    dependencies: [{ ref: 'root', dependsOn: [`urn:cdx:${serial}/1#deep`] }],
  }
  const files = [
    { name: 'library.json', bytes: JSON.stringify(library) },
    { name: 'image.json', bytes: JSON.stringify(image) },
  ]
  for (const order of [files, files.toReversed()]) {
    const firmwareVersionId = await givenParsedOneByOne(order)

    const deep = (await components(firmwareVersionId)).find(
      ({ packageName }) => packageName === 'deep',
    )

    expect(deep?.pathsToRoot).toEqual([['deep@1', 'image@1']])
  }
})

it('knows from another document what a component is for, whichever comes first', async () => {
  const spdx3 = (...elements: object[]) => ({
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': elements,
  })
  const packageNamed = (name: string) => ({
    type: 'software_Package',
    spdxId: `urn:${name}`,
    name,
  })
  const uses = { type: 'LifecycleScopedRelationship', relationshipType: 'dependsOn' }
  const image = spdx3(
    { type: 'SpdxDocument', spdxId: 'urn:document', rootElement: ['urn:image'] },
    packageNamed('image'),
    { ...uses, spdxId: 'urn:uses', from: 'urn:image', to: ['urn:checker'], scope: 'test' },
  )
  const files = [
    { name: 'checker.json', bytes: JSON.stringify(spdx3(packageNamed('checker'))) },
    { name: 'image.json', bytes: JSON.stringify(image) },
  ]
  for (const order of [files, files.toReversed()]) {
    const firmwareVersionId = await givenParsedOneByOne(order)

    expect(await components(firmwareVersionId)).toMatchObject([
      { packageName: 'checker', scope: 'test' },
      { packageName: 'image', scope: null },
    ])
  }
})

describeWithSharedData('real firmware', (folder) => {
  const zephyr = join(folder, 'sbom/firmware/zephyr-west-spdx3')
  const read = (name: string) => {
    const bytes = readFileSync(join(zephyr, name))
    return {
      name: name.replace('.gz', ''),
      bytes: name.endsWith('.gz') ? gunzipSync(bytes) : bytes,
    }
  }
  const files = ['app.jsonld', 'build.jsonld', 'modules-deps.jsonld', 'zephyr.jsonld.gz'].map(read)

  function digest(listed: Component[]): string {
    return createHash('sha256').update(JSON.stringify(listed)).digest('hex')
  }

  describe("Zephyr's documents that refer to each other", () => {
    it('give the same inventory uploaded together and one by one, in any order', async () => {
      const together = await givenParsed(...files)
      const oneByOne = await givenFirmwareVersion(client)
      for (const file of files.toReversed()) {
        await upload(test, client, { firmwareVersionId: oneByOne, files: [file] })
        await parsedSboms(client, oneByOne)
      }

      const [a, b] = [await components(together.firmwareVersionId), await components(oneByOne)]

      expect(together.sboms.map(({ parsingState }) => parsingState)).toEqual(
        Array(4).fill('Succeeded'),
      )
      expect(a.length).toBeGreaterThan(100)
      expect(digest(a)).toBe(digest(b))
    })

    it('lose their links when one leaves and get them back when it returns', async () => {
      const { firmwareVersionId, sboms } = await givenParsed(...files)
      const before = await components(firmwareVersionId)
      const build = sboms.find(({ fileName }) => fileName === 'build.jsonld')
      const idsBefore = await test.ctx.db
        .selectFrom('sbomComponents')
        .select('id')
        .where('sbomId', '!=', build?.id ?? '')
        .orderBy('id')
        .execute()

      await client.delete(`/sboms/${build?.id ?? ''}`)
      await expect
        .poll(async () => digest(await components(firmwareVersionId)))
        .not.toBe(digest(before))
      const [, buildFile] = files
      await upload(test, client, { firmwareVersionId, files: buildFile ? [buildFile] : [] })
      await parsedSboms(client, firmwareVersionId)

      expect(digest(await components(firmwareVersionId))).toBe(digest(before))
      const kept = await test.ctx.db
        .selectFrom('sbomComponents')
        .select('id')
        .where(
          'id',
          'in',
          idsBefore.map(({ id }) => id),
        )
        .execute()
      expect(kept).toHaveLength(idsBefore.length)
    })
  })

  it("reads Yocto's archive of documents as one SBOM", async () => {
    const name = 'example.rootfs.spdx.tar.zst'
    const bytes = readFileSync(join(folder, 'sbom/firmware/yocto-spdx22-rootfs', name))

    const { sboms } = await givenParsed({ name, bytes })

    expect(sboms).toMatchObject([{ format: 'Spdx2Json', parsingState: 'Succeeded' }])
    expect(sboms[0]?.componentCount).toBeGreaterThan(50)
  })
})
