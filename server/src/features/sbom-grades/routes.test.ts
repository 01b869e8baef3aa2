import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenClient, givenFirmwareVersion, parsedSboms } from '../../../test/given.ts'
import { newId } from '../../platform/ids.ts'

const test = await startTestApp()
await test.startWorker()
const client = await givenClient(test)

interface Grades {
  fileName: string
  grades:
    | {
        profile: string
        outcome: string
        elements: {
          id: string
          outcome: string
          total: number
          stated: number
          examples: string[]
        }[]
      }[]
    | null
}

function bom(suppliers: readonly (string | undefined)[]): Buffer {
  const components = suppliers.map((name, i) => ({
    type: 'library',
    name: `lib${i}`,
    version: '1',
    ...(name !== undefined && { supplier: { name } }),
  }))
  return Buffer.from(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components }))
}

async function sent(firmwareVersionId: string, bytes: Buffer, query = 'fileName=bom.json') {
  const response = await test.app.inject({
    method: 'POST',
    url: `/workspaces/${client.workspaceId}/firmware-versions/${firmwareVersionId}/sboms?${query}`,
    headers: {
      authorization: `Bearer ${client.apiKey}`,
      'content-type': 'application/octet-stream',
    },
    payload: bytes,
  })
  await parsedSboms(client, firmwareVersionId)
  return response.json<{ sboms: { id: string }[] }>().sboms[0]?.id ?? ''
}

async function gradesOf(sbomId: string): Promise<Grades> {
  return (await client.get(`/sboms/${sbomId}/grades`)).json<Grades>()
}

const supplierIn = ({ grades }: Grades) =>
  grades?.find(({ profile }) => profile === 'ntia')?.elements.find(({ id }) => id === 'supplier')

it('answers what each upload lacks, with counts and the first examples', async () => {
  const version = await givenFirmwareVersion(client)
  const sbomId = await sent(version, bom(['Acme', undefined, 'Acme', undefined]))

  const answer = await gradesOf(sbomId)

  expect(answer).toMatchObject({
    fileName: 'bom.json',
    format: 'CycloneDxJson',
    specVersion: '1.6',
  })
  expect(answer.grades?.map(({ profile, outcome }) => [profile, outcome])).toEqual([
    ['bsi', 'missing'],
    ['bsi-2.0', 'missing'],
    ['ntia', 'missing'],
    ['cisa', 'missing'],
  ])
  expect(supplierIn(answer)).toMatchObject({
    outcome: 'missing',
    total: 4,
    stated: 2,
    examples: ['lib1@1', 'lib3@1'],
  })
})

it('keeps the grades of an upload that another replaced', async () => {
  const version = await givenFirmwareVersion(client)
  const before = await sent(version, bom([undefined]))
  const { grades } = await gradesOf(before)

  const after = await sent(version, bom(['Acme']), 'fileName=bom.json&replace=file')

  expect(supplierIn(await gradesOf(after))?.outcome).toBe('met')
  expect((await gradesOf(before)).grades).toEqual(grades)
  expect(supplierIn(await gradesOf(before))?.outcome).toBe('missing')
})

it('says of an SBOM that was read before grades were kept that it has none', async () => {
  const sbomId = await sent(await givenFirmwareVersion(client), bom(['Acme']))
  const cleared = { workspaceId: client.workspaceId, grades: null }
  await test.ctx.db.updateTable('sboms').set(cleared).where('id', '=', sbomId).execute()

  expect((await gradesOf(sbomId)).grades).toBeNull()
})

it('grades no report of a build, and answers 404 for what is not there', async () => {
  const version = await givenFirmwareVersion(client)
  const report = { version: '1', package: [{ name: 'busybox', version: '1', issue: [] }] }
  const sbomId = await sent(version, Buffer.from(JSON.stringify(report)))

  expect((await gradesOf(sbomId)).grades).toEqual([])
  expect((await client.get(`/sboms/${newId()}/grades`)).statusCode).toBe(404)
})
