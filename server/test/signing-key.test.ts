/** Rotating the key that signs links, by the operator's command, beside nodes that run. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient, givenFirmwareVersion } from './given.ts'
import { runAdmin } from './service-process.ts'

let running: TestApp
let client: Client
let versionId: string

beforeAll(async () => {
  running = await startTestApp()
  client = await givenClient(running)
  versionId = await givenFirmwareVersion(client)
})

async function rotate(...args: string[]) {
  const { config } = running.ctx
  const env = { DATABASE_URL: running.connectionString }
  const settings = { dataDir: config.dataDir, port: 0, managementPort: 0, env }
  const { code, stdout, stderr } = await runAdmin(settings, 'signing-key', 'rotate', ...args)
  return { code, stderr, printed: stdout }
}

/** As if so many seconds had passed. */
async function passSeconds(seconds: number): Promise<void> {
  await sql`
    update secrets set begins_at = begins_at - ${seconds} * interval '1 second',
      ends_at = ends_at - ${seconds} * interval '1 second'
    where name like 'signing%'`.execute(running.ctx.db)
}

/** A node that starts now. */
const startNode = () => startTestApp({ blobs: running.ctx.config.blobs }, running.connectionString)

async function readLink(node: TestApp): Promise<string> {
  const headers = { authorization: `Bearer ${client.apiKey}` }
  const url = `/workspaces/${client.workspaceId}/firmware-versions/${versionId}/badge`
  return (await node.app.inject({ url, headers })).json<{ url: string }>().url
}

async function open(node: TestApp, link: string): Promise<number> {
  const { pathname, search } = new URL(link)
  return (await node.app.inject({ url: pathname + search })).statusCode
}

it('lets old links work during the overlap on all nodes, and no longer', async () => {
  const old = await readLink(running)

  const { code, printed } = await rotate('--overlap', '24h')
  const before = await startNode()
  const signedBefore = await readLink(before)
  await passSeconds(21)
  const during = await startNode()
  const next = await readLink(during)
  const statuses = [await open(during, old), await open(during, next), await open(before, next)]
  await passSeconds(24 * 3_600)
  const after = await startNode()

  expect(code).toBe(0)
  expect(printed).toMatch(/^beginsAt: .*Z\nformerEndsAt: .*Z\n$/)
  expect(signedBefore).toBe(old)
  expect(next).not.toBe(old)
  expect(statuses).toEqual([200, 200, 200])
  expect([await open(after, old), await open(after, next)]).toEqual([404, 200])
})

it('reaches a node that runs within ten seconds, and ends old links with --now', async () => {
  const old = await readLink(running)
  await rotate('--now')
  await passSeconds(21)

  const deadline = Date.now() + 15_000
  while ((await open(running, old)) === 200 && Date.now() < deadline) await delay(250)

  expect(await open(running, old)).toBe(404)
  expect(await open(running, await readLink(running))).toBe(200)
  const { rows } = await sql`select from secrets where name like 'signing%'`.execute(running.ctx.db)
  await rotate()
  const kept = await sql`select from secrets where name like 'signing%'`.execute(running.ctx.db)
  expect([rows.length, kept.rows.length]).toEqual([2, 2])
}, 60_000)

it('refuses an overlap that is no time', async () => {
  const { code, stderr } = await rotate('--overlap', 'long')

  expect([code, stderr]).toEqual([1, '--overlap: long is not a time such as 24h or 30d.\n'])
})
