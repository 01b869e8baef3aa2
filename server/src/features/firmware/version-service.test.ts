/** The identifiers and predecessors of firmware versions, through the API. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

interface Version {
  id: string
  predecessorId: string | null
}

async function givenFirmware(): Promise<string> {
  const slug = `fw-${crypto.randomUUID()}`
  return (await client.post('/firmwares', { slug })).json<{ id: string }>().id
}

async function givenVersion(firmwareId: string, body: object): Promise<Version> {
  const response = await client.post(`/firmwares/${firmwareId}/versions`, body)
  expect(response.statusCode).toBe(201)
  return response.json<Version>()
}

const PURL = 'pkg:generic/acme/gateway@2.4.1'
const CPE = 'cpe:2.3:o:acme:gateway:2.4.1:*:*:*:*:*:*:*'

describe('a firmware version', () => {
  it('has identifiers and a predecessor where they are stated', async () => {
    const firmwareId = await givenFirmware()
    const first = await givenVersion(firmwareId, { name: '1' })
    const second = await givenVersion(firmwareId, {
      name: '2',
      purl: PURL,
      cpe: CPE,
      predecessorId: first.id,
    })

    const read = await client.get(`/firmware-versions/${second.id}`)

    expect(first).toMatchObject({ purl: null, cpe: null, predecessorId: null })
    expect(read.json()).toMatchObject({ purl: PURL, cpe: CPE, predecessorId: first.id })
  })

  it('keeps what a change leaves out, and loses what it sets to null', async () => {
    const firmwareId = await givenFirmware()
    const { id } = await givenVersion(firmwareId, { name: '1', purl: PURL, cpe: CPE })

    const renamed = await client.patch(`/firmware-versions/${id}`, { name: '1.0', cpe: null })

    expect(renamed.statusCode).toBe(200)
    expect(renamed.json()).toMatchObject({ id, name: '1.0', purl: PURL, cpe: null })
    const audit = await client.get(`/audit-log?resourceId=${id}&action=firmware-version.update`)
    expect(audit.json()).toMatchObject({
      entries: [{ before: { name: '1', cpe: CPE }, after: { name: '1.0', cpe: null } }],
    })
  })

  it('loses its predecessor when that is deleted', async () => {
    const firmwareId = await givenFirmware()
    const first = await givenVersion(firmwareId, { name: '1' })
    const second = await givenVersion(firmwareId, { name: '2', predecessorId: first.id })

    await client.delete(`/firmware-versions/${first.id}`)

    const read = await client.get(`/firmware-versions/${second.id}`)
    expect(read.json()).toMatchObject({ predecessorId: null })
  })

  it.each`
    body                                           | pointer
    ${{ purl: 'gateway' }}                         | ${'/purl'}
    ${{ purl: 'pkg:generic/%zz' }}                 | ${'/purl'}
    ${{ cpe: 'cpe:2.3:o:acme' }}                   | ${'/cpe'}
    ${{ predecessorId: 'x' }}                      | ${'/predecessorId'}
    ${{ predecessorId: crypto.randomUUID() }}      | ${'/predecessorId'}
    ${{ predecessorId: 7 }}                        | ${'/predecessorId'}
    ${{ purl: `pkg:generic/${'x'.repeat(1000)}` }} | ${'/purl'}
    ${{ firmwareId: 'x' }}                         | ${'/firmwareId'}
  `('is refused $body, naming $pointer', async ({ body, pointer }: Record<string, object>) => {
    const firmwareId = await givenFirmware()
    const { id } = await givenVersion(firmwareId, { name: '1' })

    const changed = await client.patch(`/firmware-versions/${id}`, body)
    const created = await client.post(`/firmwares/${firmwareId}/versions`, { name: '2', ...body })

    for (const response of [changed, created]) {
      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({ errors: [{ pointer }] })
    }
  })

  it('succeeds neither itself, nor its successors, nor a version of another firmware', async () => {
    const firmwareId = await givenFirmware()
    const first = await givenVersion(firmwareId, { name: '1' })
    const second = await givenVersion(firmwareId, { name: '2', predecessorId: first.id })
    const third = await givenVersion(firmwareId, { name: '3', predecessorId: second.id })
    const foreign = await givenVersion(await givenFirmware(), { name: '1' })
    const stranger = await givenClient(test)

    for (const predecessorId of [first.id, second.id, third.id, foreign.id]) {
      const response = await client.patch(`/firmware-versions/${first.id}`, { predecessorId })
      expect(response.json()).toMatchObject({
        status: 400,
        errors: [{ pointer: '/predecessorId' }],
      })
    }
    const other = await stranger.patch(`/firmware-versions/${first.id}`, { name: 'x' })
    expect(other.statusCode).toBe(404)
  })

  it('keeps its name apart from its siblings', async () => {
    const firmwareId = await givenFirmware()
    const { id } = await givenVersion(firmwareId, { name: '1' })
    await givenVersion(firmwareId, { name: '2' })

    const response = await client.patch(`/firmware-versions/${id}`, { name: '2' })

    expect(response.json()).toMatchObject({
      status: 409,
      type: '/problems/firmware-version-name-taken',
    })
  })
})
