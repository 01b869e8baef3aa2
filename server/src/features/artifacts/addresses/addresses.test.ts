import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { putArtifact } from '../../../../test/given-artifacts.ts'
import { createEncryptionKey, parseEncryptionKey } from '../../../platform/secret-encryption.ts'
import { readSigningKeys } from '../../auth/index.ts'
import { createUseCount } from './service.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let test: TestApp
let client: Client
let now = new Date('2026-03-01T00:00:00Z')
beforeAll(async () => {
  test = await startTestApp({ publicUrl: 'https://plimsoll.example' })
  test.ctx.now = () => now
  client = await givenClient(test)
})

interface Address {
  id: string
  url: string
  endsAt: string
  uses: number
  lastUsedAt: string | null
}

async function givenVersions() {
  const created = async (path: string, body: object) =>
    (await client.post(path, body)).json<{ id: string }>().id
  const firmwareId = await created('/firmwares', { slug: `fw-${crypto.randomUUID()}` })
  const version = (name: string) => created(`/firmwares/${firmwareId}/versions`, { name })
  const [baseId, firmwareVersionId] = [await version('1.0'), await version('2.0')]
  const path = `/firmware-versions/${firmwareVersionId}/artifact-addresses`
  return { baseId, firmwareVersionId, path }
}

/** As a program on a device, which knows the address alone. */
const load = (url: string, headers = {}) =>
  test.app.inject({ url: url.replace('https://plimsoll.example', ''), headers })

const list = async (path: string) =>
  (await client.get(path)).json<{ addresses: Address[] }>().addresses

