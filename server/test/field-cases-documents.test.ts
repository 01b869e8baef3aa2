/** SBOMs and VEX documents from the field that were read rightly before: they stay so. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { describeFieldCase, givenJudgedSbom } from './field-cases.ts'
import { affectedIn, givenAdvisory } from './given-knowledge.ts'
import { type Client, givenClient, givenFirmwareVersion, parsedSboms, upload } from './given.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
  await service.startWorker()
  await flaw('CVE-2018-25032', 'cpe:zlib:zlib')
  await flaw('CVE-2022-28391', 'cpe:busybox:busybox')
  await flaw('CVE-2018-18074', 'purl:pypi/requests')
  await flaw('CVE-2022-41723', 'purl:golang/golang.org/x/net')
  await flaw('CVE-2023-24532', 'purl:golang/stdlib')
  await flaw('CVE-2021-43519', 'cpe:lua:lua')
})

async function flaw(id: string, key: string): Promise<void> {
  await givenAdvisory(service.ctx.db, { id, affected: [affectedIn(key, [{ introduced: '0' }])] })
}

async function sbomsOf({
  client,
  firmwareVersionId,
}: Record<'firmwareVersionId', string> & { client: Client }) {
  return parsedSboms(client, firmwareVersionId)
}

describeFieldCase('a02-dup-noref', (folder) => {
  it('finds each flaw once where a component is listed twice', async () => {
    const version = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    expect(version.findings.map(({ cveId }) => cveId).toSorted()).toEqual([
      'CVE-2018-25032',
      'CVE-2022-28391',
    ])
    expect(await sbomsOf(version)).toMatchObject([{ componentCount: 3 }])
  })
})

describeFieldCase('a06-purl-hash', (folder) => {
  it('keeps the identity of a purl whose qualifier has an unquoted hash', async () => {
    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    expect(findings).toMatchObject([{ cveId: 'CVE-2018-18074', componentName: 'requests' }])
  })
})

describeFieldCase('a08-protobuf', (folder) => {
  it('says that a CycloneDX document in Protocol Buffers is none that it reads', async () => {
    const client = await givenClient(service)
    const firmwareVersionId = await givenFirmwareVersion(client)
    const files = [{ name: 'in.cdx.pb', bytes: readFileSync(join(folder, 'in.cdx.pb')) }]
    await upload(service, client, { firmwareVersionId, files })

    expect(await parsedSboms(client, firmwareVersionId)).toMatchObject([
      {
        parsingState: 'Failed',
        parsingError: expect.stringContaining('neither JSON nor XML') as unknown,
      },
    ])
  })
})

describeFieldCase('a10-num-version', (folder) => {
  it('warns of values of the wrong kind, and the CPE counts', async () => {
    const version = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    expect(version.findings.map(({ cveId }) => cveId).toSorted()).toEqual([
      'CVE-2018-25032',
      'CVE-2021-43519',
    ])
    const [sbom] = await sbomsOf(version)
    expect(sbom?.warnings.length).toBeGreaterThan(3)
  })
})

describeFieldCase('a15-cyclic-deep', (folder) => {
  it('reads a graph of 1,200 nodes that goes in a circle', async () => {
    const version = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const [sbom] = await sbomsOf(version)
    expect(sbom).toMatchObject({ parsingState: 'Succeeded' })
    expect(sbom?.componentCount).toBeGreaterThan(1_000)
  })
})

describeFieldCase('a17-purl-oddities', (folder) => {
  it('matches a package however its purl is spelled', async () => {
    const { findings } = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const ofRequests = findings.filter(({ cveId }) => cveId === 'CVE-2018-18074')
    expect(ofRequests.length).toBeGreaterThan(0)
    expect(new Set(findings.map(({ cveId }) => cveId))).toContain('CVE-2023-24532')
  })
})

describeFieldCase('a19-service-only', (folder) => {
  it('warns of a document without components, and judges nothing', async () => {
    const version = await givenJudgedSbom(service, join(folder, 'in.cdx.json'))

    const [sbom] = await sbomsOf(version)
    expect(sbom).toMatchObject({ parsingState: 'Succeeded', componentCount: 0 })
    expect(sbom?.warnings.length).toBeGreaterThan(0)
    const shown = await version.client.get(`/firmware-versions/${version.firmwareVersionId}`)
    expect(shown.json()).toMatchObject({ mark: { state: 'Unknown' } })
  })
})

interface ImportAnswer {
  counts: { applied: number }
  changes: { cveId: string }[]
  unmatched: { product: string | null }[]
}

describeFieldCase('c02-gosu-vex', (folder) => {
  it('applies statements about a module and about a part of the product', async () => {
    const { client, firmwareVersionId } = await givenJudgedSbom(
      service,
      join(folder, 'in.cdx.json'),
    )
    const document = JSON.parse(readFileSync(join(folder, 'vex.json'), 'utf8')) as object

    const response = await client.post(`/firmware-versions/${firmwareVersionId}/vex`, document)

    const { changes } = response.json<ImportAnswer>()
    expect(changes.map(({ cveId }) => cveId).toSorted()).toEqual([
      'CVE-2022-41723',
      'CVE-2023-24532',
    ])
  })
})

describeFieldCase('c04-oci-vex', (folder) => {
  it('keeps a statement about an image that the version is not, and says so', async () => {
    const { client, firmwareVersionId } = await givenJudgedSbom(
      service,
      join(folder, 'in.cdx.json'),
    )
    const document = JSON.parse(readFileSync(join(folder, 'vex.json'), 'utf8')) as object

    const response = await client.post(`/firmware-versions/${firmwareVersionId}/vex`, document)

    const { changes, unmatched } = response.json<ImportAnswer>()
    expect(changes).toEqual([])
    expect(unmatched).toHaveLength(1)
  })
})

describeFieldCase('e02-parallel', (folder) => {
  it('keeps all of six SBOMs that are uploaded at once', async () => {
    const client = await givenClient(service)
    const firmwareVersionId = await givenFirmwareVersion(client)
    const document = JSON.parse(readFileSync(join(folder, 'in.cdx.json'), 'utf8')) as object

    await Promise.all(
      [1, 2, 3, 4, 5, 6].map((version) => {
        const bytes = JSON.stringify({ ...document, version })
        const files = [{ name: `e02-${version}.json`, bytes }]
        return upload(service, client, { firmwareVersionId, files })
      }),
    )

    expect(await parsedSboms(client, firmwareVersionId)).toHaveLength(6)
  })
})

describeFieldCase('e06-auth-headers', () => {
  it.each`
    header             | value                               | status
    ${'authorization'} | ${(key: string) => `bearer ${key}`} | ${200}
    ${'authorization'} | ${(key: string) => `Token ${key}`}  | ${401}
    ${'x-api-key'}     | ${(key: string) => key}             | ${401}
  `('answers $status to the key in $header', async ({ header, value, status }) => {
    const { apiKey } = await givenClient(service)

    const response = await service.app.inject({
      url: '/whoami',
      headers: { [String(header)]: (value as (key: string) => string)(apiKey) },
    })

    expect(response.statusCode).toBe(status)
  })
})
