/** How far a large decision is, and that it is done as a whole or not at all, through the API. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenFirmwareVersion, givenSbom } from '../../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { newId } from '../../../platform/ids.ts'
import { matchFirmwareVersion } from '../../findings/index.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

/** Findings of one flaw, each in a firmware version of its own. */
async function givenFindings(count: number) {
  const product = `product-${newId()}`
  const cveId = `CVE-2024-${product}`
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  await givenAdvisory(service.ctx.db, { id: cveId, severity: 'Critical', affected })
  const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
  const { workspaceId } = client
  const versionIds: string[] = []
  for (let number = 0; number < count; number++) {
    const firmwareVersionId = await givenFirmwareVersion(service.ctx, workspaceId)
    const version = { workspaceId, firmwareVersionId }
    const components = [{ packageName: product, version: '1.0', cpes }]
    await givenSbom(service.ctx, { ...version, components })
    await matchFirmwareVersion(service.ctx, version)
    versionIds.push(firmwareVersionId)
  }
  return { filter: { cveIds: [cveId] }, versionIds }
}

const decide = (body: object) =>
  client.post('/vulnerability-findings/bulk-assess', { assessment: 'Exploitable', ...body })
const listRuns = async () =>
  (await client.get('/decision-runs?mine=true')).json<{ decisionRuns: Record<string, unknown>[] }>()
    .decisionRuns
const listBatches = async () =>
  (await client.get('/decision-batches')).json<{ decisionBatches: { id: string }[] }>()
    .decisionBatches
const countExploitable = async (filter: object) =>
  (await decide({ filter: { ...filter, assessments: ['Exploitable'] }, dryRun: true })).json<{
    matched: number
  }>().matched

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20)
}

/** Keeps a firmware version from changing until `release`. */
async function holdVersion(firmwareVersionId: string) {
  const released = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = service.ctx.db.transaction().execute(async (tx) => {
    await sql`select from firmware_versions where workspace_id = ${client.workspaceId}
      and id = ${firmwareVersionId} for update`.execute(tx)
    held.resolve()
    await released.promise
  })
  await held.promise
  return async () => {
    released.resolve()
    await holding
  }
}

it('is listed while it goes on, to all its workspace, and has the id that its caller chose', async () => {
  const { filter, versionIds } = await givenFindings(2)
  const decisionBatchId = newId()
  const release = await holdVersion(versionIds[0] ?? '')

  const deciding = decide({ filter, decisionBatchId, expectedMatched: 2 })
  await until(async () => (await listRuns()).length === 1)
  const [run] = await listRuns()
  const foreign = await (await givenClient(service)).get('/decision-runs')
  await release()
  const done = await deciding

  expect(run).toEqual({
    id: decisionBatchId,
    isUndo: false,
    act: 'Assess',
    assessment: 'Exploitable',
    createdByEmail: expect.anything() as string,
    startedAt: expect.any(String) as string,
    state: 'Running',
    findingCount: null,
    doneCount: 0,
  })
  expect(foreign.json()).toEqual({ decisionRuns: [] })
  expect(done.json()).toMatchObject({ changed: 2, decisionBatchId })
  expect(await listRuns()).toEqual([])
})

it('tells how many findings are done while others are still to be decided', async () => {
  const { filter } = await givenFindings(2)
  const decisionBatchId = newId()
  const release = Promise.withResolvers<void>()
  // The entry in the audit log is written last.
  const blocking = service.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table decision_batches in exclusive mode`.execute(tx)
    await release.promise
  })

  const deciding = decide({ filter, decisionBatchId })
  await until(async () => (await listRuns())[0]?.['findingCount'] === 2)
  const meanwhile = await countExploitable(filter)
  release.resolve()
  await blocking
  await deciding

  expect(meanwhile).toBe(0)
  expect(await countExploitable(filter)).toBe(2)
})

it('changes nothing where its connection is killed in the middle, and lists nothing as done', async () => {
  const { filter } = await givenFindings(2)
  const decisionBatchId = newId()
  const release = Promise.withResolvers<void>()
  const blocking = service.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table decision_batches in exclusive mode`.execute(tx)
    await release.promise
  })

  const deciding = decide({ filter, decisionBatchId })
  await until(async () => {
    const { rows } = await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into "decision_batches"%'`.execute(
      service.ctx.db,
    )
    return rows.length > 0
  })
  const failed = await deciding
  release.resolve()
  await blocking

  expect(failed.statusCode).toBeGreaterThanOrEqual(500)
  expect(await listRuns()).toEqual([])
  expect((await listBatches()).map(({ id }) => id)).not.toContain(decisionBatchId)
  expect(await countExploitable(filter)).toBe(0)
  const again = await decide({ filter, decisionBatchId })
  expect(again.json()).toMatchObject({ changed: 2, decisionBatchId })
})

it('is told finding by finding, with what each had before, a page at a time', async () => {
  const { filter, versionIds } = await givenFindings(2)
  await decide({ filter: { ...filter, firmwareVersionIds: versionIds.slice(0, 1) } })
  const decisionBatchId = newId()
  await decide({ filter, assessment: 'Resolved', decisionBatchId })
  const path = `/decision-batches/${decisionBatchId}/findings?limit=1`
  interface Page {
    findings: object[]
    nextCursor?: string
    hasMore: boolean
  }

  const first = (await client.get(path)).json<Page>()
  const second = (await client.get(`${path}&cursor=${first.nextCursor ?? ''}`)).json<Page>()
  const foreign = await (await givenClient(service)).get(path)

  expect(first.hasMore).toBe(true)
  expect(second).toMatchObject({ hasMore: false })
  const [cveId] = filter.cveIds
  const after = { assessment: 'Resolved', ignored: false }
  const rowOf = (id: string | undefined, assessment: string) => ({
    cveId,
    firmwareVersion: { id },
    before: { assessment, ignored: false },
    after,
  })
  expect([...first.findings, ...second.findings]).toMatchObject([
    rowOf(versionIds[0], 'Exploitable'),
    rowOf(versionIds[1], 'NotAssessed'),
  ])
  expect(foreign.statusCode).toBe(404)
})

it('is listed as stopped where its process ended', async () => {
  const { workspaceId } = client
  const id = newId()
  const run = { workspaceId, id, isUndo: false, act: 'Assess', assessment: 'Exploitable' }
  const startedAt = sql<Date>`now() - interval '1 minute'`
  await service.ctx.db
    .insertInto('decisionRuns')
    .values({ ...run, startedAt, findingCount: 31_749, doneCount: 12_000 })
    .execute()

  const listed = (await client.get('/decision-runs')).json<{ decisionRuns: object[] }>()

  expect(listed.decisionRuns).toMatchObject([{ id, state: 'Stopped', doneCount: 12_000 }])
})

it('decides once under one id, and only about as many findings as were expected', async () => {
  const { filter } = await givenFindings(2)
  const decisionBatchId = newId()

  const other = await decide({ filter, decisionBatchId, expectedMatched: 3 })
  const untouched = await countExploitable(filter)
  await decide({ filter, decisionBatchId, expectedMatched: 2 })
  const again = await decide({ filter, decisionBatchId })

  expect(other.statusCode).toBe(409)
  expect(other.json()).toMatchObject({ type: '/problems/findings-changed' })
  expect(untouched).toBe(0)
  expect(again.json()).toMatchObject({ status: 409, type: '/problems/decision-batch-exists' })
})
