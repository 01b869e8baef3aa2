import { once } from 'node:events'
import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createApiClient } from '../../api-client/src/index.ts'
import { findUploadFile } from './multipart.ts'
import { uploadSboms } from './upload.ts'

const MEBIBYTE = 1024 * 1024
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

async function givenServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  closers.push(() => server.close())
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createApiClient({ baseUrl, apiKey: 'key' })
  const whoAmI = () => client.get('/whoami', {})
  return { client, workspaceId: 'w', baseUrl, apiKey: 'key', whoAmI }
}

async function givenFile(sizeBytes: number) {
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-cli-')), 'image.json')
  writeFileSync(path, '')
  truncateSync(path, sizeBytes)
  return findUploadFile(path)
}

const accept: RequestListener = (request, response) => {
  request.resume()
  request.once('end', () => {
    response.writeHead(202, { 'content-type': 'application/json' })
    response.end('{"sboms":[]}')
  })
}

describe('an upload', () => {
  it('holds but a small part of a large file', async () => {
    const session = await givenServer(accept)
    const files = [await givenFile(300 * MEBIBYTE)]
    // Other test files of this process may hold some.
    const heldBefore = process.memoryUsage().arrayBuffers
    let mostHeld = 0

    const onSent = () =>
      (mostHeld = Math.max(mostHeld, process.memoryUsage().arrayBuffers - heldBefore))
    await uploadSboms(session, 'v', { files, onSent })

    expect(mostHeld / MEBIBYTE).toBeLessThan(150)
  })

  it('tells how many bytes of how many were sent', async () => {
    const session = await givenServer(accept)
    const seen: number[][] = []

    const files = [await givenFile(100_000), await givenFile(50_000)]
    await uploadSboms(session, 'v', { files, onSent: (...bytes) => seen.push(bytes) })

    expect(seen[0]).toEqual([0, 150_000])
    expect(seen.at(-1)).toEqual([150_000, 150_000])
  })

  it('begins anew where the service is away for a moment', async () => {
    let requests = 0
    const session = await givenServer((request, response) => {
      requests += 1
      if (requests > 1) accept(request, response)
      else response.writeHead(503, { 'retry-after': '0' }).end()
    })

    const files = [await givenFile(5 * MEBIBYTE)]
    await uploadSboms(session, 'v', { files, onSent: () => undefined })

    expect(requests).toBe(2)
  })

  it('hears a refusal that comes before all was sent', async () => {
    const problem = { type: '/problems/x', title: 'Forbidden', status: 403, detail: 'Not you.' }
    const session = await givenServer((_request, response) => {
      response.writeHead(403, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify(problem))
    })

    const files = [await givenFile(50 * MEBIBYTE)]
    const upload = uploadSboms(session, 'v', { files, onSent: () => undefined })

    await expect(upload).rejects.toThrow('Not you.')
  })
})
