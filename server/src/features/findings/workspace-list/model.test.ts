/**
 * The lists over a workspace beside a plain model, which reads all facts and knows nothing of what the workspace keeps: random
 * workspaces, filters, orders and pages.
 */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { ASSESSMENTS } from '../../../formats/assessments.ts'
import { WORKSPACE_SORT_COLUMNS } from '../schemas.ts'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { SHALLOW } from '../../../../test/doctor.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  cpeOf,
  givenDecision,
  givenProduct,
  givenRunning,
  givenVersion,
} from '../../../../test/given-findings.ts'
import { removeSbom } from '../../../../test/given-inventory.ts'
import { findingChecks } from '../checks-store.ts'
import { PREVALENCES, WELL_BEINGS } from '../../ssvc/index.ts'
import { COMPONENT_ORDERS, VULNERABILITY_ORDERS } from './groups-store.ts'
import {
  type ModelFilter,
  type ModelList,
  modelOf,
  readFacts,
} from '../../../../test/list-model.ts'

const SEVERITIES = ['Critical', 'High', 'Medium', 'Low', 'None', 'Unknown'] as const
const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 0, 1)
const dayAt = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString()

let byOrder: TestApp
let byFilter: TestApp
beforeAll(async () => {
  byOrder = await startTestApp({ fewMatches: 0 })
  byFilter = await startTestApp({ fewMatches: 10_000 }, byOrder.connectionString)
})

interface World {
  client: Client
  products: string[]
  cveIds: string[]
  firmwareVersionIds: string[]
}

/** Products in two releases, in versions that hold some of them; decisions, devices, exploits, and times of all kinds. */
async function givenWorld(random: (below: number) => number): Promise<World> {
  const { ctx } = byOrder
  const client = await givenClient(byOrder)
  const { workspaceId } = client
  const products = []
  for (let index = 0; index < 4; index++) {
    const severities = Array.from({ length: 1 + random(4) }, () => SEVERITIES[random(6)] ?? 'High')
    const product = await givenProduct(ctx, severities, { score: random(3) * 2.5 })
    products.push(product)
  }
  const versions = []
  for (let index = 0; index < 5; index++) {
    const held = products.flatMap(({ product }) =>
      ['1.0', '1.1']
        .filter(() => random(2) === 0)
        .map((version) => ({ packageName: product, version, cpes: [cpeOf(product, version)] })),
    )
    versions.push(await givenVersion(ctx, workspaceId, held))
  }
  const cveIds = products.flatMap((product) => product.cveIds)
  for (const version of versions)
    for (const vulnerabilityId of cveIds)
      if (random(3) === 0)
        await givenDecision(ctx, version, {
          vulnerabilityId,
          assessment: ASSESSMENTS[random(6)] ?? 'NotAssessed',
          ignored: random(4) === 0,
        })
  const [first, second, third] = versions
  if (!first || !second || !third) throw new Error('There are five versions.')
  await givenRunning(ctx, 1 + random(200), first)
  await givenRunning(ctx, 1 + random(9), first, second)
  await givenSsvc(client, versions, random)
  await scatter(cveIds, random)
  await removeSbom(ctx, third)
  for (const { repair } of findingChecks) await repair?.(ctx, workspaceId, SHALLOW)
  return {
    client,
    products: products.map(({ product }) => product),
    cveIds,
    firmwareVersionIds: versions.map(({ firmwareVersionId }) => firmwareVersionId),
  }
}

/** Half of the products are known, so that packages stand in several contexts. */
async function givenSsvc(
  client: Client,
  versions: readonly { firmwareVersionId: string }[],
  random: (below: number) => number,
) {
  const { rows } = await sql<{ firmwareId: string }>`
    select firmware_id from firmware_versions
    where id = any(${versions.map((one) => one.firmwareVersionId)}::uuid[]) order by id`.execute(
    byOrder.ctx.db,
  )
  const products = rows
    .filter(() => random(2) === 0)
    .map(({ firmwareId }) => ({
      firmwareId,
      missionPrevalence: PREVALENCES[random(3)],
      publicWellBeing: WELL_BEINGS[random(3)],
    }))
  const settings = {
    tree: random(2) === 0 ? 'Fleet' : 'Cisa',
    manyDevices: 5,
    products,
    cohorts: [],
  }
  const response = await client.put('/ssvc', settings)
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
}

