/** Random workspaces, filters, orders and pages of the lists over a workspace, for tests that compare them with a plain model. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { ASSESSMENTS } from '../src/formats/assessments.ts'
import { WORKSPACE_SORT_COLUMNS } from '../src/features/findings/schemas.ts'
import { findingChecks } from '../src/features/findings/checks-store.ts'
import {
  COMPONENT_ORDERS,
  VULNERABILITY_ORDERS,
} from '../src/features/findings/workspace-list/groups-store.ts'
import { PREVALENCES, WELL_BEINGS } from '../src/features/ssvc/index.ts'
import type { TestApp } from './app.ts'
import { SHALLOW } from './doctor.ts'
import { type Client, givenClient } from './given.ts'
import { cpeOf, givenDecision, givenProduct, givenRunning, givenVersion } from './given-findings.ts'
import { removeSbom } from './given-inventory.ts'
import type { ModelFilter, ModelList } from './list-model.ts'

export const SEVERITIES = ['Critical', 'High', 'Medium', 'Low', 'None', 'Unknown'] as const
export const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 0, 1)
export const dayAt = (day: number) => new Date(FIRST_DAY + day * DAY_MS).toISOString()

export interface World {
  client: Client
  products: string[]
  cveIds: string[]
  firmwareVersionIds: string[]
}

/** Products in two releases, in versions that hold some of them; decisions, devices, exploits, and times of all kinds. */
export async function givenWorld(test: TestApp, random: (below: number) => number): Promise<World> {
  const { ctx } = test
  const client = await givenClient(test)
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
  await givenSsvc(test, { client, versions, random })
  await scatter(test, cveIds, random)
  await scatterFacts(test, workspaceId, random)
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
  test: TestApp,
  {
    client,
    versions,
    random,
  }: {
    client: Client
    versions: readonly { firmwareVersionId: string }[]
    random: (below: number) => number
  },
) {
  const { rows } = await sql<{ firmwareId: string }>`
    select firmware_id from firmware_versions
    where id = any(${versions.map((one) => one.firmwareVersionId)}::uuid[]) order by id`.execute(
    test.ctx.db,
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
async function scatter(
  { ctx: { db } }: TestApp,
  cveIds: readonly string[],
  random: (below: number) => number,
) {
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

/** Versions hold packages since days of all kinds. */
async function scatterFacts(
  { ctx: { db } }: TestApp,
  workspaceId: string,
  random: (below: number) => number,
) {
  const { rows } = await sql<{ firmwareVersionId: string; packageId: string }>`
    select firmware_version_id, package_id from firmware_version_packages where workspace_id = ${workspaceId}
    order by firmware_version_id, package_id`.execute(db)
  for (const { firmwareVersionId, packageId } of rows)
    await sql`
      update firmware_version_packages set since = ${dayAt(random(20))}::timestamptz
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
        and package_id = ${packageId}`.execute(db)
}

export const filters = ({
  products,
  cveIds,
  firmwareVersionIds,
}: World): fc.Arbitrary<ModelFilter> => {
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

export const lists: fc.Arbitrary<ModelList> = fc.oneof(
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
export async function listAll(
  { app }: TestApp,
  client: Client,
  { of, sortColumn }: ModelList,
  body: { limit: number; filter?: ModelFilter; ascending?: boolean },
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
export function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
