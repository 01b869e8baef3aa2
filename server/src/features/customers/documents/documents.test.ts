/** Standing addresses: always current, for everybody or by a link, and only what they are for. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenDecision, givenMatchedSbom, givenProduct } from '../../../../test/given-findings.ts'
import { type Client, givenClient, parsedSboms, upload } from '../../../../test/given.ts'

let test: TestApp
/** Workers look at the clock, too, so that it goes on. */
let ahead = 0
beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  Object.assign(test.ctx, { now: () => new Date(Date.now() + ahead) })
})

const later = (minutes: number) => {
  ahead += minutes * 60_000
}

async function givenFirmware() {
  const client = await givenClient(test)
  const slug = `gateway-${crypto.randomUUID().slice(0, 8)}`
  const made = await client.post('/firmwares', { slug, name: 'Gateway' })
  const { id: firmwareId } = made.json<{ id: string }>()
  const { cpes, product, cveIds } = await givenProduct(test.ctx, ['High'])
  const addVersion = async (name: string) => {
    later(1)
    const version = await client.post(`/firmwares/${firmwareId}/versions`, { name })
    const { id: firmwareVersionId } = version.json<{ id: string }>()
    const of = { workspaceId: client.workspaceId, firmwareVersionId }
    await givenMatchedSbom(test.ctx, of, [{ packageName: product, cpes }])
    const decide = (detail: string) =>
      givenDecision(test.ctx, of, {
        vulnerabilityId: cveIds[0] ?? '',
        assessment: 'NotAffected',
        justification: 'code_not_reachable',
        detail,
      })
    return { firmwareVersionId, decide }
  }
  return { client, firmwareId, addVersion }
}

interface Address {
  id: string
  url: string
  token: string | null
}
const ALL = ['Vex', 'Sbom', 'Support']
const make = async (client: Client, body: object) => {
  const made = await client.post('/standing-addresses', { name: 'A', documents: ALL, ...body })
  expect([made.statusCode, made.body]).toEqual([201, made.body])
  return made.json<Address>()
}
const read = ({ url, token }: Address, file: string, headers: Record<string, string> = {}) => {
  const { pathname } = new URL(url)
  const authorization = token === null ? undefined : `Bearer ${token}`
  return test.app.inject({
    url: `${pathname}/${file}`,
    headers: { ...headers, ...(authorization && { authorization }) },
  })
}

it('answer the newest version of the firmware, or the one they name, a minute after a decision at most', async () => {
  const { client, firmwareId, addVersion } = await givenFirmware()
  const first = await addVersion('1.0')
  await first.decide('of 1.0')
  const newest = await make(client, { firmwareId, isPublic: true })
  const fixed = await make(client, { firmwareId, firmwareVersionId: first.firmwareVersionId })
  expect((await read(newest, 'openvex.json')).body).toContain('of 1.0')

  const second = await addVersion('2.0')
  await second.decide('of 2.0')

  expect((await read(newest, 'openvex.json')).body).toContain('of 2.0')
  expect((await read(fixed, 'openvex.json')).body).toContain('of 1.0')
  await first.decide('of 1.0, said anew')
  later(1)
  expect((await read(fixed, 'openvex.json')).body).toContain('said anew')
  for (const file of ['cyclonedx.json', 'csaf.json'])
    expect((await read(newest, file)).body).toContain('of 2.0')
  expect((await read(newest, '')).body).toContain('always of the version that was created last')
  expect((await read(fixed, '')).body).toContain('of this version, as it is known now')
})

it('follow a release line', async () => {
  const { client, firmwareId, addVersion } = await givenFirmware()
  await addVersion('1.0')
  await addVersion('2.0')
  await addVersion('1.1')
  await client.put(`/firmwares/${firmwareId}/lines`, {
    lines: [{ name: 'two', patterns: ['^2\\.'], supportEndsOn: '2030-01-01' }],
  })
  const { lines } = (await client.get(`/firmwares/${firmwareId}/lines`)).json<{
    lines: { id: string }[]
  }>()
  const line = await make(client, { firmwareId, lineId: lines[0]?.id })
  const all = await make(client, { firmwareId })

  expect((await read(line, 'support.json')).json()).toMatchObject({
    version: '2.0',
    supportEndsOn: '2030-01-01',
    isSupported: true,
  })
  expect((await read(all, 'support.json')).json()).toMatchObject({
    version: '1.1',
    supportEndsOn: null,
    isSupported: null,
  })
  expect((await read(line, '')).body).not.toContain('two')
})

