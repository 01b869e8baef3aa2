/** Uploads of artifacts in parts, of a service that is killed in the middle of one. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'

const PART = 300_000

let settings: ServiceSettings
let service: ServiceProcess
let key: { workspaceId: string; apiKey: string }
const start = async () => {
  service = await startServiceProcess({ ...settings, args: ['--roles', 'api'] })
}
beforeAll(async () => {
  const { connectionString } = await createTestDatabase()
  settings = {
    dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-artifacts-killed-')),
    port: await freePort(),
    managementPort: await freePort(),
    env: { DATABASE_URL: connectionString },
  }
  await start()
  const args = ['bootstrap', '--workspace', 'W', '--owner', 'a@example.com', '--json']
  key = JSON.parse((await runAdmin(settings, ...args)).stdout) as typeof key
})
afterAll(() => endProcess(service.child, 'SIGKILL'))

interface Sent {
  method?: string
  body?: string | Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

const ask = (path: string, { method = 'GET', body, headers = {} }: Sent = {}) =>
  fetch(`${service.url}/workspaces/${key.workspaceId}${path}`, {
    method,
    headers: { authorization: `Bearer ${key.apiKey}`, ...headers },
    ...(body !== undefined && { body }),
  })

async function make(path: string, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const made = await ask(path, { method: 'POST', body: JSON.stringify(body), headers })
  return ((await made.json()) as { id: string }).id
}

const sendPart = (path: string, bytes: Buffer, range: string) =>
  ask(path, {
    method: 'PUT',
    body: new Uint8Array(bytes),
    headers: { 'content-type': 'application/octet-stream', 'content-range': range },
  })

/** A request whose body never ends. */
async function beginPart(path: string, bytes: Buffer, range: string) {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const head = [
    `PUT /workspaces/${key.workspaceId}${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${key.apiKey}`,
    'content-type: application/octet-stream',
    `content-range: ${range}`,
    `content-length: ${PART}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await new Promise((done) => socket.write(bytes, done))
}

it.each(['/artifact', '/artifacts/rootfs'])(
  'of %s, what was accepted before a kill in the middle of a part is there, and the upload goes on',
  async (place) => {
    const firmwareId = await make('/firmwares', { slug: `fw-${crypto.randomUUID()}` })
    const version = await make(`/firmwares/${firmwareId}/versions`, { name: '1.0' })
    const path = `/firmware-versions/${version}${place}`
    const bytes = randomBytes(2 * PART)
    const total = bytes.length
    const first = await sendPart(path, bytes.subarray(0, PART), `bytes 0-${PART - 1}/${total}`)
    const { uploadId } = (await first.json()) as { uploadId: string }
    const rest = `bytes ${PART}-${total - 1}/${total}`
    const half = bytes.subarray(PART, PART + PART / 2)
    await beginPart(`${path}?uploadId=${uploadId}`, half, rest)

    await endProcess(service.child, 'SIGKILL')
    await start()
    const upload = await (await ask(`${path}/upload`)).json()
    const last = await sendPart(`${path}?uploadId=${uploadId}`, bytes.subarray(PART), rest)

    expect(first.status).toBe(202)
    expect(upload).toMatchObject({ uploadId, receivedBytes: PART, totalBytes: total })
    expect(last.status).toBe(201)
    const content = Buffer.from(await (await ask(`${path}/content`)).arrayBuffer())
    expect(content.equals(bytes)).toBe(true)
    expect(await last.json()).toMatchObject({
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
  },
)
