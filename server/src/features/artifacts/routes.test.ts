import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type ReceivedPart, readByteRanges } from '../../../test/byteranges.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../test/given.ts'
import { givenDeploymentRows, putArtifact } from '../../../test/given-artifacts.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import type { DB } from '../../platform/db/schema.ts'
import { signArtifactUrl } from './download-link.ts'
import { sweepArtifactFiles } from './sweep-service.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp({ artifactBytes: 1024 * 1024 })
  client = await givenClient(test)
})

const hash = (name: string, bytes: Uint8Array | string) =>
  createHash(name).update(bytes).digest('hex')
const declared = (name: string, bytes: Uint8Array | string) =>
  `${name}=:${createHash(name.replace('-', '')).update(bytes).digest('base64')}:`
const problem = (slug: string) => ({ type: `/problems/${slug}` })

async function storedKeys(prefix: string): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of test.ctx.blobs.list(prefix)) keys.push(key)
  return keys
}

async function content(firmwareVersionId: string, headers: Record<string, string> = {}) {
  const { workspaceId, apiKey } = client
  return test.app.inject({
    url: `/workspaces/${workspaceId}/firmware-versions/${firmwareVersionId}/artifact/content`,
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
  })
}

describe('the artifact of a firmware version', () => {
  it('is kept byte by byte, with its digests', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const bytes = randomBytes(300_000)

    const put = await putArtifact(test, client, {
      firmwareVersionId,
      bytes,
      query: { fileName: '../up/gateway 2.swu' },
      headers: { 'repr-digest': `${declared('sha-256', bytes)}, ${declared('sha-512', bytes)}` },
    })

    expect(put.statusCode).toBe(201)
    const artifact = {
      firmwareVersionId,
      fileName: 'gateway 2.swu',
      sizeBytes: 300_000,
      sha256: hash('sha256', bytes),
      sha1: hash('sha1', bytes),
      md5: hash('md5', bytes),
      createdByEmail: expect.stringContaining('@') as unknown,
      isDeployed: false,
    }
    expect(put.json()).toMatchObject(artifact)
    const got = await client.get(`/firmware-versions/${firmwareVersionId}/artifact`)
    expect(got.json()).toEqual({ ...artifact, createdAt: expect.any(String) as unknown })
    expect((await content(firmwareVersionId)).rawPayload.equals(bytes)).toBe(true)
  })

  it('answers the same bytes again with what is there, and keeps one file', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sent = { firmwareVersionId, bytes: 'firmware', query: { fileName: 'a.bin' } }
    const first = await putArtifact(test, client, sent)

    const again = await putArtifact(test, client, sent)
    const unnamed = await putArtifact(test, client, { ...sent, query: {} })

    expect([again.statusCode, unnamed.statusCode]).toEqual([200, 200])
    expect([again.json(), unnamed.json()]).toEqual([first.json(), first.json()])
    expect(await storedKeys(`artifacts/${client.workspaceId}/${firmwareVersionId}/`)).toHaveLength(
      1,
    )
  })

  it('is replaced by other bytes, whose forerunner the sweep removes', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await putArtifact(test, client, { firmwareVersionId, bytes: 'old' })

    const replaced = await putArtifact(test, client, { firmwareVersionId, bytes: 'new' })

    expect(replaced.statusCode).toBe(200)
    expect((await content(firmwareVersionId)).body).toBe('new')
    const folder = `artifacts/${client.workspaceId}/${firmwareVersionId}/`
    expect(await storedKeys(folder)).toHaveLength(2)
    await sweepArtifactFiles(test.ctx, new Date(Date.now() + 60_000))
    expect(await storedKeys(folder)).toHaveLength(1)
    expect((await content(firmwareVersionId)).body).toBe('new')
  })

  it('cannot be changed or deleted once a deployment holds it, but sent again', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const sent = { firmwareVersionId, bytes: 'released', query: { fileName: 'a.bin' } }
    await putArtifact(test, client, sent)
    await givenDeploymentRows(test.ctx, client.workspaceId, [firmwareVersionId])

    const other = await putArtifact(test, client, { firmwareVersionId, bytes: 'other' })
    const renamed = await putArtifact(test, client, { ...sent, query: { fileName: 'b.bin' } })
    const early = await putArtifact(test, client, {
      firmwareVersionId,
      bytes: 'other',
      headers: { 'repr-digest': declared('sha-256', 'other') },
    })
    const deletion = await client.delete(`/firmware-versions/${firmwareVersionId}/artifact`)
    const same = await putArtifact(test, client, sent)

    for (const refused of [other, renamed, early, deletion]) {
      expect(refused.statusCode).toBe(409)
      expect(refused.json()).toMatchObject(problem('artifact-deployed'))
    }
    expect(same.statusCode).toBe(200)
    expect(same.json()).toMatchObject({ isDeployed: true })
    expect((await content(firmwareVersionId)).body).toBe('released')
  })

  it('is deleted with its file', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await putArtifact(test, client, { firmwareVersionId, bytes: 'x' })
    const path = `/firmware-versions/${firmwareVersionId}/artifact`

    const deletion = await client.delete(path)

    expect(deletion.statusCode).toBe(204)
    expect((await client.get(path)).json()).toMatchObject(problem('artifact-not-found'))
    expect(await storedKeys(`artifacts/${client.workspaceId}/${firmwareVersionId}/`)).toEqual([])
    expect((await client.delete(path)).statusCode).toBe(404)
  })

  it('leaves no file behind when its version is deleted, and strange files alone', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await putArtifact(test, client, { firmwareVersionId, bytes: 'x' })
    await test.ctx.blobs.put('artifacts/strange/file/here', (async function* () {})())

    const deletion = await client.delete(`/firmware-versions/${firmwareVersionId}`)
    await sweepArtifactFiles(test.ctx, new Date(Date.now() + 60_000))

    expect(deletion.statusCode).toBe(204)
    expect(await storedKeys(`artifacts/${client.workspaceId}/${firmwareVersionId}/`)).toEqual([])
    expect(await storedKeys('artifacts/strange/')).toHaveLength(1)
  })

  it('is what the deployment that holds it was made with, however they race', async () => {
    const rounds = Array.from({ length: 8 }, (_, round) => round)
    const held = rounds.map(async (round) => {
      const firmwareVersionId = await givenFirmwareVersion(client)
      const sent = { firmwareVersionId, query: { fileName: 'a.bin' } }
      await putArtifact(test, client, { ...sent, bytes: 'first' })
      const cohort = await client.post('/deployment-cohorts', { name: `race-${round}` })
      const path = `/deployment-cohorts/${cohort.json<{ id: string }>().id}/deployments`
      const artifacts = [{ firmwareVersionId }]
      const [changed, made] = await Promise.all([
        putArtifact(test, client, { ...sent, bytes: 'second' }),
        client.post(path, { name: 'race', artifacts }),
      ])
      const kept = (await content(firmwareVersionId)).body
      return [made.statusCode, changed.statusCode, kept].join(' ')
    })

    for (const outcome of await Promise.all(held))
      expect(['201 200 second', '201 409 first']).toContain(outcome)
  })

  it('tells the audit log who sent what', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await putArtifact(test, client, { firmwareVersionId, bytes: 'x' })

    const log = await client.get('/audit-log?limit=1')

    expect(log.json<{ entries: object[] }>().entries[0]).toMatchObject({
      action: 'firmware-artifact.upload',
      resourceId: firmwareVersionId,
      after: { sizeBytes: 1, sha256: hash('sha256', 'x') },
    })
  })

  it.each`
    headers                                                    | status | slug
    ${{ 'repr-digest': declared('sha-256', 'other') }}         | ${400} | ${'artifact-digest-mismatch'}
    ${{ 'repr-digest': declared('sha-512', 'other') }}         | ${400} | ${'artifact-digest-mismatch'}
    ${{ 'content-digest': declared('sha-256', 'other') }}      | ${400} | ${'artifact-digest-mismatch'}
    ${{ 'repr-digest': 'sha-256=abc' }}                        | ${400} | ${'invalid-request'}
    ${{ 'repr-digest': 'sha-256=:YWJj:' }}                     | ${400} | ${'invalid-request'}
    ${{ 'repr-digest': 'md5=:kAFQmDzST7DWlj99KOF/cg==:' }}     | ${400} | ${'invalid-request'}
    ${{ 'content-encoding': 'gzip' }}                          | ${415} | ${'unsupported-media-type'}
    ${{ 'content-type': 'multipart/form-data; boundary=x' }}   | ${415} | ${'unsupported-media-type'}
    ${{ 'content-type': 'application/x-www-form-urlencoded' }} | ${415} | ${'unsupported-media-type'}
    ${{ 'content-range': 'bytes 3-1/5' }}                      | ${400} | ${'invalid-request'}
    ${{ 'content-range': 'bytes 0-5/5' }}                      | ${400} | ${'invalid-request'}
    ${{ 'content-range': 'bytes 0-4/*' }}                      | ${400} | ${'invalid-request'}
    ${{ 'content-range': 'bytes 1-4/5' }}                      | ${400} | ${'invalid-request'}
    ${{ 'content-range': 'bytes 0-7/1048577' }}                | ${413} | ${'upload-too-large'}
  `('is refused with $headers', async ({ headers, status, slug }: RefusedUpload) => {
    const firmwareVersionId = await givenFirmwareVersion(client)

    const put = await putArtifact(test, client, { firmwareVersionId, bytes: 'firmware', headers })

    expect(put.statusCode).toBe(status)
    expect(put.json()).toMatchObject(problem(slug))
    expect(await storedKeys(`artifacts/${client.workspaceId}/${firmwareVersionId}/`)).toEqual([])
    const got = await client.get(`/firmware-versions/${firmwareVersionId}/artifact`)
    expect(got.statusCode).toBe(404)
  })

  it('is refused empty, too large, and for a version that is not there', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const put = (id: string, bytes: Uint8Array | string) =>
      putArtifact(test, client, { firmwareVersionId: id, bytes })

    expect((await put(firmwareVersionId, '')).json()).toMatchObject(problem('upload-invalid'))
    const large = await put(firmwareVersionId, Buffer.alloc(1024 * 1024 + 1))
    expect(large.statusCode).toBe(413)
    expect((await put(firmwareVersionId, Buffer.alloc(1024 * 1024))).statusCode).toBe(201)
    for (const id of ['none', crypto.randomUUID()])
      expect((await put(id, 'x')).statusCode).toBe(404)
  })

  it('is out of reach for another workspace and for keys without the scope', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await putArtifact(test, client, { firmwareVersionId, bytes: 'mine' })
    const other = await givenClient(test)
    const apiKey = await test.givenKey(client.workspaceId, ['Firmware: read'])
    const path = `/firmware-versions/${firmwareVersionId}/artifact`

    expect((await other.get(path)).statusCode).toBe(404)
    expect((await other.get(`${path}/content`)).statusCode).toBe(404)
    expect((await other.delete(path)).statusCode).toBe(404)
    const foreign = await putArtifact(test, other, { firmwareVersionId, bytes: 'theirs' })
    expect(foreign.statusCode).toBe(404)
    const reader = { ...client, apiKey }
    const unscoped = await putArtifact(test, reader, { firmwareVersionId, bytes: 'x' })
    expect(unscoped.statusCode).toBe(403)
    expect((await content(firmwareVersionId)).body).toBe('mine')
  })
})

