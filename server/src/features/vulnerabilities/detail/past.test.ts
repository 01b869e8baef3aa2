/** One vulnerability at a past instant, through the API. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenClient } from '../../../../test/given.ts'
import {
  givenDecision,
  givenProduct,
  givenRunning,
  givenVersion,
} from '../../../../test/given-findings.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

/** An instant between what was before and what comes after. */
async function anInstant(): Promise<string> {
  const pause = () => new Promise((resolve) => setTimeout(resolve, 5))
  await pause()
  const at = test.ctx.now().toISOString()
  await pause()
  return at
}

it('tells where it was found and what was decided then, and nothing that is kept of now alone', async () => {
  const client = await givenClient(test)
  const { workspaceId } = client
  const { cpes, cveIds } = await givenProduct(test.ctx, ['High'])
  const vulnerabilityId = cveIds[0] ?? ''
  const read = async (asOf: string) => {
    const address = `/vulnerabilities/${vulnerabilityId}/past?asOf=${encodeURIComponent(asOf)}`
    const response = await client.get(address)
    expect([response.statusCode, response.body.slice(0, 300)]).toEqual([200, expect.anything()])
    return response.json<object>()
  }
  const held = [{ packageName: 'thing', version: '1.0', cpes }]
  const before = await anInstant()
  const first = await givenVersion(test.ctx, workspaceId, held)
  await givenDecision(test.ctx, first, { vulnerabilityId, assessment: 'NotAffected' })
  const between = await anInstant()
  await givenDecision(test.ctx, first, { vulnerabilityId, assessment: 'Exploitable' })
  await givenVersion(test.ctx, workspaceId, held)
  await givenRunning(test.ctx, 3, first)
  const now = await anInstant()

  const then = await read(between)

  expect(await read(before)).toMatchObject({
    findingCount: 0,
    firmwareVersionCount: 0,
    detectedAt: null,
    findings: [],
    timeline: [],
    lookedAt: { firmwareVersionCount: 0, packageCount: 0 },
  })
  expect(then).toMatchObject({
    cveId: vulnerabilityId,
    findingCount: 1,
    activeFindingCount: 0,
    firmwareVersionCount: 1,
    findings: [
      {
        firmwareVersion: { id: first.firmwareVersionId },
        severity: 'High',
        assessment: 'NotAffected',
        isActive: false,
      },
    ],
    timeline: [{ assessment: 'NotAffected' }],
    lookedAt: null,
  })
  expect(JSON.stringify(then)).not.toMatch(/device|epss|"mark"|dueAt|fixed/i)
  expect(await read(now)).toMatchObject({
    findingCount: 2,
    activeFindingCount: 2,
    findings: [{ isActive: true }, { isActive: true }],
    timeline: [{ assessment: 'Exploitable' }, { assessment: 'NotAffected' }],
  })
})

it('names no list of exploited vulnerabilities that it came to later', async () => {
  const client = await givenClient(test)
  const { cveIds } = await givenProduct(test.ctx, ['High'])
  const [cveId = ''] = cveIds
  await sql`insert into kev_entries (cve_id, date_added, details) values (${cveId}, '2026-02-01', '{}')`.execute(
    test.ctx.db,
  )
  const listed = async (asOf: string) => {
    const response = await client.get(`/vulnerabilities/${cveId}/past?asOf=${asOf}`)
    return response.json<{ exploitedSources: object[] }>().exploitedSources.length
  }

  expect(await listed('2026-01-31T00:00:00Z')).toBe(0)
  expect(await listed('2026-02-02T00:00:00Z')).toBe(1)
})

it.each`
  asked                                              | status
  ${'CVE-2026-31431/past'}                           | ${400}
  ${'CVE-2026-31431/past?asOf=2999-01-01T00:00:00Z'} | ${400}
  ${'no-such-id/past?asOf=2026-01-01T00:00:00Z'}     | ${404}
`('answers $status to $asked', async ({ asked, status }: { asked: string; status: number }) => {
  const client = await givenClient(test)

  expect((await client.get(`/vulnerabilities/${asked}`)).statusCode).toBe(status)
})
