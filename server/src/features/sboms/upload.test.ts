/** What an upload may contain, and what a refused upload leaves behind. */
import { readdirSync } from 'node:fs'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  MULTIPART,
  multipart,
  upload,
} from '../../../test/given.ts'

const KIBIBYTE = 1024
const FILE_LIMIT = 1024 * KIBIBYTE

let test: TestApp
let client: Client
let blobs: string

beforeAll(async () => {
  const { sboms } = readConfig({})
  test = await startTestApp({ sboms: { ...sboms, fileBytes: FILE_LIMIT, files: 3 } })
  client = await givenClient(test)
  blobs = join(test.ctx.config.dataDir, 'blobs')
})

function storedFiles(): string[] {
  const entries = readdirSync(blobs, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

function bom(name: string): string {
  const component = { type: 'library', name, version: '1.0' }
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: [component],
  })
}

function post(path: string, payload: Buffer | string, headers: Record<string, string>) {
  const authorization = `Bearer ${client.apiKey}`
  const url = `/workspaces/${client.workspaceId}/firmware-versions/${path}`
  return test.app.inject({ method: 'POST', url, payload, headers: { authorization, ...headers } })
}

interface AcceptedUpload {
  sboms: { id: string; parsingState: string }[]
}

it('accepts several files in one upload', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = [
    { name: 'a.json', bytes: bom('a') },
    { name: 'b.json', bytes: bom('b') },
  ]

  const response = await upload(test, client, { firmwareVersionId, files })

  expect(response.statusCode).toBe(202)
  const { sboms } = response.json<AcceptedUpload>()
  expect(sboms.map(({ parsingState }) => parsingState)).toEqual(['InProgress', 'InProgress'])
  const listed = (await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)).json<{
    sboms: { id: string; fileName: string }[]
  }>()
  expect(listed.sboms.map(({ id, fileName }) => [id, fileName])).toEqual([
    [sboms[0]?.id, 'a.json'],
    [sboms[1]?.id, 'b.json'],
  ])
})

it('accepts files while the inventory of the version changes, more than there are connections', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const names = Array.from({ length: 12 }, (_, index) => `${index}.json`)

  const answers = await test.ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, client.workspaceId, firmwareVersionId)
    return Promise.all(
      names.map((name) =>
        upload(test, client, { firmwareVersionId, files: [{ name, bytes: bom(name) }] }),
      ),
    )
  })

  expect(answers.map(({ statusCode }) => statusCode)).toEqual(names.map(() => 202))
  const numbers = await test.ctx.db
    .selectFrom('sboms')
    .select('uploadNumber')
    .where('workspaceId', '=', client.workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('uploadNumber')
    .execute()
  expect(numbers.map(({ uploadNumber }) => uploadNumber)).toEqual(
    names.map((_, index) => index + 1),
  )
})

it('accepts the same files at once, in whichever order, and keeps them once', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = ['x', 'y', 'z'].map((name) => ({ name, bytes: bom(`same-${name}`) }))
  const orders = [files, files.toReversed(), files, files.toReversed()]

  const answers = await Promise.all(
    orders.map((some) => upload(test, client, { firmwareVersionId, files: some })),
  )

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202, 202])
  const ids = answers.map((answer) =>
    answer
      .json<AcceptedUpload>()
      .sboms.map(({ id }) => id)
      .toSorted(),
  )
  expect(new Set(ids.map(String)).size).toBe(1)
})

it('answers the same bytes with the id they have, and keeps them once', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = [{ name: 'a.json', bytes: bom('same') }]
  const first = await upload(test, client, { firmwareVersionId, files })
  const before = storedFiles().length

  const second = await upload(test, client, {
    firmwareVersionId,
    files: [{ name: 'other.json', bytes: bom('same') }],
  })

  expect(second.json()).toEqual(first.json())
  expect(storedFiles()).toHaveLength(before)
})

it('gives one id to equal files uploaded at once', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const input = { firmwareVersionId, files: [{ name: 'a.json', bytes: bom('at once') }] }

  const responses = await Promise.all(Array.from({ length: 5 }, () => upload(test, client, input)))

  const ids = new Set(responses.map((response) => response.json<AcceptedUpload>().sboms[0]?.id))
  expect(ids.size).toBe(1)
})

