/**
 * The configurations of nginx and Caddy in the guide, as they are written there, before a real service with the settings beside them. Each
 * proxy is looked for on the path; PLIMSOLL_REQUIRE_PROXIES=nginx,caddy makes its absence an error.
 */
import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import { GUIDE, isThere, NAME, type Ports, PROXIES, startProxy } from './guide-proxies.ts'
import { endProcess, freePort, runAdmin, startServiceProcess } from './service-process.ts'

const missing = Object.values(PROXIES).filter((proxy) => !isThere(proxy))
const names = missing.map(({ program }) => program).join(', ')
if (missing.length > 0) process.stderr.write(`proxies.test.ts skips what is absent: ${names}\n`)
const required = process.env['PLIMSOLL_REQUIRE_PROXIES']?.split(',') ?? []
for (const { program } of missing)
  if (required.includes(program))
    throw new Error(`${program} is required but cannot be run: apt-get install ${program}`)

/** The settings that the guide has for both. */
function readSettings(): Record<string, string> {
  const [, block = ''] =
    /settings for both examples below:\s*```ini\n([\s\S]*?)```/.exec(GUIDE) ?? []
  const lines = block.split('\n').filter((line) => line.startsWith('PLIMSOLL_'))
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/) as [string, string]))
}

describe.each(Object.entries(PROXIES))('%s with the configuration of the guide', (_, proxy) => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-proxy-'))
  const ports: Ports = { service: 0, http: 0, https: 0 }
  const children: ChildProcess[] = []
  let key = ''
  let workspace = ''

  /** Through the proxy, with the path as it is written. */
  async function ask(
    method: string,
    path: string,
    more: { body?: Readable; headers?: object } = {},
  ) {
    const sent = request({
      host: '127.0.0.1',
      port: ports.https,
      servername: NAME,
      ca: readFileSync(join(folder, 'cert')),
      method,
      path,
      headers: { host: NAME, authorization: `Bearer ${key}`, ...more.headers },
    })
    const answered = once(sent, 'response') as Promise<[IncomingMessage]>
    if (more.body) await pipeline(more.body, sent)
    else sent.end()
    return (await answered)[0]
  }

  async function create(path: string, body: object): Promise<string> {
    const headers = { 'content-type': 'application/json' }
    const answer = await ask('POST', path, { body: Readable.from([JSON.stringify(body)]), headers })
    const { id } = JSON.parse(await text(answer)) as { id: string }
    return id
  }

  const isAnswered = () =>
    ask('GET', '/openapi.json').then(
      (answer) => {
        answer.resume()
        return answer.statusCode === 200
      },
      () => false,
    )

  beforeAll(async () => {
    if (missing.includes(proxy)) return
    for (const name of ['service', 'http', 'https'] as const) ports[name] = await freePort()
    const pair = ['-keyout', join(folder, 'key'), '-out', join(folder, 'cert')]
    const certificate = [
      '-x509',
      '-nodes',
      '-subj',
      `/CN=${NAME}`,
      '-addext',
      `subjectAltName=DNS:${NAME}`,
    ]
    execFileSync('openssl', ['req', '-newkey', 'rsa:2048', ...certificate, ...pair], {
      stdio: 'pipe',
    })
    const { connectionString } = await createTestDatabase()
    const settings = {
      dataDir: folder,
      port: ports.service,
      managementPort: await freePort(),
      env: { DATABASE_URL: connectionString, ...readSettings() },
    }
    const owner = ['--workspace', 'Acme', '--owner', 'owner@example.com', '--json']
    const { stdout } = await runAdmin(settings, 'bootstrap', ...owner)
    const made = JSON.parse(stdout) as { apiKey: string; workspaceId: string }
    key = made.apiKey
    workspace = `/workspaces/${made.workspaceId}`
    children.push((await startServiceProcess(settings)).child)
    const { child, output } = startProxy(proxy, folder, ports)
    children.unshift(child)
    while (!(await isAnswered())) {
      if (child.exitCode !== null) throw new Error(`${proxy.program} ended:\n${output()}`)
      await delay(50)
    }
  })

  afterAll(async () => {
    for (const child of children) await endProcess(child, 'SIGTERM')
  })

  it.skipIf(missing.includes(proxy))('sends everybody to HTTPS', async () => {
    const { status, headers } = await fetch(`http://127.0.0.1:${ports.http}/openapi.json`, {
      redirect: 'manual',
      headers: { host: NAME },
    })

    expect(status).toBe(308)
    expect(headers.get('location')).toMatch(/^https:\/\//)
  })

  it.skipIf(missing.includes(proxy))(
    'lets a large upload pass whose size is not told',
    async () => {
      const firmware = await create(`${workspace}/firmwares`, { slug: 'gateway' })
      const version = await create(`${workspace}/firmwares/${firmware}/versions`, { name: '1.0' })
      const megabyte = ' '.repeat(1_000_000)
      const bom = ['{"bomFormat":"CycloneDX","specVersion":"1.6","components":[]', '}']
      const body = Readable.from([bom[0], ...Array.from({ length: 40 }, () => megabyte), bom[1]])

      const answer = await ask(
        'POST',
        `${workspace}/firmware-versions/${version}/sboms?fileName=a.json`,
        {
          body,
          headers: { 'content-type': 'application/octet-stream' },
        },
      )

      expect([answer.statusCode, await text(answer)]).toEqual([202, expect.any(String)])
    },
  )

  it.skipIf(missing.includes(proxy))('brings events as they come', async () => {
    const stream = await ask('GET', `${workspace}/events`)
    let heard = ''
    stream.on('data', (chunk: Buffer) => {
      heard += chunk.toString()
    })

    await create(`${workspace}/firmwares`, { slug: 'heard' })

    await expect.poll(() => heard, { timeout: 10_000 }).toContain('"topic":')
    expect(stream.headers['content-type']).toContain('text/event-stream')
    expect(stream.complete).toBe(false)
    stream.destroy()
  })

  it.skipIf(missing.includes(proxy)).each(['/mqtt/auth', '/mqtt/acl', '/mqtt/superuser'])(
    'does not publish %s',
    async (path) => {
      const body = Readable.from(['{}'])
      const answer = await ask('POST', path, {
        body,
        headers: { 'content-type': 'application/json' },
      })

      expect(answer.statusCode).toBe(404)
      expect(await text(answer)).not.toContain('problem')
    },
  )

  it.skipIf(missing.includes(proxy))(
    'states the address that it saw, not what a client forges',
    async () => {
      const statuses = new Set<number | undefined>()
      // An address may try some hundreds of wrong keys a minute.
      for (let turn = 0; turn < 600 && !statuses.has(429); turn += 1) {
        const forged = `198.51.100.${turn % 250}`
        const headers = { authorization: `Bearer plm_wrong${turn}`, 'x-forwarded-for': forged }
        const answer = await ask('GET', '/whoami', { headers })
        answer.resume()
        statuses.add(answer.statusCode)
      }

      expect([...statuses]).toEqual([401, 429])
    },
  )
})