interface RefusedUpload {
  headers: Record<string, string>
  status: number
  slug: string
}

describe('a download', () => {
  const bytes = randomBytes(200_000)
  let firmwareVersionId: string
  beforeAll(async () => {
    firmwareVersionId = await givenFirmwareVersion(client)
    const query = { fileName: 'gateway ü.swu' }
    await putArtifact(test, client, { firmwareVersionId, bytes, query })
  })

  it('says what it is', async () => {
    const { headers, statusCode } = await content(firmwareVersionId)

    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'content-length': '200000',
      'accept-ranges': 'bytes',
      etag: `"${hash('sha256', bytes)}"`,
      'repr-digest': declared('sha-256', bytes),
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringContaining(
        "filename*=UTF-8''gateway%20%C3%BC.swu",
      ) as unknown,
    })
  })

  it.each`
    range                  | first      | last
    ${'bytes=0-0'}         | ${0}       | ${0}
    ${'bytes=1000-70000'}  | ${1000}    | ${70_000}
    ${'bytes=199999-'}     | ${199_999} | ${199_999}
    ${'bytes=-500'}        | ${199_500} | ${199_999}
    ${'bytes=-900000'}     | ${0}       | ${199_999}
    ${'bytes=100-9000000'} | ${100}     | ${199_999}
  `('answers the range $range', async ({ range, first, last }: RangeCase) => {
    const { statusCode, headers, rawPayload } = await content(firmwareVersionId, { range })

    expect(statusCode).toBe(206)
    expect(headers['content-range']).toBe(`bytes ${first}-${last}/200000`)
    expect(headers['content-length']).toBe(String(last - first + 1))
    expect(rawPayload.equals(bytes.subarray(first, last + 1))).toBe(true)
  })

  it.each(['bytes=200000-', 'bytes=-0', 'bytes=300000-400000'])(
    'has no range %s',
    async (range) => {
      const { statusCode, headers, ...answer } = await content(firmwareVersionId, { range })

      expect(statusCode).toBe(416)
      expect(headers['content-range']).toBe('bytes */200000')
      expect(answer.json()).toMatchObject(problem('range-not-satisfiable'))
    },
  )

  it.each(['bytes=0-1,6-5', 'bytes=0-1;5-6', 'bytes=5-1', 'bytes=a-b', 'lines=0-1', 'bytes=-'])(
    'answers all where the range is %s',
    async (range) => {
      const { statusCode, rawPayload } = await content(firmwareVersionId, { range })

      expect(statusCode).toBe(200)
      expect(rawPayload.equals(bytes)).toBe(true)
    },
  )

  it.each`
    range                                      | parts                                               | because
    ${'bytes=0-0,5-9'}                         | ${[[0, 0], [5, 9]]}                                 | ${'there are two'}
    ${'bytes= 0-0 ,, 5-9,'}                    | ${[[0, 0], [5, 9]]}                                 | ${'lists may have spaces and empty elements'}
    ${'bytes=150000-150009,3-4,-1'}            | ${[[150_000, 150_009], [3, 4], [199_999, 199_999]]} | ${'the order is that of the request'}
    ${'bytes=0-9,300000-,20-29'}               | ${[[0, 9], [20, 29]]}                               | ${'the one outside the file is left out'}
    ${'bytes=0-9,5-14,100-109,12-20'}          | ${[[0, 20], [100, 109]]}                            | ${'no byte is sent twice'}
    ${'bytes=199990-99999999999999999999,0-0'} | ${[[199_990, 199_999], [0, 0]]}                     | ${'a range ends with the file'}
  `('answers $range with $parts, as $because', async ({ range, parts }: PartsCase) => {
    const { statusCode, headers, rawPayload } = await content(firmwareVersionId, { range })

    expect(statusCode).toBe(206)
    expect(headers['content-range']).toBeUndefined()
    expect(headers['content-length']).toBe(String(rawPayload.length))
    const received = readByteRanges(headers['content-type'], rawPayload)
    expect(received.map(({ first, last }) => [first, last])).toEqual(parts)
    for (const part of received) {
      expect(part.total).toBe(200_000)
      expect(part.bytes.equals(bytes.subarray(part.first, part.last + 1))).toBe(true)
    }
  })

  it.each`
    range                  | first | last
    ${'bytes=0-9,10-19'}   | ${0}  | ${19}
    ${'bytes=300000-,7-7'} | ${7}  | ${7}
  `('answers $range as one range, without parts', async ({ range, first, last }: RangeCase) => {
    const { statusCode, headers, rawPayload } = await content(firmwareVersionId, { range })

    expect(statusCode).toBe(206)
    expect(headers['content-type']).toBe('application/octet-stream')
    expect(headers['content-range']).toBe(`bytes ${first}-${last}/200000`)
    expect(rawPayload.equals(bytes.subarray(first, last + 1))).toBe(true)
  })

  it('takes a thousand ranges at once and refuses more, saying how many it takes', async () => {
    const some = (count: number) =>
      `bytes=${Array.from({ length: count }, (_, index) => `${2 * index}-${2 * index}`).join()}`

    const most = await content(firmwareVersionId, { range: some(1_000) })
    const more = await content(firmwareVersionId, { range: some(1_001) })
    const many = await content(firmwareVersionId, { range: some(100_000) })

    expect(readByteRanges(most.headers['content-type'], most.rawPayload)).toHaveLength(1_000)
    for (const refused of [more, many]) {
      expect(refused.statusCode).toBe(416)
      expect(refused.headers['content-range']).toBe('bytes */200000')
      expect(refused.json()).toMatchObject({
        ...problem('too-many-ranges'),
        detail: expect.stringContaining('1000 ranges') as unknown,
      })
    }
  })

  it('sends a file at most once, however often its ranges overlap', async () => {
    const range = `bytes=${Array.from({ length: 999 }, (_, index) => `${index}-`).join()}`

    const { headers, rawPayload } = await content(firmwareVersionId, { range })

    expect(headers['content-range']).toBe('bytes 0-199999/200000')
    expect(rawPayload.equals(bytes)).toBe(true)
  })

  it('sends parts only of the bytes it began with', async () => {
    const etag = `"${hash('sha256', bytes)}"`
    const ask = (headers: Record<string, string>) => content(firmwareVersionId, headers)

    const range = 'bytes=0-0,5-9'
    expect((await ask({ range, 'if-range': etag })).statusCode).toBe(206)
    expect((await ask({ range, 'if-range': '"other"' })).statusCode).toBe(200)
    expect((await ask({ range, 'if-none-match': etag })).statusCode).toBe(304)
  })

  it('gives for any ranges the bytes that a plain model gives', async () => {
    const place = fc.integer({ min: 0, max: 210_000 })
    const close = fc.integer({ min: 0, max: 300 })
    const spec = fc.oneof(
      fc
        .tuple(place, place)
        .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
      fc.tuple(close, close).map(([start, length]) => `${start}-${start + (length % 20)}`),
      place.map((start) => `${start}-`),
      fc.oneof(close, place).map((length) => `-${length}`),
    )
    const property = fc.asyncProperty(
      fc.array(spec, { minLength: 1, maxLength: 30 }),
      async (specs) => {
        const asked = modelBytes(specs, bytes.length)
        const { statusCode, headers, rawPayload } = await content(firmwareVersionId, {
          range: `bytes=${specs.join()}`,
        })

        expect(statusCode).toBe(asked.includes(1) ? 206 : 416)
        if (statusCode === 416) return
        expect(headers['content-length']).toBe(String(rawPayload.length))
        const got = new Uint8Array(bytes.length)
        let gotBytes = 0
        for (const { first, last, bytes: part } of receivedParts(headers, rawPayload)) {
          expect(part.equals(bytes.subarray(first, last + 1))).toBe(true)
          got.fill(1, first, last + 1)
          gotBytes += part.length
        }
        expect(Buffer.compare(got, asked)).toBe(0)
        // No byte was sent twice.
        expect(gotBytes).toBe(asked.reduce((sum, one) => sum + one, 0))
      },
    )
    await fc.assert(property, { numRuns: propertyRuns(200) })
  })

  it('goes on only with the bytes it began with, and spares those that are known', async () => {
    const etag = `"${hash('sha256', bytes)}"`
    const ask = (headers: Record<string, string>) => content(firmwareVersionId, headers)

    const range = 'bytes=5-9'
    expect((await ask({ range, 'if-range': etag })).statusCode).toBe(206)
    expect((await ask({ range, 'if-range': '"other"' })).statusCode).toBe(200)
    expect((await ask({ range, 'if-range': `W/${etag}` })).statusCode).toBe(200)
    expect((await ask({ 'if-none-match': `"x", ${etag}` })).statusCode).toBe(304)
    expect((await ask({ 'if-none-match': '"x"' })).statusCode).toBe(200)
  })
})

