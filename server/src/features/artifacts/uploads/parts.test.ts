import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../../test/given.ts'
import { givenDeploymentRows, putArtifact } from '../../../../test/given-artifacts.ts'
import { hasS3Server, type S3Server, startS3Server } from '../../../../test/s3-server.ts'
import { sweepArtifactFiles } from '../sweep-service.ts'

let s3: S3Server | undefined
beforeAll(async () => {
  if (hasS3Server) s3 = await startS3Server()
})
afterAll(() => s3?.stop())

type Backend = [string, () => object]
const stores: Backend[] = [
  ['fs', () => ({})],
  ...(hasS3Server ? [['s3', () => ({ blobs: s3?.config })] satisfies Backend] : []),
]
/** undefined: the full image. */
const ROLES = [undefined, 'rootfs']
const backends = stores.flatMap(([kind, overrides]) =>
  ROLES.map((role) => ({ name: role ?? 'image', kind, overrides, role })),
)

const digest = (bytes: Uint8Array) =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`
const problem = (slug: string) => ({ type: `/problems/${slug}` })

interface SentPart {
  bytes: Uint8Array
  start: number
  end: number
  uploadId?: string
  headers?: Record<string, string>
}

describe.each(backends)('an artifact ($name) sent in parts to $kind', ({ overrides, role }) => {
  const ofRole = role === undefined ? {} : { role }
  let test: TestApp
  let client: Client
  let path: string
  let url: string
  beforeAll(async () => {
    test = await startTestApp(overrides())
    url = await test.app.listen({ port: 0, host: '127.0.0.1' })
    client = await givenClient(test)
  })

  async function givenVersion() {
    const firmwareVersionId = await givenFirmwareVersion(client)
    path = `/firmware-versions/${firmwareVersionId}/${role === undefined ? 'artifact' : `artifacts/${role}`}`
    return firmwareVersionId
  }
  const send = (
    firmwareVersionId: string,
    { bytes, start, end, uploadId, headers = {} }: SentPart,
    by: TestApp = test,
  ) =>
    putArtifact(by, client, {
      ...ofRole,
      firmwareVersionId,
      bytes: bytes.subarray(start, end),
      query: { fileName: 'big.swu', ...(uploadId === undefined ? {} : { uploadId }) },
      headers: { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}`, ...headers },
    })
  const idOf = ({ body }: { body: string }) => (JSON.parse(body) as { uploadId: string }).uploadId
  const files = async (prefix: string, firmwareVersionId: string) => {
    const keys: string[] = []
    const folder = `${prefix}/${client.workspaceId}/${firmwareVersionId}/`
    for await (const { key } of test.ctx.blobs.list(folder)) keys.push(key)
    return keys
  }
  const content = async () => {
    const answer = await fetch(`${url}/workspaces/${client.workspaceId}${path}/content`, {
      headers: { authorization: `Bearer ${client.apiKey}` },
    })
    return Buffer.from(await answer.arrayBuffer())
  }

  it('is whole after the last one, and none of them is left', async () => {
    const bytes = randomBytes(100_000)
    const id = await givenVersion()

    const headers = { 'repr-digest': digest(bytes) }
    const first = await send(id, { bytes, start: 0, end: 40_000, headers })
    const uploadId = idOf(first)
    const second = await send(id, { bytes, start: 40_000, end: 70_000, uploadId })
    const during = await client.get(`${path}/upload`)
    const last = await send(id, { bytes, start: 70_000, end: 100_000, uploadId, headers })

    expect([first.statusCode, second.statusCode, last.statusCode]).toEqual([202, 202, 201])
    expect(second.headers['upload-offset']).toBe('70000')
    expect(during.json()).toMatchObject({
      uploadId,
      fileName: 'big.swu',
      receivedBytes: 70_000,
      totalBytes: 100_000,
      reprDigest: digest(bytes),
    })
    expect(last.json()).toMatchObject({
      fileName: 'big.swu',
      sizeBytes: 100_000,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      md5: createHash('md5').update(bytes).digest('hex'),
    })
    expect((await content()).equals(bytes)).toBe(true)
    expect((await client.get(`${path}/upload`)).statusCode).toBe(404)
    expect(await files('artifact-parts', id)).toEqual([])
    expect(await files('artifacts', id)).toHaveLength(1)
  })

  it('says where to go on when a part begins elsewhere, and takes none twice', async () => {
    const bytes = randomBytes(30_000)
    const id = await givenVersion()
    const uploadId = idOf(await send(id, { bytes, start: 0, end: 10_000 }))

    const again = await send(id, { bytes, start: 0, end: 10_000, uploadId })
    const later = await send(id, { bytes, start: 20_000, end: 30_000, uploadId })
    const both = await Promise.all(
      [1, 2].map(() => send(id, { bytes, start: 10_000, end: 20_000, uploadId })),
    )

    for (const refused of [again, later]) {
      expect(refused.statusCode).toBe(409)
      expect(refused.headers['upload-offset']).toBe('10000')
      expect(refused.json()).toMatchObject(problem('artifact-offset-wrong'))
    }
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([202, 409])
    expect((await send(id, { bytes, start: 20_000, end: 30_000, uploadId })).statusCode).toBe(201)
    expect((await content()).equals(bytes)).toBe(true)
    expect(await files('artifact-parts', id)).toEqual([])
  })

  it('is not mixed of two that are sent at once', async () => {
    const [mine, theirs] = [randomBytes(20_000), randomBytes(20_000)]
    const id = await givenVersion()
    const first = idOf(await send(id, { bytes: mine, start: 0, end: 10_000 }))
    const second = idOf(await send(id, { bytes: theirs, start: 0, end: 10_000 }))

    const overtaken = await send(id, { bytes: mine, start: 10_000, end: 20_000, uploadId: first })
    const rest = { bytes: theirs, start: 10_000, end: 20_000 }
    const unnamed = await send(id, rest)
    const ended = await send(id, { ...rest, uploadId: second })

    expect(overtaken.statusCode).toBe(404)
    expect(overtaken.json()).toMatchObject(problem('artifact-upload-not-found'))
    expect(unnamed.statusCode).toBe(400)
    expect(ended.statusCode).toBe(201)
    expect((await content()).equals(theirs)).toBe(true)
  })

  it('keeps nothing when the whole is not what was declared', async () => {
    const bytes = randomBytes(20_000)
    const id = await givenVersion()
    const headers = { 'repr-digest': digest(randomBytes(1)) }
    const uploadId = idOf(await send(id, { bytes, start: 0, end: 10_000, headers }))

    const last = await send(id, { bytes, start: 10_000, end: 20_000, uploadId })

    expect(last.statusCode).toBe(400)
    expect(last.json()).toMatchObject(problem('artifact-digest-mismatch'))
    expect((await client.get(path)).statusCode).toBe(404)
    expect((await client.get(`${path}/upload`)).statusCode).toBe(404)
    expect([...(await files('artifact-parts', id)), ...(await files('artifacts', id))]).toEqual([])
  })

  it('keeps no part that is not what it says', async () => {
    const bytes = randomBytes(20_000)
    const id = await givenVersion()
    const uploadId = idOf(await send(id, { bytes, start: 0, end: 10_000 }))
    const part = { ...ofRole, firmwareVersionId: id, query: { uploadId } }
    const headers = { 'content-range': 'bytes 10000-19999/20000' }

    const [short, long, other] = await Promise.all([
      putArtifact(test, client, { ...part, headers, bytes: bytes.subarray(0, 9_999) }),
      putArtifact(test, client, { ...part, headers, bytes: bytes.subarray(0, 10_001) }),
      putArtifact(test, client, {
        ...part,
        headers: { ...headers, 'content-digest': digest(randomBytes(1)) },
        bytes: bytes.subarray(10_000),
      }),
    ])

    expect(short.json()).toMatchObject(problem('artifact-part-length'))
    expect(long.json()).toMatchObject(problem('artifact-part-length'))
    expect(other.json()).toMatchObject(problem('artifact-digest-mismatch'))
    expect(await files('artifact-parts', id)).toHaveLength(1)
    expect((await send(id, { bytes, start: 10_000, end: 20_000, uploadId })).statusCode).toBe(201)
  })

  it('goes on after a part that was cut off, on another node', async () => {
    const bytes = randomBytes(400_000)
    const id = await givenVersion()
    const head = [
      `PUT /workspaces/${client.workspaceId}${path}?fileName=big.swu HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${client.apiKey}`,
      'content-type: application/octet-stream',
      `content-range: bytes 0-399999/400000`,
      'content-length: 400000',
    ]
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(bytes.subarray(0, 150_000))
    await expect.poll(async () => (await client.get(`${path}/upload`)).statusCode).toBe(200)
    await delay(200)
    socket.destroy()

    const upload = await uploadOnceStored()
    const node = await startTestApp({ ...overrides(), ...blobsOf(test) }, test.connectionString)
    const { receivedBytes: start, uploadId } = upload
    const last = await send(id, { bytes, start, end: 400_000, uploadId }, node)

    // What a slow node has not read yet is lost with the connection.
    expect(start).toBeGreaterThan(0)
    expect(start).toBeLessThanOrEqual(150_000)
    expect(last.statusCode).toBe(201)
    expect((await content()).equals(bytes)).toBe(true)
  })

  async function uploadOnceStored() {
    for (;;) {
      const upload = await client.get(`${path}/upload`)
      const body = upload.json<{ receivedBytes?: number; uploadId: string }>()
      if (body.receivedBytes) return { ...body, receivedBytes: body.receivedBytes }
      await delay(20)
    }
  }

  it('answers its end again to who did not hear it', async () => {
    const bytes = randomBytes(10_000)
    const id = await givenVersion()
    const uploadId = idOf(await send(id, { bytes, start: 0, end: 5_000 }))
    const ask = () =>
      putArtifact(test, client, {
        ...ofRole,
        firmwareVersionId: id,
        bytes: '',
        query: { uploadId },
        headers: { 'content-range': 'bytes */10000' },
      })

    const during = await ask()
    // The state after a crash between the last part and the artifact.
    const { workspaceId } = client
    const { parts } = await test.ctx.db
      .selectFrom('firmwareArtifactUploads')
      .select('parts')
      .where('id', '=', uploadId)
      .executeTakeFirstOrThrow()
    const folder = `artifact-parts/${workspaceId}/${id}/${uploadId}`
    const partId = crypto.randomUUID()
    const rest = [bytes.subarray(5_000)]
    await test.ctx.blobs.put(
      `${folder}/${partId}`,
      (async function* () {
        yield* rest
      })(),
    )
    await test.ctx.db
      .updateTable('firmwareArtifactUploads')
      .set({ parts: [...parts, partId], receivedBytes: 10_000 })
      .where('id', '=', uploadId)
      .execute()
    const { promise: others, resolve: release } = Promise.withResolvers<undefined>()
    const put = test.ctx.blobs.put.bind(test.ctx.blobs)
    const held = vi.spyOn(test.ctx.blobs, 'put').mockImplementation(async (...given) => {
      await others
      return put(...given)
    })
    const asked = [ask(), ask(), ask()]
    // So that all of them wait for the file.
    for (const _ of asked) await client.get(`${path}/upload`)
    release(undefined)
    const ended = await Promise.all(asked)
    const putCount = held.mock.calls.length
    held.mockRestore()

    expect(during.statusCode).toBe(202)
    expect(during.json()).toMatchObject({ receivedBytes: 5_000 })
    expect(ended.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201])
    // Each join reads and writes all of it.
    expect(putCount).toBe(1)
    expect((await content()).equals(bytes)).toBe(true)
    expect((await ask()).statusCode).toBe(404)
  })

  it('expires a day after the last part, and can be thrown away', async () => {
    const bytes = randomBytes(10_000)
    const [id, kept] = [await givenVersion(), await givenFirmwareVersion(client)]
    await send(id, { bytes, start: 0, end: 5_000 })
    const uploadId = idOf(await send(kept, { bytes, start: 0, end: 5_000 }))
    await test.ctx.db
      .updateTable('firmwareArtifactUploads')
      .set({ expiresAt: new Date(Date.now() - 1) })
      .where('firmwareVersionId', '=', id)
      .execute()

    const expired = await client.get(`${path}/upload`)
    await sweepArtifactFiles(test.ctx, new Date(Date.now() + 60_000))

    expect(expired.statusCode).toBe(404)
    expect(await files('artifact-parts', id)).toEqual([])
    expect((await send(kept, { bytes, start: 5_000, end: 10_000, uploadId })).statusCode).toBe(201)
    await send(id, { bytes, start: 0, end: 5_000 })
    expect((await client.delete(`${path}/upload`)).statusCode).toBe(204)
    expect((await client.delete(`${path}/upload`)).statusCode).toBe(404)
    expect(await files('artifact-parts', id)).toEqual([])
  })

  it('is refused at its end when a deployment took the version meanwhile', async () => {
    const bytes = randomBytes(10_000)
    const id = await givenVersion()
    await putArtifact(test, client, { ...ofRole, firmwareVersionId: id, bytes: 'released' })
    const uploadId = idOf(await send(id, { bytes, start: 0, end: 5_000 }))
    await givenDeploymentRows(test.ctx, client.workspaceId, [id])

    const last = await send(id, { bytes, start: 5_000, end: 10_000, uploadId })

    expect(last.statusCode).toBe(409)
    expect(last.json()).toMatchObject(problem('artifact-deployed'))
    expect((await content()).toString()).toBe('released')
    expect(await files('artifact-parts', id)).toEqual([])
    expect(await files('artifacts', id)).toHaveLength(1)
  })

  it('keeps others from it', async () => {
    const bytes = randomBytes(10_000)
    const id = await givenVersion()
    const uploadId = idOf(await send(id, { bytes, start: 0, end: 5_000 }))
    const other = await givenClient(test)

    const foreign = await putArtifact(test, other, {
      ...ofRole,
      firmwareVersionId: id,
      bytes: bytes.subarray(5_000),
      query: { uploadId },
      headers: { 'content-range': 'bytes 5000-9999/10000' },
    })

    expect(foreign.statusCode).toBe(404)
    expect((await other.get(`${path}/upload`)).statusCode).toBe(404)
    expect((await other.delete(`${path}/upload`)).statusCode).toBe(404)
    expect((await client.get(`${path}/upload`)).json()).toMatchObject({ receivedBytes: 5_000 })
  })
})

/** The same folder, shared by nodes. */
function blobsOf({ ctx }: TestApp) {
  return { blobs: ctx.config.blobs, dataDir: ctx.config.dataDir }
}
