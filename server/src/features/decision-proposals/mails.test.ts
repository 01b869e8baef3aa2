/** Those who may decide hear of proposals that wait: by one mail a day at most, and of nothing that is decided. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { givenMember, givenSession, type Person } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { addMs, DAY_MS, MINUTE_MS } from '../../formats/instants.ts'
import { sendProposalMail, tellDeciders } from './mails-service.ts'

let test: TestApp
let client: Client
let now = new Date()
let engineer: Person
let findingIds: string[]
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
  await givenMember(test, client.workspaceId, 'Viewer')
  engineer = await givenMember(test, client.workspaceId, 'Engineer')
  const { cpes } = await givenProduct(test.ctx, Array<'High'>(4).fill('High'))
  const component = { packageName: 'busybox', version: '1.36', cpes }
  const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [component])
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const listed = (await client.post(path, {})).json<{ findings: { id: string }[] }>()
  findingIds = listed.findings.map(({ id }) => id)
})

async function propose(index: number): Promise<string> {
  const answer = await client.post(`/vulnerability-findings/${findingIds[index]}/proposals`, {
    assessment: 'InTriage',
    reason: 'A scanner says so.',
  })
  expect(answer.statusCode).toBe(201)
  return answer.json<{ id: string }>().id
}

/** Sends what waits in the queue, as the worker does. */
async function sendPlanned(): Promise<void> {
  const { rows } = await sql<{ data: Parameters<typeof sendProposalMail>[1] }>`
    delete from pgboss.job where name = 'decision-proposals.mail' and state < 'active'
      and data ->> 'workspaceId' = ${client.workspaceId} returning data`.execute(test.ctx.db)
  const { signal } = new AbortController()
  for (const { data } of rows) await sendProposalMail(test.ctx, data, signal)
}

async function tell(passedMs = 2 * MINUTE_MS): Promise<void> {
  now = addMs(now, passedMs)
  await Promise.all([tellDeciders(test.ctx), tellDeciders(test.ctx)])
  await tellDeciders(test.ctx)
  await sendPlanned()
}

/** What each was told; whoever owns the workspace has a made address. */
const subjects = () =>
  sent
    .splice(0)
    .map(({ to, subject }) => [
      to.startsWith('owner-') ? 'owner' : to,
      subject.replace(/ in .*/, ''),
    ])
    .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1))
const toBoth = (subject: string) => [engineer.email, 'owner'].toSorted().map((to) => [to, subject])

it('tells all who may decide, and no viewer, by one mail for a run of proposals', async () => {
  for (const index of [0, 1, 2]) await propose(index)

  await tell(0)
  const early = sent.length
  await tell()

  expect(early).toBe(0)
  expect(sent[0]?.text).toMatch(/CVE-\S+ in busybox 1\.36, .*: in triage, by bootstrap/)
  expect(subjects()).toEqual(toBoth('3 proposals wait for a decision'))
})

it('tells of later proposals a day after the last mail', async () => {
  await propose(0)
  await tell()
  await propose(1)
  await tell()
  const sameDay = subjects()
  await tell(DAY_MS)
  const nextDay = subjects()
  await tell(DAY_MS)

  expect(sameDay).toEqual(toBoth('1 proposal waits for a decision'))
  expect(nextDay).toEqual(toBoth('2 proposals wait for a decision'))
  expect(sent).toEqual([])
})

it('tells nothing of what was decided meanwhile', async () => {
  const id = await propose(0)
  const refused = await client.post(`/decision-proposals/${id}/refuse`, { reason: 'No.' })

  await tell()

  expect(refused.statusCode).toBe(200)
  expect(sent).toEqual([])
})

it('tells nobody who switched these mails off, and others as before', async () => {
  const path = `/me/notifications/${client.workspaceId}`
  const session = await givenSession(test, engineer.id)
  const muted = await session.put(path, { weeklyMail: null, proposalMails: false })
  await propose(0)

  await tell()
  const during = sent.map(({ to }) => to)
  const on = await session.put(path, { weeklyMail: null, proposalMails: true })
  await session.put(path, { weeklyMail: null })
  await propose(1)
  sent.length = 0
  await tell(DAY_MS)

  expect(muted.json()).toMatchObject({ proposalMails: false })
  expect(during).toHaveLength(1)
  expect(during).not.toContain(engineer.email)
  expect(on.json()).toMatchObject({ proposalMails: true })
  expect(sent.map(({ to }) => to)).toContain(engineer.email)
  const log = await client.get('/audit-log?action=member.set-proposal-mails')
  expect(log.json()).toMatchObject({
    entries: [{ after: { proposalMails: true } }, { after: { proposalMails: false } }],
  })
})
