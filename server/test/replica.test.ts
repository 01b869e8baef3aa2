/** The service with a read replica: lists and exports come from there, and are right whatever happens to it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { asking } from '../src/platform/asking.ts'
import { Calculators } from '../src/platform/calculators.ts'
import { createPool } from '../src/platform/db/connect.ts'
import { Replica } from '../src/platform/db/replica.ts'
import { startTestApp, type TestWorkspace } from './app.ts'
import type { TriedCalculation } from './calculation.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { givenProduct, givenVersion } from './given-findings.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'
import { type Standby, startStandby } from './standby.ts'

const FINDINGS = 25
const PAGE = 10

let standby: Standby
let settings: ServiceSettings
let service: ServiceProcess
let workspace: TestWorkspace
let firmwareVersionId: string
let cveIds: string[]

beforeAll(async () => {
  standby = await startStandby()
  const given = await startTestApp({}, standby.urlOf('primary'))
  workspace = await given.givenWorkspace()
  const severities = Array.from({ length: FINDINGS }, () => 'High' as const)
  const { cpes, product, ...known } = await givenProduct(given.ctx, severities)
  ;({ cveIds } = known)
  const { workspaceId } = workspace
  const components = [{ packageName: product, cpes }]
  ;({ firmwareVersionId } = await givenVersion(given.ctx, workspaceId, components))
  await given.close()
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-replica-'))
  closeAtEndOfFile(() => rmSync(dataDir, { recursive: true, force: true }))
  const env = {
    DATABASE_URL: standby.urlOf('primary'),
    PLIMSOLL_READ_DATABASE_URL: standby.urlOf('replica'),
  }
  settings = { dataDir, port: await freePort(), managementPort: await freePort(), env }
  service = await startServiceProcess(settings)
  closeAtEndOfFile(() => endProcess(service.child, 'SIGTERM'))
})

async function ask(path: string, body?: object): Promise<string> {
  const response = await fetch(`${service.url}/workspaces/${workspace.workspaceId}${path}`, {
    headers: {
      authorization: `Bearer ${workspace.apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const answer = await response.text()
  if (!response.ok) throw new Error(answer)
  return answer
}

async function askJson<Answer>(path: string, body?: object): Promise<Answer> {
  return JSON.parse(await ask(path, body)) as Answer
}

interface Page {
  findings: { cveId: string }[]
  nextCursor?: string
}

const askPage = (cursor?: string) =>
  askJson<Page>('/vulnerability-findings/list', { limit: PAGE, ...(cursor && { cursor }) })

/** How many requests each server has answered. */
async function answered(): Promise<{ replica: number; primary: number }> {
  const metrics = await (await fetch(`${service.managementUrl}/metrics`)).text()
  const of = (server: string) =>
    Number(
      new RegExp(`^plimsoll_replica_requests_total{answered_by="${server}"} (\\d+)$`, 'm').exec(
        metrics,
      )?.[1],
    )
  return { replica: of('replica'), primary: of('primary') }
}

it('lists from the replica what was written just before', async () => {
  const before = await answered()
  for (let count = 1; count <= 10; count += 1) {
    await ask('/devices', { id: `device-${count}` })

    expect((await askJson<{ devices: unknown[] }>('/devices/list', {})).devices).toHaveLength(count)
  }

  const after = await answered()
  expect(after.replica + after.primary).toBe(before.replica + before.primary + 10)
  await expect.poll(fromReplica).toBe(true)
})

it('goes on with a list at the other server', async () => {
  const before = await answered()
  const first = await askPage()

  await standby.query('replica', 'select pg_wal_replay_pause()')
  await ask('/devices', { id: 'device-while-paused' })
  const second = await askPage(first.nextCursor)
  await standby.query('replica', 'select pg_wal_replay_resume()')
  await expect.poll(fromReplica).toBe(true)
  const third = await askPage(second.nextCursor)

  const pages = [first, second, third]
  const listed = pages.flatMap(({ findings }) => findings.map(({ cveId }) => cveId))
  expect(listed.toSorted()).toEqual(cveIds.toSorted())
  expect(pages.map(({ findings }) => findings.length)).toEqual([PAGE, PAGE, FINDINGS - 2 * PAGE])
  expect((await answered()).primary).toBeGreaterThan(before.primary)
})

/** Whether the replica answers the next list. */
async function fromReplica(): Promise<boolean> {
  const { replica } = await answered()
  await ask('/devices/list', {})
  return (await answered()).replica > replica
}

it('exports from the replica, in another process', async () => {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/export?format=csv`
  const csv = await ask(path)

  expect(csv.trim().split('\r\n')).toHaveLength(FINDINGS + 1)
  const calculators = `select 1 from pg_stat_activity where application_name = 'plimsoll-calculator'`
  expect(await standby.query('replica', calculators)).toHaveLength(1)
  expect(await standby.query('primary', calculators)).toEqual([])
})

it('begins a calculation again at the primary when the replica is killed', async () => {
  const open = (name: 'primary' | 'replica') => {
    const connectionString = standby.urlOf(name)
    const pool = createPool({ connectionString, poolSize: 1, onError: () => undefined })
    closeAtEndOfFile(() => pool.end())
    return pool
  }
  const state = new Replica({ primary: open('primary'), replica: open('replica') })
  const calculators = new Calculators({
    connectionString: standby.urlOf('primary'),
    isOwnServer: false,
    replica: { connectionString: standby.urlOf('replica'), state },
  })
  closeAtEndOfFile(() => calculators.close())
  const module = pathToFileURL(resolve(import.meta.dirname, 'calculation.ts'))
  const asked: TriedCalculation = { kind: 'writeWaiting', lines: 20_000, mark: 'waiting' }
  const read = { statementMs: 0, hungUp: new AbortController().signal }
  const written = asking.run({ workspaceId: 'w', read }, () => calculators.text(module, asked))
  const waiting = `select 1 from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'`
  await expect.poll(() => standby.query('replica', waiting)).toHaveLength(1)

  await standby.kill()

  const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line} ä\n`)
  expect((await text(await written)) === lines.join('')).toBe(true)
  expect(state.counts).toEqual({ replica: 1, primary: 0, failed: 1 })
})

it('answers without the replica, says so, and uses it when it is back', async () => {
  const [health, status] = [
    async () => (await fetch(`${service.managementUrl}/health/ready`)).json(),
    async () => (await runAdmin(settings, 'status')).stdout,
  ]
  const listed = await askPage()

  expect(listed.findings).toHaveLength(PAGE)
  expect(await health()).toMatchObject({ status: 'ok', readReplica: { isThere: false } })
  expect(await status()).toMatch(/^! read replica: +does not answer/m)

  await standby.restart()
  await expect.poll(fromReplica).toBe(true)
  expect(await askPage()).toEqual({ ...listed, nextCursor: expect.any(String) as string })
  expect(await health()).toMatchObject({ readReplica: { isThere: true, bytesBehind: 0 } })
  expect(await status()).toMatch(/^ {2}read replica: +0 bytes behind/m)
})
