/** The report of a quarter: what it counts, and that it is the same next year. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenMatchedSbom } from '../../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

const HOSTILE = '=cmd()|<b>Intruder</b>'

let test: TestApp
let client: Client
let lineId: string
let caseId: string
let versionId: string

const at = (instant: string) => {
  const now = Date.parse(instant)
  test.ctx.now = () => new Date(now)
}

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  const post = async (path: string, body: object) => {
    const answer = await client.post(path, body)
    expect([answer.body, answer.statusCode < 300]).toEqual([answer.body, true])
    return answer.json<{ id: string }>()
  }
  at('2026-07-10T09:00:00Z')
  await givenAdvisory(test.ctx.db, {
    id: 'CVE-2026-0001',
    severity: 'Critical',
    affected: [affectedIn('cpe:acme:widget', [{ fixed: '2.0' }])],
  })
  await givenAdvisory(test.ctx.db, {
    id: 'CVE-2026-0002',
    severity: 'High',
    affected: [affectedIn('cpe:acme:widget', [{ fixed: '2.0' }])],
  })
  const firmware = await post('/firmwares', { slug: 'gateway', name: 'Gateway' })
  const other = await post('/firmwares', { slug: 'other', name: 'Other' })
  versionId = (
    await post(`/firmwares/${firmware.id}/versions`, { name: '1.0', securityOnly: true })
  ).id
  await post(`/firmwares/${other.id}/versions`, { name: '9.0' })
  await givenMatchedSbom(
    test.ctx,
    { workspaceId: client.workspaceId, firmwareVersionId: versionId },
    [{ packageName: 'widget', version: '1.0', cpes: ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*'] }],
  )
  lineId = (
    await post('/product-lines', {
      name: 'Edge',
      manufacturer: 'Acme',
      firmwareIds: [firmware.id],
      supportEndsIn: '2031-12',
    })
  ).id
  caseId = (await post('/cases', { type: 'Incident', title: HOSTILE, productLineIds: [lineId] })).id
  await post(`/cases/${caseId}/awareness`, { awareAt: '2026-07-10T08:00:00.000Z' })
  at('2026-07-10T12:00:00Z')
  const report = { text: 'Seen', submittedAt: '2026-07-10T12:00:00.000Z', reference: 'SRP-1' }
  await post(`/cases/${caseId}/reports`, { ...report, stage: 'EarlyWarning' })
  at('2026-07-20T12:00:00Z')
  const late = { text: 'More', submittedAt: '2026-07-20T12:00:00.000Z', reference: 'SRP-2' }
  await post(`/cases/${caseId}/reports`, { ...late, stage: 'Notification' })
  await post('/cases', {
    type: 'Incident',
    title: 'Practice',
    isDrill: true,
    productLineIds: [lineId],
  })
  at('2026-08-01T09:00:00Z')
  await decide('CVE-2026-0002', 'NotAffected')
  at('2026-10-05T09:00:00Z')
})

const decide = async (cveId: string, assessment: string) => {
  const answer = await client.post('/vulnerability-findings/bulk-assess', {
    filter: { cveIds: [cveId] },
    assessment,
    justification: 'vulnerable_code_not_present',
  })
  expect([answer.body, answer.statusCode < 300]).toEqual([answer.body, true])
}

const readReport = (query: string, by = client) => by.get(`/quarterly-report?${query}`)
const readTable = async (query: string) => {
  const answer = await client.get(`/quarterly-report/export?${query}`)
  expect([answer.statusCode === 200 ? '' : answer.body, answer.statusCode]).toEqual(['', 200])
  const [, ...rows] = answer.body.split('\r\n').filter((row) => row !== '')
  return rows.map((row) => row.split(',').slice(0, 5))
}

it('counts findings that came and went, clocks kept and late, submissions and versions of the line', async () => {
  const rows = await readTable(`quarter=2026-Q3&productLineId=${lineId}`)

  expect(rows).toEqual(
    expect.arrayContaining([
      ['findings', 'Critical', 'detected', '', '1'],
      ['findings', 'Critical', 'openAfter', '', '1'],
      ['findings', 'High', 'detected', '', '1'],
      ['findings', 'High', 'closed', '', '1'],
      ['findings', 'High', 'openBefore', '', '0'],
      ['cases', '', 'begun', '', '1'],
      ['cases', '', 'drills', '', '1'],
      ['clock', '', 'early warning', 'kept', '1'],
      ['clock', '', 'notification', 'late', '1'],
      ['version', 'Gateway', '1.0', 'security only', ''],
      ['support', 'Edge', '', '2031-12', ''],
    ]),
  )
  expect(rows.filter(([section]) => section === 'version')).toHaveLength(1)
  expect(rows.filter(([section]) => section === 'submission')).toHaveLength(2)
})

it('is the same next year, whatever is decided, corrected and recorded since', async () => {
  const before = await readTable(`quarter=2026-Q3&productLineId=${lineId}`)
  at('2027-10-05T09:00:00Z')
  await decide('CVE-2026-0001', 'FalsePositive')
  const closed = await client.post(`/cases/${caseId}/close`, { reason: 'Over' })
  const reopened = await client.post(`/cases/${caseId}/reopen`, { reason: 'Not over' })

  expect([closed.statusCode < 500, reopened.statusCode < 500]).toEqual([true, true])
  at('2027-10-06T09:00:00Z')
  expect(await readTable(`quarter=2026-Q3&productLineId=${lineId}`)).toEqual(before)
  const rows = await readTable(`quarter=2027-Q4&productLineId=${lineId}`)
  expect(rows).toEqual(
    expect.arrayContaining([
      ['findings', 'Critical', 'openBefore', '', '1'],
      ['findings', 'Critical', 'closed', '', '1'],
      ['findings', 'Critical', 'detected', '', '0'],
    ]),
  )
})

it('is a page that runs nothing, escapes markup, and says whether the quarter is over', async () => {
  at('2026-10-05T09:00:00Z')
  const { statusCode, body } = await readReport('quarter=2026-Q3')
  const current = await readReport('quarter=2026-Q4')

  expect(statusCode).toBe(200)
  expect(body).not.toMatch(/<script|<img|<link|<iframe|\son\w+=/i)
  expect(body).toContain('=cmd()|&lt;b&gt;Intruder&lt;/b&gt;')
  expect(body).toContain('The quarter is over.')
  expect(body).toContain('Time to triage')
  expect(body).toContain('devices of these days were not counted')
  expect(current.body).toContain('The quarter is not over')
  expect((await client.get('/quarterly-report/export?quarter=2026-Q3')).body).toContain("'=cmd()|")
})

it('shows no case to somebody who may not read cases', async () => {
  const apiKey = await test.givenKey(client.workspaceId, ['Vulnerabilities: read'])
  const { statusCode, body } = await test.app.inject({
    method: 'GET',
    url: `/workspaces/${client.workspaceId}/quarterly-report?quarter=2026-Q3`,
    headers: { authorization: `Bearer ${apiKey}` },
  })

  expect(statusCode).toBe(200)
  expect(body).toContain('may not read cases')
  expect(body).not.toContain('Intruder')
})

it.each`
  query                                 | status
  ${'quarter=2026-Q5'}                  | ${400}
  ${'quarter=2999-Q1'}                  | ${400}
  ${''}                                 | ${400}
  ${'quarter=2026-Q3&productLineId=no'} | ${404}
`('answers $status to "$query"', async ({ query, status }) => {
  expect((await readReport(query as string)).statusCode).toBe(status)
})

it('has nothing of another workspace', async () => {
  const other = await givenClient(test)

  expect((await readReport(`quarter=2026-Q3&productLineId=${lineId}`, other)).statusCode).toBe(404)
  expect((await readReport('quarter=2026-Q3', other)).body).not.toContain('Gateway')
})