/** Gives matches other times, confidences and ratings, as if knowledge had changed meanwhile. */
async function scatter(cveIds: readonly string[], random: (below: number) => number) {
  const { db } = byOrder.ctx
  for (const id of cveIds) {
    const confidence = ['High', 'Medium', 'Low'][random(3)]
    const isExploited = random(4) === 0
    await sql`
      update package_matches set confidence = ${confidence}, is_exploited = ${isExploited},
        since = ${dayAt(random(20))}::timestamptz where vulnerability_id = ${id}`.execute(db)
    await sql`update vulnerabilities set ssvc_class = ${random(36)} where id = ${id}`.execute(db)
    if (random(2) === 0)
      await sql`
        insert into epss_scores (cve_id, score, percentile) values (${id}, ${random(4) / 8}, 0.5)`.execute(
        db,
      )
    await sql`update finding_decisions set recheck_reason = 'RecordChanged'
      where vulnerability_id = ${id} and ${random(3) === 0}`.execute(db)
  }
}

const filters = ({ products, cveIds, firmwareVersionIds }: World): fc.Arbitrary<ModelFilter> => {
  const some = <Value>(values: readonly Value[]) => fc.subarray([...values], { minLength: 1 })
  const named = fc.constantFrom('Flaw 1', ...products, ...cveIds, '1', 'nothing')
  return fc
    .record(
      {
        severities: some(SEVERITIES),
        assessments: some(ASSESSMENTS),
        confidences: some(['High', 'Medium', 'Low'] as const),
        ignored: fc.boolean(),
        activeOnly: fc.constant(true),
        exploited: fc.boolean(),
        detectedSince: fc.nat(20).map(dayAt),
        affectedDevicesOnly: fc.constant(true),
        recheck: fc.boolean(),
        ssvcOutcomes: some(['Track', 'Track*', 'Attend', 'Act']),
        cveIds: some(cveIds),
        name: fc.array(
          named.map((contains) => ({ contains })),
          { minLength: 1, maxLength: 2 },
        ),
        components: some(products.map((packageName) => ({ packageName }))),
        firmwareVersionIds: some(firmwareVersionIds),
      },
      { requiredKeys: [] },
    )
    .map((filter) => {
      // Most filters of many conditions find nothing.
      const keys = Object.keys(filter)
      return Object.fromEntries(
        Object.entries(filter).filter((_, at) => at % 4 === keys.length % 4),
      )
    })
}

const lists: fc.Arbitrary<ModelList> = fc.oneof(
  fc.record({
    of: fc.constant('Finding' as const),
    sortColumn: fc.constantFrom(...WORKSPACE_SORT_COLUMNS),
  }),
  fc.record({
    of: fc.constant('Vulnerability' as const),
    sortColumn: fc.constantFrom(...Object.keys(VULNERABILITY_ORDERS)),
  }),
  fc.record({
    of: fc.constant('Component' as const),
    sortColumn: fc.constantFrom(...Object.keys(COMPONENT_ORDERS)),
  }),
)

const PATHS = {
  Finding: '/vulnerability-findings/list',
  Vulnerability: '/vulnerabilities/list',
  Component: '/vulnerable-components/list',
}

interface Page {
  findings?: { cveId: string; packageId: string }[]
  vulnerabilities?: { cveId: string }[]
  components?: { name: string }[]
  nextCursor?: string
  totalCount: number
}

/** All pages of the list. */
async function listAll(
  { app }: TestApp,
  client: Client,
  { of, sortColumn }: ModelList,
  body: { limit: number },
) {
  const rows: string[] = []
  let cursor: string | undefined
  do {
    const response = await app.inject({
      method: 'POST',
      url: `/workspaces/${client.workspaceId}${PATHS[of]}`,
      headers: { authorization: `Bearer ${client.apiKey}` },
      payload: { ...body, sortColumn, cursor },
    })
    expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
    const page = response.json<Page>()
    for (const one of page.findings ?? []) rows.push(`${one.cveId} ${one.packageId}`)
    for (const one of page.vulnerabilities ?? []) rows.push(one.cveId)
    for (const one of page.components ?? []) rows.push(one.name)
    cursor = page.nextCursor
    if (cursor === undefined) expect(page.totalCount).toBe(rows.length)
  } while (cursor !== undefined)
  return rows
}

/** Mulberry32. */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

it.each([1, 2, 3])('lists what the facts say, in workspace %i', async (seed) => {
  const world = await givenWorld(randomOf(seed))
  const facts = await readFacts(byOrder.ctx.db, world.client.workspaceId)
  await fc.assert(
    fc.asyncProperty(
      filters(world),
      lists,
      fc.boolean(),
      fc.constantFrom(2, 5, 100),
      async (filter, list, ascending, limit) => {
        const expected = modelOf(facts, { filter, list, ascending })
        const body = { filter, ascending, limit }
        for (const app of [byOrder, byFilter])
          expect(await listAll(app, world.client, list, body)).toEqual(expected)
      },
    ),
    { numRuns: 80, seed },
  )
})