/** Which bytes of the file are asked for: 1 each. */
function modelBytes(specs: readonly string[], size: number): Uint8Array {
  const asked = new Uint8Array(size)
  for (const spec of specs) {
    const [first = '', last = ''] = spec.split('-')
    const start = first === '' ? size - Number(last) : Number(first)
    const end = first === '' || last === '' ? size - 1 : Number(last)
    if (start < size) asked.fill(1, Math.max(0, start), Math.min(end, size - 1) + 1)
  }
  return asked
}

function receivedParts(headers: Record<string, unknown>, body: Buffer): ReceivedPart[] {
  const [, first, last, total] =
    /^bytes (\d+)-(\d+)\/(\d+)$/.exec(String(headers['content-range'])) ?? []
  if (total === undefined) return readByteRanges(headers['content-type'], body)
  return [{ first: Number(first), last: Number(last), total: Number(total), bytes: body }]
}

interface PartsCase {
  range: string
  parts: [number, number][]
}

interface RangeCase {
  range: string
  first: number
  last: number
}

describe('the link of a device update', () => {
  const bytes = randomBytes(50_000)
  async function givenLink(state: DB['deviceUpdates']['state'] = 'pending') {
    const firmwareVersionId = await givenFirmwareVersion(client)
    const fileName = 'a&b ü.swu'
    await putArtifact(test, client, { firmwareVersionId, bytes, query: { fileName } })
    const { updateId } = await givenDeploymentRows(test.ctx, client.workspaceId, [
      await givenFirmwareVersion(client),
      firmwareVersionId,
    ])
    await test.ctx.db
      .updateTable('deviceUpdates')
      .set({ state })
      .where('updateId', '=', updateId)
      .execute()
    const { workspaceId } = client
    const url = signArtifactUrl(test.ctx, { workspaceId, updateId, position: 1, fileName })
    return { url: new URL(url), updateId, firmwareVersionId }
  }
  const follow = (url: URL, method: 'GET' | 'HEAD' = 'GET', headers = {}) =>
    test.app.inject({ method, url: url.pathname + url.search, headers })

  it.each(['pending', 'inProgress'] as const)(
    'answers without a key while it is %s',
    async (state) => {
      const { url } = await givenLink(state)

      const whole = await follow(url)
      const rest = await follow(url, 'GET', { range: 'bytes=49000-' })

      expect(whole.statusCode).toBe(200)
      expect(whole.rawPayload.equals(bytes)).toBe(true)
      expect(rest.statusCode).toBe(206)
      expect(rest.rawPayload.equals(bytes.subarray(49_000))).toBe(true)
    },
  )

  it('tells of the file without sending it', async () => {
    const { url } = await givenLink()

    const { statusCode, headers, body } = await follow(url, 'HEAD', { range: 'bytes=0-9' })

    expect(statusCode).toBe(200)
    expect(headers['content-length']).toBe('50000')
    expect(headers['accept-ranges']).toBe('bytes')
    expect(body).toBe('')
  })

  it.each(['succeeded', 'failed', 'cancelled'] as const)('is over once it is %s', async (state) => {
    const { url } = await givenLink(state)

    expect((await follow(url)).statusCode).toBe(404)
  })

  it('has one answer for all it does not lead to', async () => {
    const { url, updateId } = await givenLink()
    const other = await givenLink()
    const changed = (change: (url: URL) => void) => {
      const copy = new URL(url)
      change(copy)
      return follow(copy)
    }

    const answers = await Promise.all([
      changed((one) => one.searchParams.set('secret', 'x')),
      changed((one) => one.searchParams.set('secret', other.url.searchParams.get('secret') ?? '')),
      changed((one) => one.searchParams.set('position', '0')),
      changed((one) => (one.pathname = one.pathname.replace('swu', 'bin'))),
      changed((one) => (one.pathname = one.pathname.replace(updateId, other.updateId))),
      changed((one) => (one.pathname = one.pathname.replace(updateId, 'none'))),
      changed((one) => (one.pathname = one.pathname.replace(client.workspaceId, 'none'))),
    ])

    const bodies = answers.map(({ json }) => json<{ type: string; detail: string }>())
    expect(new Set(bodies.map(({ type, detail }) => `${type} ${detail}`)).size).toBe(1)
    expect(bodies[0]).toMatchObject(problem('artifact-not-found'))
    expect((await follow(url)).statusCode).toBe(200)
  })

  it('leads nowhere before its phase has begun', async () => {
    const { url, updateId } = await givenLink()
    await test.ctx.db
      .updateTable('deviceUpdates')
      .set({ releasedAt: null })
      .where('updateId', '=', updateId)
      .execute()

    expect((await follow(url)).statusCode).toBe(404)
  })
})
