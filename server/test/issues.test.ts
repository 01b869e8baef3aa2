/** integrations/issues keeps one issue per finding, in servers that answer as GitHub and Jira document it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signAttempt } from '../src/features/notification-delivery/webhooks/message.ts'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { deliverDue } from './given-deliveries.ts'
import { givenProduct, givenVersion } from './given-findings.ts'
import { underClock } from './given-non-metric-rules.ts'
import { givenWebhook } from './given-webhooks.ts'
import { github, jira, startTracker } from './issue-trackers.ts'

const PROGRAM = join(import.meta.dirname, '../../integrations/issues/plimsoll_issues.py')

let test: TestApp
let client: Client
let url: string
let clock: ReturnType<typeof underClock>
beforeAll(async () => {
  const allowedHosts = [{ net: '127.0.0.1', prefix: 32 }]
  test = await startTestApp({ webhooks: { allowedHosts, connectMs: 5_000, totalMs: 15_000 } })
  url = await test.app.listen({ port: 0, host: '127.0.0.1' })
  client = await givenClient(test)
  // Receivers refuse old messages.
  clock = underClock(test, Date.now() - 240_000)
})

const children: ChildProcess[] = []
const closers: (() => void)[] = []
afterAll(() => {
  for (const child of children) child.kill()
  for (const close of closers) close()
})

function startReceiver(settings: Record<string, string>): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', PORT: '0', PLIMSOLL_URL: url, ...settings }
  const child = spawn('python3', [PROGRAM], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  children.push(child)
  return new Promise((done, fail) => {
    child.on('exit', () => fail(new Error('the receiver has ended')))
    child.stderr.on('data', (chunk: Buffer) => {
      const [, address] = /listening on (\S+)/.exec(chunk.toString()) ?? []
      if (address !== undefined) done(`http://${address}/`)
    })
  })
}

const isMissing = spawnSync('python3', ['--version']).status !== 0
if (isMissing) process.stderr.write('skipped, missing: python3\n')

it.skipIf(isMissing).each([
  { name: 'GitHub', tracker: github() },
  { name: 'Jira', tracker: jira() },
])('$name has one issue per finding, whatever is sent twice', async ({ tracker }) => {
  const served = await startTracker(tracker)
  closers.push(served.close)
  const apiKey = await test.givenKey(client.workspaceId, ['Alerts: read', 'Vulnerabilities: read'])
  const given = { ...served.settings, PLIMSOLL_API_KEY: apiKey }
  // The secret is known only after the webhook is made, and the address only after the receiver is started.
  const webhook = await givenWebhook(client, 'http://127.0.0.1:9/')
  const secret = Buffer.from(webhook.secret.replace('whsec_', ''), 'base64')
  const receiver = await startReceiver({ ...given, PLIMSOLL_WEBHOOK_SECRET: webhook.secret })
  await client.patch(`/webhooks/${webhook.id}`, { url: receiver })
  const rule = await client.post('/alert-rules', {
    name: 'New findings',
    type: 'NewVulnerabilityFinding',
    evaluationFrequency: '1m',
    condition: { severities: ['High', 'Critical'] },
    targets: [{ id: webhook.id }],
    repeatInterval: '1h',
  })
  const ruleId = rule.json<{ id: string }>().id
  await clock.evaluateAfter()
  const product = await givenProduct(test.ctx, ['High', 'Critical', 'Low'])
  const component = { packageName: product.product, version: '1.0', cpes: product.cpes }
  clock.pass(1_000)
  await givenVersion(test.ctx, client.workspaceId, [component])
  await clock.evaluateAfter()

  await deliverDue(test.ctx)

  const shown = await client.get(`/webhooks/${webhook.id}`)
  expect(shown.json()).toMatchObject({ lastAnswer: 'HTTP 204' })
  const titles = product.cveIds.slice(0, 2).map((id) => `${id} in ${product.product} 1.0`)
  const titlesNow = () => tracker.issues().map(({ title }) => title.replace(/ \(.*\)$/, ''))
  expect(titlesNow().toSorted()).toEqual(titles.toSorted())
  expect(tracker.issues().every(({ isOpen, text }) => isOpen && text.includes('/findings/'))).toBe(
    true,
  )

  const { incidentId } = (await client.get(`/alert-rules/${ruleId}`)).json<{ incidentId: string }>()
  const { workspaceId } = client
  const alertRule = { id: ruleId, name: 'New findings', type: 'NewVulnerabilityFinding' }
  const body = JSON.stringify({
    type: 'alert.still_firing',
    data: { workspaceId, incidentId, alertRule },
  })
  const send = async (to = receiver, secrets = [secret]) => {
    const headers = signAttempt({ id: crypto.randomUUID(), at: new Date(), body, secrets })
    return (await fetch(to, { method: 'POST', headers, body })).status
  }
  const before = tracker.issues()
  expect(await Promise.all([send(), send()])).toEqual([204, 204])
  expect(tracker.issues()).toEqual(before)

  // A receiver that was started anew finds the issues of the one before it.
  const restarted = await startReceiver({ ...given, PLIMSOLL_WEBHOOK_SECRET: webhook.secret })
  expect(await send(restarted)).toBe(204)
  expect(tracker.issues()).toEqual(before)

  const fired = await client.post(`/alert-incidents/${incidentId}/series/list`, {})
  const { series } = fired.json<{ series: { series: string; label: string }[] }>()
  const finding = series.find(({ label }) => label.startsWith(product.cveIds[0] ?? '-'))
  const assessed = await client.post(
    `/vulnerability-findings/${finding?.series ?? ''}/assessments`,
    {
      assessment: 'NotAffected',
      justification: 'vulnerable_code_not_present',
    },
  )
  expect(assessed.statusCode).toBe(200)
  served.state.isDown = true
  expect(await send()).toBe(502)
  served.state.isDown = false
  expect(await send()).toBe(204)
  const openNow = tracker.issues().filter(({ isOpen }) => isOpen)
  expect(openNow.map(({ title }) => title.replace(/ \(.*\)$/, ''))).toEqual([titles[1]])

  const asked = served.state.requests
  expect(await send(receiver, [Buffer.alloc(32)])).toBe(401)
  expect(served.state.requests).toBe(asked)
})