it.each`
  encoding  | compress
  ${'gzip'} | ${(bytes: string) => gzipSync(bytes)}
  ${'zstd'} | ${(bytes: string) => zstdCompressSync(bytes)}
`(
  'undoes the content encoding $encoding before hashing',
  async ({ encoding, compress }: { encoding: string; compress: (text: string) => Buffer }) => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const text = bom(encoding)
    const plain = await upload(test, client, {
      firmwareVersionId,
      files: [{ name: 'a.json', bytes: text }],
    })

    const encoded = await upload(test, client, {
      firmwareVersionId,
      files: [{ name: 'a.json', bytes: compress(text) }],
      headers: { 'content-encoding': encoding },
    })

    expect(encoded.json()).toEqual(plain.json())
  },
)

it('keeps the name of a file free of folders and control characters', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)

  await upload(test, client, {
    firmwareVersionId,
    files: [{ name: '../../etc/pass\u0001wd', bytes: bom('name') }],
  })

  const listed = (await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)).json<{
    sboms: { fileName: string }[]
  }>()
  expect(listed.sboms[0]?.fileName).toBe('passwd')
})

interface Refusal {
  type: string
  body: Buffer | string
  status: number
  detail: string
}

const manyParts = multipart(
  Array.from({ length: 10_000 }, (_, index) => ({ name: `${index}.json`, bytes: '{}' })),
)
const whole = multipart([{ name: 'a.json', bytes: bom('whole') }])
const large = 'x'.repeat(FILE_LIMIT + 1)

it.each`
  what                           | type                                   | body                                               | status | detail
  ${'no file part'}              | ${MULTIPART}                           | ${multipart([])}                                   | ${400} | ${'The multipart body holds no file; send at least one file part.'}
  ${'an empty body'}             | ${MULTIPART}                           | ${''}                                              | ${400} | ${'The multipart body ends before its last boundary.'}
  ${'a missing boundary'}        | ${'multipart/form-data'}               | ${whole}                                           | ${400} | ${'The multipart body is malformed: Multipart: Boundary not found.'}
  ${'a truncated body'}          | ${MULTIPART}                           | ${whole.subarray(0, whole.length - 20)}            | ${400} | ${'The multipart body ends before its last boundary.'}
  ${'10,000 parts'}              | ${MULTIPART}                           | ${manyParts}                                       | ${413} | ${'An upload takes at most 3 files.'}
  ${'a file over the limit'}     | ${MULTIPART}                           | ${multipart([{ name: 'big.json', bytes: large }])} | ${413} | ${'The file "big.json" is larger than the 1 MiB a file may have.'}
  ${'a raw body over the limit'} | ${'application/json'}                  | ${large}                                           | ${413} | ${'The file is larger than the 1 MiB a file may have.'}
  ${'an empty raw body'}         | ${'application/json'}                  | ${''}                                              | ${400} | ${'The file "sbom" is empty.'}
  ${'an empty file'}             | ${MULTIPART}                           | ${multipart([{ name: 'none.json', bytes: '' }])}   | ${400} | ${'The file "none.json" is empty.'}
  ${'a form'}                    | ${'application/x-www-form-urlencoded'} | ${'a=b'}                                           | ${400} | ${'The content type "application/x-www-form-urlencoded" is not taken here. Send multipart/form-data, or one document as the raw body (curl: --data-binary with -H \'content-type: application/octet-stream\').'}
  ${'another kind of multipart'} | ${'multipart/mixed; boundary=x'}       | ${'--x--'}                                         | ${400} | ${'The content type "multipart/mixed; boundary=x" is not taken here. Send multipart/form-data, or one document as the raw body (curl: --data-binary with -H \'content-type: application/octet-stream\').'}
`(
  'refuses $what with $status and keeps nothing',
  async ({ type, body, status, detail }: Refusal) => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const before = storedFiles()

    const response = await post(`${firmwareVersionId}/sboms`, body, { 'content-type': type })

    expect(response.json()).toMatchObject({ status, detail })
    expect(response.headers['content-type']).toBe('application/problem+json')
    const listed = await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)
    expect(listed.json()).toEqual({ sboms: [] })
    expect(storedFiles()).toEqual(before)
  },
)

it('keeps no file of an upload of which one is too large', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const before = storedFiles()
  const files = [
    { name: 'good.json', bytes: bom('good') },
    { name: 'big.json', bytes: large },
  ]

  const response = await upload(test, client, { firmwareVersionId, files })

  expect(response.statusCode).toBe(413)
  expect(storedFiles()).toEqual(before)
})