describe('a standing address', () => {
  it('is there before its file, and gives what stands there now, whole and in ranges', async () => {
    const { path, firmwareVersionId } = await givenVersions()
    const created = await client.post(path, { role: 'chunks', days: 365 })
    const { url, endsAt } = created.json<Address>()
    const early = await load(url)
    const [first, second] = [randomBytes(1000), randomBytes(2000)]

    await putArtifact(test, client, { firmwareVersionId, role: 'chunks', bytes: first })
    const whole = await load(url)
    await putArtifact(test, client, { firmwareVersionId, role: 'chunks', bytes: second })
    const part = await load(url, { range: 'bytes=10-19' })
    const many = await load(url, { range: 'bytes=0-0,1990-' })

    expect(created.statusCode).toBe(201)
    expect(endsAt).toBe('2027-03-01T00:00:00.000Z')
    expect(early.statusCode).toBe(404)
    expect(whole.rawPayload).toEqual(first)
    expect(part.statusCode).toBe(206)
    expect(part.rawPayload).toEqual(second.subarray(10, 20))
    expect(many.headers['content-type']).toMatch(/^multipart\/byteranges; boundary=/)
  })

  it('may be that of the image or of a delta, each of its own file', async () => {
    const { path, firmwareVersionId, baseId } = await givenVersions()
    const [image, delta] = [randomBytes(100), randomBytes(50)]
    await putArtifact(test, client, { firmwareVersionId, bytes: image })
    const query = { baseVersionId: baseId }
    await putArtifact(test, client, { firmwareVersionId, role: 'delta', query, bytes: delta })
    const make = async (body: object) =>
      (await client.post(path, { days: 1, ...body })).json<Address>().url

    const ofImage = await load(await make({}))
    const ofDelta = await load(await make({ role: 'delta', baseVersionId: baseId }))

    expect([ofImage.rawPayload, ofDelta.rawPayload]).toEqual([image, delta])
  })

  it('gives nothing once it has ended or was revoked, or with another secret or workspace', async () => {
    const { path, firmwareVersionId } = await givenVersions()
    await putArtifact(test, client, { firmwareVersionId, bytes: 'firmware' })
    const make = async (days: number) => (await client.post(path, { days })).json<Address>()
    const [short, revoked, lasting] = [await make(1), await make(30), await make(30)]
    const other = await givenClient(test)
    const statuses = async (...urls: string[]) =>
      Promise.all(urls.map(async (url) => (await load(url)).statusCode))
    const before = await statuses(short.url, revoked.url)

    now = new Date(now.getTime() + DAY_MS)
    const theirs = await other.delete(`${path}/${revoked.id}`)
    const deleted = await client.delete(`${path}/${revoked.id}`)
    const after = await statuses(
      short.url,
      revoked.url,
      lasting.url.replace(/secret=.{4}/, 'secret=AAAA'),
      lasting.url.replace(lasting.id, short.id),
      lasting.url.replace(client.workspaceId, other.workspaceId),
      lasting.url.replace(lasting.id, 'no-id'),
    )

    expect(before).toEqual([200, 200])
    expect([theirs.statusCode, deleted.statusCode]).toEqual([404, 204])
    expect(after).toEqual([404, 404, 404, 404, 404, 404])
    expect(await statuses(lasting.url)).toEqual([200])
    expect((await list(path)).map(({ id }) => id)).toEqual([lasting.id, short.id])
  })

  it('outlives the signing key, with the secret that was shown first', async () => {
    const { path, firmwareVersionId } = await givenVersions()
    await putArtifact(test, client, { firmwareVersionId, bytes: 'firmware' })
    const made = (await client.post(path, { days: 30 })).json<Address>()
    const before = await readSigningKeys(test.ctx)

    test.ctx.signingKey.replace([{ value: randomBytes(32), beginsAt: null, endsAt: null }])
    const { statusCode } = await load(made.url)
    const [listed] = await list(path)
    test.ctx.signingKey.replace(before)

    expect(statusCode).toBe(200)
    expect(listed?.url).toBe(made.url)
  })

  it('keeps its secret encrypted where the operator has a key', async () => {
    const { id = '', key } = parseEncryptionKey(createEncryptionKey()) ?? {}
    const keys = new Map(key && [[id, key]])
    const encrypted = await startTestApp(
      { publicUrl: 'https://plimsoll.example', encryptionKeys: { currentId: id, keys } },
      test.connectionString,
    )
    const { path } = await givenVersions()
    const { workspaceId, apiKey } = client

    const answer = await encrypted.app.inject({
      method: 'POST',
      url: `/workspaces/${workspaceId}${path}`,
      headers: { authorization: `Bearer ${apiKey}` },
      payload: { days: 30 },
    })
    const made = answer.json<Address>()
    const { secret } = await test.ctx.db
      .selectFrom('artifactAddresses')
      .select('secret')
      .where('id', '=', made.id)
      .executeTakeFirstOrThrow()

    expect(answer.statusCode).toBe(201)
    const shown = new URL(made.url).searchParams.get('secret') ?? ''
    expect(Buffer.from(shown, 'base64url')).toHaveLength(32)
    expect(secret.includes(Buffer.from(shown, 'base64url'))).toBe(false)
  })

  it('counts its uses, and writes thousands of them together', async () => {
    const { path, firmwareVersionId } = await givenVersions()
    await putArtifact(test, client, { firmwareVersionId, bytes: 'firmware' })
    const { id, url } = (await client.post(path, { days: 1 })).json<Address>()
    await load(url)
    const [once] = await list(path)
    const { workspaceId } = client
    const uses = createUseCount(test.ctx)

    for (let index = 0; index < 2000; index += 1)
      await uses.count({ workspaceId, addressId: id, secret: '' })
    const [begun] = await list(path)
    await uses.flush()
    const [all] = await list(path)

    expect(once).toMatchObject({ uses: 1, lastUsedAt: now.toISOString() })
    expect([begun?.uses, all?.uses]).toEqual([2, 2001])
  })

  it('writes the last uses also when no other follows', async () => {
    const { path } = await givenVersions()
    const { id } = (await client.post(path, { days: 1 })).json<Address>()
    const { workspaceId } = client
    const uses = createUseCount(test.ctx, 50)

    for (let index = 0; index < 3; index += 1)
      await uses.count({ workspaceId, addressId: id, secret: '' })

    await expect.poll(() => list(path)).toMatchObject([{ uses: 3 }])
  })

  it.each`
    body                                               | status | says
    ${{ days: 0 }}                                     | ${400} | ${'/days'}
    ${{ days: 3651 }}                                  | ${400} | ${'/days'}
    ${{ role: 'delta', days: 1 }}                      | ${400} | ${'/baseVersionId'}
    ${{ role: 'Root FS', days: 1 }}                    | ${400} | ${'/role'}
    ${{ baseVersionId: crypto.randomUUID(), days: 1 }} | ${400} | ${'/baseVersionId'}
  `('is refused for $body, where that is wrong', async ({ body, status, says }) => {
    const { path } = await givenVersions()

    const answer = await client.post(path, body as object)

    expect(answer.statusCode).toBe(status)
    expect(answer.json()).toMatchObject({ errors: [{ pointer: says as string }] })
  })

  it('is one of at most 20 of a version that work', async () => {
    const { path } = await givenVersions()
    for (let index = 0; index < 20; index += 1) await client.post(path, { days: 1 })

    const refused = await client.post(path, { days: 1 })
    now = new Date(now.getTime() + DAY_MS)
    const taken = await client.post(path, { days: 1 })

    expect(refused.json()).toMatchObject({ type: '/problems/too-many-artifact-addresses' })
    expect(taken.statusCode).toBe(201)
  })
})