it('answer the file of the SBOM as it was uploaded, and say which there are where it has several', async () => {
  const { client, firmwareId, addVersion } = await givenFirmware()
  const made = await client.post(`/firmwares/${firmwareId}/versions`, { name: '1.0' })
  const { id: firmwareVersionId } = made.json<{ id: string }>()
  const send = async (name: string) => {
    const bytes = JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      components: [{ type: 'library', name, version: '1' }],
    })
    await upload(test, client, { firmwareVersionId, files: [{ name: `${name}.json`, bytes }] })
    await parsedSboms(client, firmwareVersionId)
    return bytes
  }
  const bytes = await send('one')
  const address = await make(client, { firmwareId, firmwareVersionId })

  const file = await read(address, 'sbom')
  expect([file.statusCode, file.body]).toEqual([200, bytes])
  const same = await read(address, 'sbom', { 'if-none-match': String(file.headers['etag']) })
  expect([same.statusCode, same.body]).toEqual([304, ''])

  await send('two')
  expect((await read(address, 'sbom')).json()).toMatchObject({
    type: '/problems/document-not-there',
    detail: expect.stringContaining('2 SBOMs') as string,
  })
  const { sboms } = (await read(address, 'index.json')).json<{
    sboms: { id: string; fileName: string }[]
  }>()
  expect(sboms.map(({ fileName }) => fileName)).toEqual(['one.json', 'two.json'])
  expect((await read(address, `sboms/${sboms[0]?.id ?? ''}`)).body).toBe(bytes)
  const other = await addVersion('2.0')
  const elsewhere = await make(client, {
    firmwareId,
    firmwareVersionId: other.firmwareVersionId,
  })
  expect((await read(elsewhere, `sboms/${sboms[0]?.id ?? ''}`)).statusCode).toBe(404)
})

it('give the documents they are for, and no others', async () => {
  const { client, firmwareId, addVersion } = await givenFirmware()
  await (await addVersion('1.0')).decide('said')
  const address = await make(client, { firmwareId, documents: ['Support'], isPublic: true })
  const statuses = ['openvex.json', 'cyclonedx.json', 'csaf.json', 'sbom', 'support.json'].map(
    async (file) => (await read(address, file)).statusCode,
  )

  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404, 200])
  expect((await read(address, 'index.json')).json()).toMatchObject({
    documents: ['Support'],
    sboms: [],
  })
})

it('say in words what there is not yet', async () => {
  const { client, firmwareId, addVersion } = await givenFirmware()
  const address = await make(client, { firmwareId })
  const detail = async (file: string) =>
    (await read(address, file)).json<{ detail: string }>().detail

  expect(await detail('openvex.json')).toContain('no version yet')
  expect((await read(address, '')).statusCode).toBe(200)
  await addVersion('1.0')
  expect(await detail('openvex.json')).toContain('Nothing was said yet')
})

it('are known again by their entity tags, and kept by caches only where they are for everybody', async () => {
  const { client, firmwareId, addVersion } = await givenFirmware()
  const { decide } = await addVersion('1.0')
  await decide('first')
  const open = await make(client, { firmwareId, isPublic: true })
  const closed = await make(client, { firmwareId })
  const first = await read(open, 'csaf.json')
  const headers = { 'if-none-match': String(first.headers['etag']) }

  expect((await read(open, 'csaf.json', headers)).statusCode).toBe(304)
  expect(first.headers['cache-control']).toBe('public, max-age=60')
  expect((await read(closed, 'csaf.json')).headers['cache-control']).toBe('private, no-cache')
  await decide('second')
  later(1)
  expect((await read(open, 'csaf.json', headers)).statusCode).toBe(200)
})

it('answer nothing once they are revoked, and are listed with their last use and without their token', async () => {
  const { client, firmwareId, addVersion } = await givenFirmware()
  await addVersion('1.0')
  const [open, closed] = [
    await make(client, { firmwareId, isPublic: true }),
    await make(client, { firmwareId }),
  ]
  await read(closed, 'support.json')
  const list = await client.get('/standing-addresses')
  expect(list.json()).toMatchObject({
    standingAddresses: [
      { uses: 1, isPublic: false },
      { uses: 0, isPublic: true, endsAt: null },
    ],
  })
  expect(list.body).not.toContain(closed.token)

  for (const address of [open, closed]) {
    expect((await client.delete(`/standing-addresses/${address.id}`)).statusCode).toBe(204)
    expect((await client.delete(`/standing-addresses/${address.id}`)).statusCode).toBe(204)
    expect((await read(address, 'support.json')).statusCode).toBe(404)
  }
})

it.each([
  ['a firmware that there is not', () => ({ firmwareId: crypto.randomUUID() }), '/firmwareId'],
  [
    'a line of another',
    (firmwareId: string) => ({ firmwareId, lineId: crypto.randomUUID() }),
    '/lineId',
  ],
  [
    'a line and a version',
    (firmwareId: string) => ({
      firmwareId,
      lineId: crypto.randomUUID(),
      firmwareVersionId: crypto.randomUUID(),
    }),
    '/firmwareVersionId',
  ],
  ['no document', (firmwareId: string) => ({ firmwareId, documents: [] }), '/documents'],
])('refuse %s', async (_what, bodyOf, pointer) => {
  const { client, firmwareId } = await givenFirmware()
  const body = { name: 'A', documents: ALL, ...bodyOf(firmwareId) }
  const refused = await client.post('/standing-addresses', body)
  expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
})
