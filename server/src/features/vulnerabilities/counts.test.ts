/** The numbers on filter chips are the totals of the lists. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { cpeOf, givenDecision, givenProduct, givenVersion } from '../../../test/given-findings.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp({ fewMatches: 0 })
})

interface Chip {
  filter: object
  totalCount: number
}
type Counts = Record<
  'toDecide' | 'mine' | 'exploited' | 'newSince' | 'overdue' | 'recheck',
  Chip | null
> & {
  bySeverity: (Chip & { severity: string })[] | null
  bySsvc: null
  bySsvcOutcome: null
}

async function count(client: Client, body: object = {}): Promise<Counts> {
  const response = await client.post('/vulnerability-findings/counts', body)
  expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
  return response.json<Counts>()
}

/** Of two components with the same two flaws, and one with an exploited flaw; some are decided. */
async function givenFindings(client: Client) {
  const { ctx } = service
  const flawed = await givenProduct(ctx, ['Critical', 'High', 'Low'])
  const exploited = await givenProduct(ctx, ['Medium'], { isKnownExploit: true })
  const version = await givenVersion(ctx, client.workspaceId, [
    { packageName: 'a', version: '1.0', cpes: [cpeOf(flawed.product, '1.0')] },
    { packageName: 'b', version: '1.5', cpes: [cpeOf(flawed.product, '1.5')] },
    { packageName: 'c', version: '1.0', cpes: [cpeOf(exploited.product, '1.0')] },
  ])
  const [critical = '', high = ''] = flawed.cveIds
  await givenDecision(ctx, version, { vulnerabilityId: critical, assessment: 'Exploitable' })
  await givenDecision(ctx, version, {
    vulnerabilityId: high,
    assessment: 'NotAffected',
    recheckReason: 'The evidence changed.',
  })
  return version
}

async function expectTotalsOfLists(client: Client, body: { groupBy?: string; filter?: object }) {
  const path = body.groupBy === 'Finding' ? '/vulnerability-findings/list' : '/vulnerabilities/list'
  const { bySeverity, mine, bySsvc, bySsvcOutcome, ...single } = await count(client, body)
  // A key looks after nothing, and outcomes are counted only where they are asked for.
  expect([mine, bySsvc, bySsvcOutcome]).toEqual([null, null, null])
  for (const [chip, counted] of [
    ...Object.entries(single),
    ...(bySeverity ?? []).map((one) => [one.severity, one] as const),
  ]) {
    const listed = await client.post(path, { filter: counted?.filter, limit: 1 })
    expect([chip, counted?.totalCount]).toEqual([
      chip,
      listed.json<{ totalCount: number }>().totalCount,
    ])
  }
}

it('counts the rows that the lists have with the filter of each chip', async () => {
  const client = await givenClient(service)
  await givenFindings(client)

  const byVulnerability = await count(client)
  const byFinding = await count(client, { groupBy: 'Finding' })

  expect(byVulnerability).toMatchObject({
    toDecide: { totalCount: 2 },
    exploited: { totalCount: 1 },
    newSince: { totalCount: 3 },
    overdue: { totalCount: 0 },
    recheck: { totalCount: 1 },
  })
  expect(byVulnerability.bySeverity?.map(({ totalCount }) => totalCount)).toEqual([
    1, 1, 1, 1, 0, 0,
  ])
  expect(byFinding).toMatchObject({
    toDecide: { totalCount: 3 },
    exploited: { totalCount: 1 },
    newSince: { totalCount: 5 },
    recheck: { totalCount: 2 },
  })
  for (const groupBy of ['Vulnerability', 'Finding'])
    for (const filter of [{}, { activeOnly: true, severities: ['Critical', 'Low'] }])
      await expectTotalsOfLists(client, { groupBy, filter })
})

it('counts as overdue what is active and was detected longer ago than its severity is given', async () => {
  const client = await givenClient(service)
  await givenFindings(client)
  const since = (days: number) => new Date(Date.now() - days * 86_400_000)
  const move = async (days: number) => {
    const { db } = service.ctx
    const [detectedAt, { workspaceId }] = [since(days), client]
    await db
      .updateTable('workspaceMatches')
      .set({ detectedAt })
      .where('workspaceId', '=', workspaceId)
      .execute()
    await db
      .updateTable('workspaceComponentVulnerabilities')
      .set({ firstDetectedAt: detectedAt, lastDetectedAt: detectedAt })
      .where('workspaceId', '=', workspaceId)
      .execute()
  }
  const { remediationTargetDays: targets } = (await client.get('/settings')).json<{
    remediationTargetDays: Record<'Critical' | 'Medium' | 'Low', number>
  }>()
  const overdue = async (groupBy: string) =>
    (await count(client, { groupBy, chips: ['overdue'] })).overdue?.totalCount

  await move(targets.Critical + 1)
  const soon = [await overdue('Vulnerability'), await overdue('Finding')]
  await move(targets.Low + 1)

  expect(soon).toEqual([1, 2])
  // The high ones are closed.
  expect([await overdue('Vulnerability'), await overdue('Finding')]).toEqual([3, 5])
  for (const groupBy of ['Vulnerability', 'Finding']) await expectTotalsOfLists(client, { groupBy })
})

it('counts only what is asked for, and nothing of another workspace', async () => {
  const [client, stranger] = [await givenClient(service), await givenClient(service)]
  await givenFindings(client)

  const { bySeverity, bySsvc, toDecide, ...others } = await count(stranger, { chips: ['toDecide'] })

  expect(toDecide?.totalCount).toBe(0)
  expect([bySeverity, bySsvc, ...Object.values(others)]).toEqual([
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
  ])
  const refused = await client.post('/vulnerability-findings/counts', { newSince: '2026-13-01' })
  expect(refused.statusCode).toBe(400)
})
