/** Owners are told of ends: by one mail a run, however many end, and a killed run tells nothing twice. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { givenMember, type Person } from '../../../../test/given-people.ts'
import { addDays, addMs, DAY_MS, MINUTE_MS } from '../../../formats/instants.ts'
import { endDueAcceptances } from './ends-service.ts'
import { sendAcceptanceMail, tellOwners } from './notices-service.ts'

let test: TestApp
let client: Client
let now = new Date()
let ann: Person
const sent: { to: string; subject: string; text: string }[] = []

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => now
  test.ctx.mailer = {
    send: (mail: { to: string; subject: string; text: string }) => {
      sent.push(mail)
      return Promise.resolve({
        outcome: 'Taken',
        answer: '250',
        isRecipientRefused: false,
        mayHaveArrived: true,
      })
    },
  } as never
})

beforeEach(async () => {
  now = new Date()
  sent.length = 0
  client = await givenClient(test)
  ann = await givenMember(test, client.workspaceId)
})

async function givenAccepted({ cveCount = 3, versionCount = 1, days = 20 } = {}) {
  const severities = Array<'High'>(cveCount).fill('High')
  const { cpes, product, cveIds } = await givenProduct(test.ctx, severities)
  const versions: string[] = []
  for (let count = 0; count < versionCount; count++) {
    const components = [{ packageName: product, cpes }]
    const version = await givenVersion(test.ctx, client.workspaceId, components)
    versions.push(version.firmwareVersionId)
  }
  const answer = await client.post('/vulnerability-findings/bulk-ignore', {
    filter: { firmwareVersionIds: versions },
    ignored: true,
    acceptance: { ownerId: ann.id, until: addDays(now, days).toISOString() },
  })
  expect(answer.json()).toMatchObject({ changed: cveCount * versionCount })
  return { cveIds, versions }
}

/** Sends what waits in the queue, as the worker does. */
async function sendPlanned(): Promise<void> {
  const { rows } = await sql<{ data: Parameters<typeof sendAcceptanceMail>[1] }>`
    delete from pgboss.job where name = 'findings.acceptance-mail' and state < 'active'
      and data ->> 'workspaceId' = ${client.workspaceId} returning data`.execute(test.ctx.db)
  const { signal } = new AbortController()
  for (const { data } of rows) await sendAcceptanceMail(test.ctx, data, signal)
}

async function runTwice(): Promise<void> {
  await endDueAcceptances(test.ctx)
  await tellOwners(test.ctx)
  now = addMs(now, MINUTE_MS)
  await tellOwners(test.ctx)
  await tellOwners(test.ctx)
  await sendPlanned()
}

it('tells an owner once some days before, and once at the end', async () => {
  const { cveIds } = await givenAccepted()
  now = addMs(now, 5 * DAY_MS)
  await runTwice()
  const early = sent.length
  now = addMs(now, 9 * DAY_MS)
  await runTwice()
  await runTwice()
  const [soon] = sent.splice(0)
  now = addMs(now, 7 * DAY_MS)
  await runTwice()

  expect(early).toBe(0)
  expect(soon).toMatchObject({ to: ann.email })
  expect(soon?.subject).toContain('3 accepted risks end soon')
  expect(sent).toHaveLength(1)
  expect(sent[0]?.subject).toContain('3 accepted risks have ended')
  for (const cveId of cveIds) expect(sent[0]?.text).toContain(cveId)
})

it('tells nothing before the end of what was accepted for less than the notice', async () => {
  await givenAccepted({ days: 3 })
  now = addMs(now, DAY_MS)

  await runTwice()

  expect(sent).toEqual([])
})

it('tells the webhook of the workspace', async () => {
  const webhook = await client.post('/webhooks', { name: 'ops', url: 'https://example.com/hook' })
  await client.patch('/settings', { acceptanceWebhookId: webhook.json<{ id: string }>().id })
  await givenAccepted({ days: 3 })
  now = addMs(now, 4 * DAY_MS)

  await runTwice()

  const { rows } = await sql<{ kind: string; title: string }>`
    select kind, notice ->> 'title' as title from notifications where workspace_id = ${client.workspaceId}`.execute(
    test.ctx.db,
  )
  expect(rows).toEqual([{ kind: 'Acceptance', title: '3 accepted risks have ended' }])
})

it('ends thousands in batches, a batch of each workspace in turn, and tells in one mail; a run that dies loses nothing', async () => {
  const large = await givenAccepted({ cveCount: 130, versionCount: 20, days: 1 })
  const first = client
  client = await givenClient(test)
  const bob = ann
  ann = await givenMember(test, client.workspaceId)
  await givenAccepted({ cveCount: 2, days: 1 })
  now = addMs(now, 2 * DAY_MS)
  const dying = new AbortController()
  let calls = 0
  const dieSoon = () => {
    calls++
    if (calls >= 6) dying.abort()
    return now
  }

  await endDueAcceptances({ ...test.ctx, now: dieSoon }, dying.signal)
  const open = async (of: Client) =>
    (await of.post('/acceptances/list', {})).json<{
      counts: { endingSoon: number; ended: number }
    }>().counts
  const half = await open(first)
  const other = await open(client)
  await endDueAcceptances(test.ctx)
  client = first
  await runTwice()

  expect(half.ended).toBeGreaterThan(0)
  expect(half.endingSoon).toBeGreaterThan(0)
  expect(other.ended).toBe(2)
  expect(await open(first)).toMatchObject({ endingSoon: 0, ended: 2600 })
  const toBob = sent.filter(({ to }) => to === bob.email)
  expect(toBob).toHaveLength(1)
  expect(toBob[0]?.subject).toContain('2,600 accepted risks have ended')
  expect(large.versions).toHaveLength(20)
})
