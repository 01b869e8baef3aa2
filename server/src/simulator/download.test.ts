import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import type { OfferedArtifact } from '../formats/device-messages/model.ts'
import { download } from './download.ts'

const BYTES = randomBytes(200_000)
const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function givenServer(listener: RequestListener): Promise<OfferedArtifact> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    order: 0,
    slug: 'gateway',
    version: '2.0',
    isMain: true,
    url: `http://127.0.0.1:${port}/image.bin`,
    size: BYTES.length,
    sha256: createHash('sha256').update(BYTES).digest('hex'),
  }
}

const never = new AbortController().signal

it('goes on where the connection broke', async () => {
  const ranges: (string | undefined)[] = []
  const artifact = await givenServer((request, response) => {
    const { range } = request.headers
    ranges.push(range)
    const from = Number(/\d+/.exec(range ?? '0')?.[0])
    response.writeHead(range === undefined ? 200 : 206, { 'content-length': BYTES.length - from })
    if (ranges.length === 3) response.end(BYTES.subarray(from))
    else response.write(BYTES.subarray(from, from + 50_000), () => response.destroy())
  })

  await download(artifact, never)

  expect(ranges).toHaveLength(3)
  expect(ranges[0]).toBeUndefined()
  expect(ranges[2]).toMatch(/^bytes=[1-9]\d*-$/)
})

it('begins again where the server knows no ranges', async () => {
  let requests = 0
  const artifact = await givenServer((_request, response) => {
    requests += 1
    response.writeHead(200, { 'content-length': BYTES.length })
    if (requests === 2) response.end(BYTES)
    else response.write(BYTES.subarray(0, 50_000), () => response.destroy())
  })

  await download(artifact, never)

  expect(requests).toBe(2)
})

it('waits for a service that is away', async () => {
  let requests = 0
  const artifact = await givenServer((_request, response) => {
    requests += 1
    response.statusCode = requests === 1 ? 503 : 200
    response.end(requests === 1 ? 'away' : BYTES)
  })

  await download(artifact, never)

  expect(requests).toBe(2)
})

it.each`
  because                  | change                        | message
  ${'another digest'}      | ${{ sha256: '0'.repeat(64) }} | ${'has the SHA-256'}
  ${'more than announced'} | ${{ size: BYTES.length - 1 }} | ${'has more than the announced 199999 bytes'}
`(
  'refuses $because',
  async ({ change, message }: { change: Partial<OfferedArtifact>; message: string }) => {
    const artifact = await givenServer((_request, response) => response.end(BYTES))

    await expect(download({ ...artifact, ...change }, never)).rejects.toThrow(message)
  },
)

it('takes no for an answer', async () => {
  const artifact = await givenServer((_request, response) => {
    response.statusCode = 404
    response.end('gone')
  })

  await expect(download(artifact, never)).rejects.toThrow('answered 404: gone')
})
