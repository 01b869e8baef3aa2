/** The service ends when it is told to, whatever its clients do, and tells in words why it cannot start. */
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import { endProcess, freePort, runAdmin, startServiceProcess } from './service-process.ts'

it('stops although a client sends at a crawl', async () => {
  const { connectionString } = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-shutdown-'))
  const settings = {
    dataDir,
    port: await freePort(),
    managementPort: await freePort(),
    env: { DATABASE_URL: connectionString },
  }
  const service = await startServiceProcess(settings)
  const args = ['bootstrap', '--workspace', 'W', '--owner', 'a@example.com', '--json']
  const { workspaceId, apiKey } = JSON.parse((await runAdmin(settings, ...args)).stdout) as {
    workspaceId: string
    apiKey: string
  }
  const authorization = `Bearer ${apiKey}`
  const crawling = request(`${service.url}/workspaces/${workspaceId}/settings`, {
    method: 'PUT',
    headers: { authorization, 'content-type': 'application/json', 'content-length': 1000 },
  })
  crawling.on('error', () => undefined)
  crawling.write('{')
  await delay(300)

  const started = Date.now()
  await endProcess(service.child, 'SIGTERM')

  expect(service.child.exitCode).toBe(0)
  expect(Date.now() - started).toBeLessThan(20_000)
  expect(service.output()).toContain('"msg":"stopped"')
  rmSync(dataDir, { recursive: true, force: true })
})

it.each([
  ['that is away', 'postgres://u:s3cret@127.0.0.1:1/d'],
  ['that cannot be found', 'postgres://u:s3cret@nowhere.invalid/d'],
])('says in words that it needs a database %s, without the password', async (_how, url) => {
  const settings = { dataDir: tmpdir(), port: 1, managementPort: 1, env: { DATABASE_URL: url } }

  const { code, stderr } = await runAdmin(settings, 'key', 'revoke', 'x')

  expect(code).toBe(1)
  expect(stderr).toMatch(/^The database does not let this process in: .*\n$/)
  expect(stderr).not.toContain('s3cret')
})
