/** Rules about reports of cases: each step of a clock is told once, by a mail, also after an outage. */
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { firingSeries, HOUR, statuses, underClock } from '../../../test/given-non-metric-rules.ts'
import { confirmByLink, givenTarget } from '../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import type { CaseDeadlineCondition } from '../alert-rules/index.ts'
import type { Notice } from '../notifications/index.ts'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  clock = underClock(test)
})

const now = () => test.ctx.now().toISOString()

async function givenOpen(title: string, more: object = {}): Promise<string> {
  const body = { type: 'Vulnerability', title, productLineIds: [], ...more }
  const { id } = (await client.post('/cases', body)).json<{ id: string }>()
  expect((await client.post(`/cases/${id}/awareness`, { awareAt: now() })).statusCode).toBe(200)
  return id
}

const ruleOf = (condition: Partial<CaseDeadlineCondition> = {}) =>
  clock.rule(client.workspaceId, {
    type: 'CaseDeadline',
    condition: { includesDrills: true, includesGoodPractice: true, ...condition },
  })

const labels = async (rule: string) => (await firingSeries(test, rule)).map(({ label }) => label)
const steps = async (rule: string) =>
  (await firingSeries(test, rule)).map(({ series }) => series.split('/').slice(1).join('/'))

it('steps on with the clock, and ends when the report is recorded', async () => {
  const id = await givenOpen('Shell')
  const rule = await ruleOf()

  await clock.evaluateAfter(11 * HOUR)
  expect(await steps(rule)).toEqual([])
  await clock.evaluateAfter(HOUR)
  expect(await labels(rule)).toEqual([
    'Shell: early warning (Article 14(2)(a)), due 2026-08-23 10:00 UTC',
  ])
  await clock.evaluateAfter(8 * HOUR)
  await clock.evaluateAfter(3 * HOUR)
  expect(await steps(rule)).toEqual(['EarlyWarning/1h'])

  const report = { stage: 'EarlyWarning', submittedAt: now(), text: 'x' }
  await client.post(`/cases/${id}/reports`, report)
  await clock.evaluateAfter(60_000)

  expect(await steps(rule)).toEqual([])
  expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Firing', 'Firing', 'Ok'])
})

it('tells after an outage what is late by now, once', async () => {
  await givenOpen('Shell')
  const rule = await ruleOf()

  await clock.evaluateAfter(80 * HOUR)

  expect(await steps(rule)).toEqual(['EarlyWarning/late-2', 'Notification/late-0'])
  expect((await labels(rule))[0]).toContain('LATE, was due 2026-08-23 10:00 UTC')
})

async function mails(): Promise<Notice[]> {
  const rows = await test.ctx.db
    .selectFrom('notifications')
    .select('notice')
    .where('workspaceId', '=', client.workspaceId)
    .where('kind', '=', 'Incident')
    .orderBy('createdAt')
    .execute()
  return rows.map(({ notice }) => notice as unknown as Notice)
}

it('sends a mail for each step and each day that it is late, and none in between', async () => {
  const target = await givenTarget(client, ['psirt@acme.example'])
  await confirmByLink(test, client.workspaceId, 'psirt@acme.example')
  const body = { name: 'Reports', type: 'CaseDeadline', evaluationFrequency: '1m', condition: {} }
  const made = await client.post('/alert-rules', { ...body, targets: [{ id: target.id }] })
  expect(made.statusCode).toBe(201)
  const id = await givenOpen('Shell', { isDrill: true })
  const report = (stage: string) =>
    client.post(`/cases/${id}/reports`, { stage, submittedAt: now(), text: 'x' })
  await report('EarlyWarning')

  for (const hours of [59, 1, 1, 7, 3, 0.5, 0.6, 12, 12]) await clock.evaluateAfter(hours * HOUR)

  const told = await mails()
  expect(told.map(({ event }) => event)).toEqual([
    'Fired',
    'StillFiring',
    'StillFiring',
    'StillFiring',
    'StillFiring',
  ])
  expect(told[0]?.items[0]?.label).toBe(
    'DRILL Shell: notification (Article 14(2)(b)), due 2026-08-25 10:00 UTC',
  )
  expect(told[0]?.items[0]?.path).toContain(`/cases/${id}`)
  expect(told.at(-1)?.items[0]?.label).toContain('LATE')
})

it('nags for an assessment as good practice, unless the rule leaves that out', async () => {
  const body = { type: 'Vulnerability', title: 'Waits', productLineIds: [] }
  await client.post('/cases', body)
  const all = await ruleOf()
  const law = await ruleOf({ includesGoodPractice: false })

  await clock.evaluateAfter(5 * HOUR)

  expect(await labels(all)).toEqual([
    'Waits: to be assessed (good practice), since 2026-08-22 14:00 UTC',
  ])
  expect(await labels(law)).toEqual([])
})

it('leaves drills out where the rule says so, and sees nothing of another workspace', async () => {
  await givenOpen('Exercise', { isDrill: true })
  const own = await ruleOf({ includesDrills: false })
  client = await givenClient(test)
  const other = await ruleOf()

  await clock.evaluateAfter(30 * HOUR)

  expect([await labels(own), await labels(other)]).toEqual([[], []])
})

it('does not tell a step again when the clock of the host jumps back and forth', async () => {
  await givenOpen('Shell')
  const rule = await ruleOf()
  await clock.evaluateAfter(13 * HOUR)
  expect(await steps(rule)).toEqual(['EarlyWarning/12h'])

  clock.pass(-6 * HOUR)
  await clock.evaluateAfter()
  clock.pass(6 * HOUR)
  await clock.evaluateAfter()

  expect(await steps(rule)).toEqual(['EarlyWarning/12h'])
})

it('tells of reports from outside that are due by the policy, unless good practice is left out', async () => {
  await client.put('/disclosure-policy', { isPublic: true, answerDays: 2, assessmentDays: 3 })
  const form = new URLSearchParams({ title: 'A way in', text: 'Hold the button.' })
  await test.app.inject({
    method: 'POST',
    url: `/public/${client.workspaceId}/report`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: form.toString(),
  })
  const rule = await ruleOf()
  const lawOnly = await ruleOf({ includesGoodPractice: false })

  await clock.evaluateAfter(HOUR)
  expect(await labels(rule)).toEqual([])
  await clock.evaluateAfter(9 * 24 * HOUR)

  const told = await firingSeries(test, rule)
  expect(told.map(({ series }) => series.replace(/[0-9a-f-]{36}/, 'id'))).toEqual([
    expect.stringMatching(/^disclosure-report\/id\/Answer\/late-\d$/),
    expect.stringMatching(/^disclosure-report\/id\/Assessment\/late-\d$/),
  ])
  expect(told[0]?.label).toContain(
    'Report from outside, A way in: first answer by a person (good practice), LATE',
  )
  expect(await labels(lawOnly)).toEqual([])
})
