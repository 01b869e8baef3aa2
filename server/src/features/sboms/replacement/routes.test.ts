/** Uploads that replace, through the API and real parser processes. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  type ListedSbom,
  MULTIPART,
  multipart,
  parsedSboms,
} from '../../../../test/given.ts'
import { addDays } from '../../../formats/instants.ts'
import { sweepReplacedSboms } from './service.ts'
import { sweepOrphanedFiles } from '../service.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  client = await givenClient(test)
})

interface File {
  name: string
  bytes: string
}

interface AcceptedUpload {
  sboms: { id: string; parsingState: string }[]
  warnings: string[]
}

const SERIAL = 'urn:uuid:3e671687-395b-41f5-a30f-a58921a6aaaa'

function bom(names: string[], more: object = {}): string {
  const components = names.map((name) => ({
    type: 'library',
    name,
    version: '1',
    purl: `pkg:npm/${name}@1`,
  }))
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components, ...more })
}

function spdx(namespace: string, name: string): string {
  return JSON.stringify({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: 'image',
    documentNamespace: namespace,
    creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: t'] },
    packages: [
      {
        SPDXID: 'SPDXRef-a',
        name,
        versionInfo: '1',
        downloadLocation: 'NOASSERTION',
        externalRefs: [
          {
            referenceCategory: 'PACKAGE-MANAGER',
            referenceType: 'purl',
            referenceLocator: `pkg:npm/${name}@1`,
          },
        ],
      },
    ],
  })
}

async function send(
  firmwareVersionId: string,
  files: File[],
  replace?: string,
): Promise<AcceptedUpload> {
  const query = replace === undefined ? '' : `?replace=${replace}`
  const response = await test.app.inject({
    method: 'POST',
    url: `/workspaces/${client.workspaceId}/firmware-versions/${firmwareVersionId}/sboms${query}`,
    headers: { authorization: `Bearer ${client.apiKey}`, 'content-type': MULTIPART },
    payload: multipart(files),
  })
  expect(response.statusCode).toBe(202)
  return response.json<AcceptedUpload>()
}

async function sent(firmwareVersionId: string, files: File[], replace?: string) {
  const answer = await send(firmwareVersionId, files, replace)
  return { ...answer, listed: await parsedSboms(client, firmwareVersionId) }
}

/** What the version holds now: names of packages. */
async function held(firmwareVersionId: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select component_name as name from firmware_version_packages
    where firmware_version_id = ${firmwareVersionId} and until is null order by 1`.execute(
    test.ctx.db,
  )
  return rows.map(({ name }) => name)
}

async function replacedOf(firmwareVersionId: string) {
  const response = await client.get(`/firmware-versions/${firmwareVersionId}/replaced-sboms`)
  return response.json<{ sboms: { id: string; fileName: string; replacedById: string }[] }>().sboms
}

const usedBytes = async () => {
  const { rows } = await sql<{ used: number; expected: number }>`
    select used, (select sum(size_bytes) from (
      select size_bytes from sboms where workspace_id = ${client.workspaceId}
      union all select size_bytes from replaced_sboms where workspace_id = ${client.workspaceId}) as file)::bigint as expected
    from workspace_usage where workspace_id = ${client.workspaceId} and quota = 'storedBytes'`.execute(
    test.ctx.db,
  )
  return rows[0]
}

const namesOf = (sboms: readonly Pick<ListedSbom, 'fileName'>[]) =>
  sboms.map(({ fileName }) => fileName)

describe('an upload that replaces', () => {
  it('replaces what has the same name, keeps the rest, and warns where it was not asked to', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [
      { name: 'a.json', bytes: bom(['old']) },
      { name: 'b.json', bytes: bom(['other']) },
    ])

    const beside = await sent(version, [{ name: 'a.json', bytes: bom(['new']) }])
    const both = await held(version)
    const replacing = await sent(version, [{ name: 'a.json', bytes: bom(['newest']) }], 'file')

    expect(beside.warnings).toEqual([expect.stringContaining('another SBOM named "a.json"')])
    expect(both).toEqual(['new', 'old', 'other'])
    expect(replacing.warnings).toEqual([])
    expect(namesOf(replacing.listed)).toEqual(['b.json', 'a.json'])
    expect(await held(version)).toEqual(['newest', 'other'])
    const replaced = await replacedOf(version)
    expect(namesOf(replaced)).toEqual(['a.json', 'a.json'])
    expect(new Set(replaced.map(({ replacedById }) => replacedById))).toEqual(
      new Set(replacing.sboms.map(({ id }) => id)),
    )
  })

  it('replaces all when the last file of the upload is read, and not before', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [
      { name: 'a.json', bytes: bom(['old']) },
      { name: 'b.json', bytes: bom(['older']) },
    ])
    const files = [1, 2, 3, 4].map((n) => ({ name: `${n}.json`, bytes: bom([`new${n}`]) }))
    const seen = new Set<string>()

    await send(version, files, 'all')
    for (
      let listed: ListedSbom[] = [];
      namesOf(listed).join() !== namesOf(filesOf(files)).join();
    ) {
      seen.add((await held(version)).join())
      const response = await client.get(`/firmware-versions/${version}/sboms`)
      listed = response.json<{ sboms: ListedSbom[] }>().sboms.toSorted(byName)
      await delay(5)
    }
    seen.add((await held(version)).join())

    expect([...seen]).toEqual(['old,older', 'new1,new2,new3,new4'])
  })

  it('replaces nothing when a file of an upload for all of the version cannot be read', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [{ name: 'a.json', bytes: bom(['old']) }])

    const { listed } = await sent(
      version,
      [
        { name: 'good.json', bytes: bom(['new']) },
        { name: 'bad.json', bytes: '{"bomFormat":"CycloneDX"' },
      ],
      'all',
    )

    expect(await held(version)).toEqual(['old'])
    expect(listed.map(({ fileName, parsingState }) => [fileName, parsingState])).toEqual([
      ['a.json', 'Succeeded'],
      ['good.json', 'Failed'],
      ['bad.json', 'Failed'],
    ])
    const errorOf = (name: string) => listed.find(({ fileName }) => fileName === name)?.parsingError
    expect(errorOf('good.json')).toContain('"bad.json" of the same upload could not be read')
    expect(errorOf('bad.json')).toContain('What it was to replace stays.')
    expect(await replacedOf(version)).toEqual([])
  })

  it('replaces at once by files that are here already', async () => {
    const version = await givenFirmwareVersion(client)
    const first = { name: 'a.json', bytes: bom(['first']) }
    await sent(version, [first])
    await sent(version, [{ name: 'b.json', bytes: bom(['second']) }])

    await send(version, [first], 'all')

    expect(await held(version)).toEqual(['first'])
  })

  it('ends with one of two that arrive at once, and with none that was never read', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [{ name: 'a.json', bytes: bom(['old']) }])

    await Promise.all([
      send(version, [{ name: 'a.json', bytes: bom(['one']) }], 'file'),
      send(version, [{ name: 'a.json', bytes: bom(['two']) }], 'file'),
    ])
    const listed = await parsedSboms(client, version)

    expect(listed).toHaveLength(1)
    expect(await held(version)).toHaveLength(1)
    expect(await replacedOf(version)).toHaveLength(2)
  })

  it('lets a file wait no longer when the rest of its upload is replaced or deleted', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [{ name: 'old.json', bytes: bom(['old']) }])
    const answer = await send(
      version,
      [
        { name: 'a.json', bytes: bom(['a']) },
        { name: 'b.json', bytes: bom(['b']) },
      ],
      'all',
    )

    await client.delete(`/sboms/${answer.sboms[0]?.id}`)
    await parsedSboms(client, version)

    expect(await held(version)).toEqual(['b'])
  })

  it.each([
    { order: [1, 2], expected: 'new2' },
    { order: [2, 1], expected: 'new2' },
    { order: [9, 10], expected: 'new10' },
  ])('counts the latest version of a CycloneDX document alone: $order', async (given) => {
    const version = await givenFirmwareVersion(client)

    for (const number of given.order) {
      const bytes = bom([`new${number}`], { serialNumber: SERIAL, version: number })
      await sent(version, [{ name: `v${number}.json`, bytes }])
    }

    expect(await held(version)).toEqual([given.expected])
    expect(await replacedOf(version)).toHaveLength(1)
  })

  it('replaces an SPDX document of the same namespace only when asked', async () => {
    const version = await givenFirmwareVersion(client)
    const namespace = 'https://acme.example/image'
    await sent(version, [{ name: '1.spdx.json', bytes: spdx(namespace, 'old') }])

    await sent(version, [{ name: '2.spdx.json', bytes: spdx(namespace, 'new') }])
    const beside = await held(version)
    await sent(version, [{ name: '3.spdx.json', bytes: spdx(namespace, 'newest') }], 'serial')

    expect(beside).toEqual(['new', 'old'])
    expect(await held(version)).toEqual(['newest'])
  })

  it('tells before what would go', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [
      { name: 'a.json', bytes: bom(['a', 'b'], { serialNumber: SERIAL, version: 3 }) },
      { name: 'b.json', bytes: bom(['c']) },
    ])
    const ask = async (body: object) => {
      const path = `/firmware-versions/${version}/sboms/replacement-preview`
      const answer = (await client.post(path, body)).json<{
        sboms: { fileName: string; componentCount: number }[]
        remainingSbomCount: number
      }>()
      return [
        answer.sboms.map((one) => [one.fileName, one.componentCount]),
        answer.remainingSbomCount,
      ]
    }

    expect(await ask({ replace: 'file', fileNames: ['b.json'] })).toEqual([[['b.json', 1]], 1])
    expect(await ask({ replace: 'file', fileNames: ['c.json'] })).toEqual([[], 2])
    expect(await ask({ replace: 'all', fileNames: ['c.json'] })).toEqual([
      [
        ['a.json', 2],
        ['b.json', 1],
      ],
      0,
    ])
    const documents = [`urn:cdx:${SERIAL.slice('urn:uuid:'.length)}/4`]
    expect(await ask({ replace: 'serial', documents })).toEqual([[['a.json', 2]], 1])
  })

  it('keeps what was replaced for as long as the workspace states, and counts its bytes', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [{ name: 'a.json', bytes: bom(['kept']) }])
    await sent(version, [{ name: 'a.json', bytes: bom(['other']) }], 'file')
    const [replaced] = await replacedOf(version)
    const link = await client.get(`/sboms/${replaced?.id}/content`)
    const { contentSasLink } = link.json<{ contentSasLink: string }>()

    const file = await test.app.inject({
      url: new URL(contentSasLink).pathname + new URL(contentSasLink).search,
    })
    await sweepOrphanedFiles(test.ctx, addDays(new Date(), 1))
    const afterSweep = await test.app.inject({
      url: new URL(contentSasLink).pathname + new URL(contentSasLink).search,
    })
    await sweepReplacedSboms({ ...test.ctx, now: () => addDays(new Date(), 29) })
    const before = await replacedOf(version)
    await sweepReplacedSboms({ ...test.ctx, now: () => addDays(new Date(), 31) })

    expect(file.body).toBe(bom(['kept']))
    expect(afterSweep.statusCode).toBe(200)
    expect(before).toHaveLength(1)
    expect(await replacedOf(version)).toEqual([])
    const usage = await usedBytes()
    expect(usage?.used).toBe(usage?.expected)
  })

  it('deletes one of those it keeps, and shows them to nobody else', async () => {
    const version = await givenFirmwareVersion(client)
    await sent(version, [{ name: 'a.json', bytes: bom(['kept']) }])
    await sent(version, [{ name: 'a.json', bytes: bom(['other']) }], 'all')
    const [replaced] = await replacedOf(version)
    const other = await givenClient(test)

    const foreign = [
      await other.get(`/sboms/${replaced?.id}/content`),
      await other.delete(`/sboms/${replaced?.id}`),
      await other.get(`/firmware-versions/${version}/replaced-sboms`),
      await other.post(`/firmware-versions/${version}/sboms/replacement-preview`, {
        replace: 'all',
      }),
    ].map(({ statusCode }) => statusCode)
    const deleted = await client.delete(`/sboms/${replaced?.id}`)

    expect(foreign).toEqual([404, 404, 404, 404])
    expect(deleted.statusCode).toBe(204)
    expect(await replacedOf(version)).toEqual([])
    expect(await held(version)).toEqual(['other'])
  })
})

const byName = (a: ListedSbom, b: ListedSbom) => (a.fileName < b.fileName ? -1 : 1)
const filesOf = (files: readonly File[]) => files.map(({ name }) => ({ fileName: name }))
