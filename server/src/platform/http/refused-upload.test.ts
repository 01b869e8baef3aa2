/** An upload that is refused while it arrives leaves a connection that works, and a service that can stop. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenClient, givenFirmwareVersion, MULTIPART, multipart } from '../../../test/given.ts'
import { AppError } from '../errors.ts'

interface SentUpload {
  method: string
  path: string
  headers: Record<string, string>
  body?: Buffer
}

async function send(test: TestApp, agent: Agent, { method, path, headers, body }: SentUpload) {
  const address = test.app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const sent = request({ host: '127.0.0.1', port, agent, method, path, headers })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response) text += String(chunk)
  return { status: response.statusCode, text }
}

const noise = Buffer.from(Array.from({ length: 4_000_000 }, (_, index) => (index * index) % 251))
const octets = { 'content-type': 'application/octet-stream' }

it.each([
  ['a raw body', octets, noise],
  ['the raw body of a request with a key', { ...octets, 'idempotency-key': 'a-1' }, noise],
  ['a multipart body', { 'content-type': MULTIPART }, multipart([{ name: 'a', bytes: noise }])],
  ['a compressed body', { ...octets, 'content-encoding': 'gzip' }, gzipSync(noise)],
  [
    'a compressed multipart body',
    { 'content-type': MULTIPART, 'content-encoding': 'gzip' },
    gzipSync(multipart([{ name: 'a', bytes: noise }])),
  ],
])('lets go of %s when the store is full', async (_kind, type, body) => {
  const test = await startTestApp()
  const client = await givenClient(test)
  const firmwareVersionId = await givenFirmwareVersion(client)
  test.ctx.blobs.put = async (_key, content) => {
    for await (const _chunk of content) break
    throw new AppError('unavailable', 'storage-full', 'There is no space left.')
  }
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const authorization = `Bearer ${client.apiKey}`
  const workspace = `/workspaces/${client.workspaceId}`

  const refused = await send(test, agent, {
    method: 'POST',
    path: `${workspace}/firmware-versions/${firmwareVersionId}/sboms`,
    headers: { ...type, authorization },
    body,
  })
  const next = await send(test, agent, {
    method: 'GET',
    path: `${workspace}/settings`,
    headers: { authorization },
  })

  expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('storage-full')])
  expect(next.status).toBe(200)
  // A connection with unread bytes would hold this up for ever.
  await test.close()
  agent.destroy()
})

it('lets go of a body that nobody began to read', async () => {
  const test = await startTestApp()
  const client = await givenClient(test)
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const authorization = `Bearer ${client.apiKey}`
  const workspace = `/workspaces/${client.workspaceId}`

  const refused = await send(test, agent, {
    method: 'POST',
    path: `${workspace}/firmware-versions/${crypto.randomUUID()}/sboms`,
    headers: { ...octets, authorization, 'idempotency-key': 'a-2' },
    body: noise,
  })
  const path = `${workspace}/settings`
  const next = await send(test, agent, { method: 'GET', path, headers: { authorization } })

  expect([refused.status, next.status]).toEqual([404, 200])
  await test.close()
  agent.destroy()
})