it.each`
  encoding  | body                                                             | status | detail
  ${'gzip'} | ${Buffer.from('no gzip at all')}                                 | ${400} | ${'The body cannot be read'}
  ${'gzip'} | ${gzipSync(bom('cut')).subarray(0, 40)}                          | ${400} | ${'The body cannot be read'}
  ${'lzma'} | ${Buffer.from('x')}                                              | ${400} | ${'The content encoding "lzma" is not taken.'}
  ${'gzip'} | ${gzipSync(Buffer.alloc(FILE_LIMIT * 2))}                        | ${413} | ${'larger than the 1 MiB'}
  ${'zstd'} | ${Buffer.concat([zstdCompressSync('{'), zstdCompressSync('}')])} | ${400} | ${'must be one frame'}
`(
  'refuses the content encoding $encoding when it cannot be undone: $detail',
  async ({
    encoding,
    body,
    status,
    detail,
  }: {
    encoding: string
    body: Buffer
    status: number
    detail: string
  }) => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const before = storedFiles()

    const response = await post(`${firmwareVersionId}/sboms?fileName=a.json`, body, {
      'content-type': 'application/json',
      'content-encoding': encoding,
    })

    expect(response.json()).toMatchObject({
      status,
      detail: expect.stringContaining(detail) as string,
    })
    expect(storedFiles()).toEqual(before)
  },
)

it.each([crypto.randomUUID(), 'not-a-uuid'])(
  'answers 404 for the firmware version %s',
  async (id) => {
    const response = await post(`${id}/sboms`, bom('x'), { 'content-type': 'application/json' })

    expect(response.statusCode).toBe(404)
    expect(response.json()).toMatchObject({ type: '/problems/firmware-version-not-found' })
  },
)

it('answers 503 while the file store cannot be reached', async () => {
  const endpoint = 'http://127.0.0.1:1'
  const keys = { accessKeyId: 'a', secretAccessKey: 'b', region: 'us-east-1', bucket: 'c' }
  const cut = await startTestApp({ blobs: { kind: 's3', endpoint, forcePathStyle: true, ...keys } })
  const own = await givenClient(cut)
  const firmwareVersionId = await givenFirmwareVersion(own)

  const response = await upload(cut, own, {
    firmwareVersionId,
    files: [{ name: 'a.json', bytes: bom('a') }],
  })

  expect(response.json()).toMatchObject({ status: 503, type: '/problems/storage-unavailable' })
})

async function connected() {
  if (!test.app.server.listening) await test.app.listen({ host: '127.0.0.1', port: 0 })
  const address = test.app.server.address()
  return connect(typeof address === 'object' && address ? address.port : 0, '127.0.0.1')
}

const LENGTH = 'content-length: '
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n'
/** What is sent could be read by itself; only the length or the last chunk tells that there was more. */
it.each([
  ['less than its length', (body: string) => `${LENGTH}${body.length + 1}\r\n\r\n${body}`],
  ['no last chunk', (body: string) => `${CHUNKED}${body.length.toString(16)}\r\n${body}\r\n`],
])('does nothing of a change of which came %s before the client hung up', async (part, sent) => {
  const socket = await connected()
  const slug = `cut-${part.replaceAll(' ', '-')}`
  const head = `POST /workspaces/${client.workspaceId}/firmwares HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.apiKey}\r\ncontent-type: application/json\r\n`
  const ended = once(socket, 'close')
  socket.resume()

  socket.end(`${head}${sent(JSON.stringify({ slug, name: 'Cut' }))}`)
  await ended

  const { firmwares } = (await client.get('/firmwares')).json<{ firmwares: { slug: string }[] }>()
  expect(firmwares.map((one) => one.slug)).not.toContain(slug)
})

it('keeps nothing of an upload that is cut off', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const socket = await connected()
  const before = storedFiles()
  socket.write(
    `POST /workspaces/${client.workspaceId}/firmware-versions/${firmwareVersionId}/sboms HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${client.apiKey}\r\ncontent-type: ${MULTIPART}\r\ncontent-length: 500000\r\n\r\n`,
  )
  socket.write(whole.subarray(0, 200))
  await delay(200)

  socket.destroy()
  await once(socket, 'close')

  await expect.poll(() => storedFiles()).toEqual(before)
  const listed = await client.get(`/firmware-versions/${firmwareVersionId}/sboms`)
  expect(listed.json()).toEqual({ sboms: [] })
})
