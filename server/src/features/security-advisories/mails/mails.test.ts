/** Who is told of an advisory by mail, once each, and who is not, through the API and a mail server. */
import { beforeEach, expect, it } from 'vitest'
import { startTestApp } from '../../../../test/app.ts'
import { givenSmtp } from '../../../../test/given-deliveries.ts'
import { type Browser, givenMember } from '../../../../test/given-people.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  partOf,
  type SmtpTestServer,
  startSmtpServer,
  type TakenMail,
} from '../../../../test/smtp-server.ts'
import { addMs, MINUTE_MS } from '../../../formats/instants.ts'
import { sendDueAdvisoryMails } from './delivery-service.ts'

const test = await startTestApp()
const other = await startTestApp({}, test.connectionString)
let clock = new Date('2026-11-03T10:00:00Z')
for (const { ctx } of [test, other]) ctx.now = () => clock

let smtp: SmtpTestServer
let client: Client
let admin: Browser

beforeEach(async () => {
  smtp = await startSmtpServer()
  for (const node of [test, other]) givenSmtp(node, smtp.port)
  client = await givenClient(test)
  admin = (await givenMember(test, client.workspaceId, 'Admin')).browser
  // Nobody of an earlier test is told.
  await test.ctx.db.deleteFrom('advisoryMails').execute()
})

const never = new AbortController().signal
const sendDue = (node = test) => sendDueAdvisoryMails(node.ctx, never)
const path = (more: string) => `/workspaces/${client.workspaceId}/security-advisories${more}`

let count = 0

/** A cohort with one device that runs the version. */
async function givenCohort(versionId: string, contacts: readonly string[]) {
  const tag = `tag-${++count}`
  const made = await client.post('/deployment-cohorts', { name: tag, tagRule: { all: [tag] } })
  const { id } = made.json<{ id: string }>()
  await client.post('/devices', { id: `device-${count}`, tags: [tag] })
  const version = await client.get(`/firmware-versions/${versionId}`)
  const { name, firmware } = version.json<{ name: string; firmware: { slug: string } }>()
  await test.doors.intake.receive({
    workspaceId: client.workspaceId,
    deviceId: `device-${count}`,
    door: 'Mqtt',
    receivedAt: test.ctx.now(),
    message: {
      kind: 'session',
      session: { runId: crypto.randomUUID(), firmware: [{ slug: firmware.slug, version: name }] },
    },
  })
  const written = await client.put(`/deployment-cohorts/${id}/contacts`, { contacts })
  expect([written.statusCode, written.body]).toEqual([200, written.body])
  return id
}

/** Says of the first version that it is affected, and of the second that it is fixed. */
async function givenDraft() {
  const firmware = await client.post('/firmwares', { slug: `gateway-${++count}`, name: 'Gateway' })
  const versions = `/firmwares/${firmware.json<{ id: string }>().id}/versions`
  const idOf = async (name: string) =>
    (await client.post(versions, { name })).json<{ id: string }>().id
  const [affected, fixed] = [await idOf('1.0'), await idOf('2.0')]
  const made = await client.post('/security-advisories', { title: 'A flaw <b>' })
  const { id } = made.json<{ id: string }>()
  const vulnerabilities = [
    {
      vulnerabilityId: 'CVE-2026-4711',
      title: null,
      description: 'What happens.',
      exploitation: null,
      cvssVector: null,
      cweId: null,
      statuses: [
        { firmwareVersionId: affected, status: 'KnownAffected' },
        { firmwareVersionId: fixed, status: 'Fixed' },
      ],
      remediations: [
        { kind: 'VendorFix', details: 'Update.', url: null, firmwareVersionIds: [affected] },
      ],
    },
  ]
  await client.patch(`/security-advisories/${id}`, { vulnerabilities })
  return { id, affected, fixed, vulnerabilities }
}

async function publish(id: string, more: object = {}) {
  const done = await admin.post(path(`/${id}/publish`), { summary: 'First.', ...more })
  expect([done.statusCode, done.body]).toEqual([200, done.body])
}

const listMails = async (id: string) =>
  (await client.get(`/security-advisories/${id}/mails`)).json<{
    mails: { number: number; address: string; state: string; endedAt: string | null }[]
  }>().mails
const addresses = () => smtp.mails.flatMap(({ to }) => to).toSorted()
const textOf = (mail: TakenMail | undefined) =>
  mail ? partOf(mail, 'text/plain').replaceAll('\r\n', '\n') : ''
const linkIn = (mail: TakenMail | undefined) =>
  new URL(/https?:\S+unsubscribe\S+/.exec(textOf(mail))?.[0] ?? '')

it('tells contacts of cohorts whose devices run an affected version, once each, and counts them before', async () => {
  const draft = await givenDraft()
  await givenCohort(draft.affected, ['Ann@Example.com', 'ben@example.com'])
  await givenCohort(draft.affected, ['ann@example.com'])
  await givenCohort(draft.fixed, ['cleo@example.com'])

  const counted = await client.get(`/security-advisories/${draft.id}/recipients`)
  await publish(draft.id)
  await Promise.all([sendDue(), sendDue(other), sendDue()])
  await sendDue()

  expect(counted.json()).toMatchObject({
    sendsMail: true,
    recipients: [
      { address: 'ann@example.com', isUnwanted: false, reasons: [{ kind: 'Cohort' }, {}] },
      { address: 'ben@example.com', isUnwanted: false, reasons: [{ kind: 'Cohort' }] },
    ],
  })
  expect(addresses()).toEqual(['ann@example.com', 'ben@example.com'])
  const text = textOf(smtp.mails[0])
  expect(text).toContain('Affected: Gateway 1.0')
  expect(text).toContain('Update, for Gateway 1.0: Update.')
  expect(text).not.toContain('tag-')
  expect(partOf(smtp.mails[0] as TakenMail, 'text/html')).toContain('A flaw &lt;b&gt;')
  expect(await listMails(draft.id)).toMatchObject([
    { number: 1, address: 'ann@example.com', state: 'Delivered', endedAt: clock.toISOString() },
    { number: 1, address: 'ben@example.com', state: 'Delivered' },
  ])
})

it('tells contacts of customers who have a device that runs it, and once those of a cohort, too', async () => {
  const draft = await givenDraft()
  const cohortId = await givenCohort(draft.affected, ['ann@example.com'])
  const untouched = await givenCohort(draft.fixed, [])
  const customer = (name: string, email: string, of: string) =>
    client.post('/customers', { name, contacts: [{ email, name: null }], cohortIds: [of] })
  const made = await customer(`Mill ${count}`, 'Dora@example.com', cohortId)
  await customer(`Mill too ${count}`, 'ann@example.com', cohortId)
  await customer(`Harbour ${count}`, 'eve@example.com', untouched)
  expect([made.statusCode, made.body]).toEqual([201, made.body])

  await publish(draft.id)
  await sendDue()

  expect(addresses()).toEqual(['ann@example.com', 'dora@example.com'])
  expect(await listMails(draft.id)).toMatchObject([
    { address: 'ann@example.com', reasons: [{ kind: 'Cohort' }, { kind: 'Customer' }] },
    { address: 'dora@example.com', reasons: [{ kind: 'Customer', name: `Mill ${count}` }] },
  ])
  expect(textOf(smtp.mails[0])).not.toContain('Mill')
})

it('tells nobody where whoever publishes says so, and nobody of a draft', async () => {
  const draft = await givenDraft()
  await givenCohort(draft.affected, ['ann@example.com'])
  await sendDue()
  await publish(draft.id, { tellContacts: false })

  await sendDue()

  expect(addresses()).toEqual([])
  expect(await listMails(draft.id)).toEqual([])
})

it('tells those who were told before of a later revision and of a withdrawal, too', async () => {
  const draft = await givenDraft()
  await givenCohort(draft.affected, ['ann@example.com'])
  await publish(draft.id)
  await sendDue()
  // Nothing is affected any more: no cohort is a reason.
  const [one] = draft.vulnerabilities
  const statuses = [{ firmwareVersionId: draft.fixed, status: 'Fixed' }]
  await client.patch(`/security-advisories/${draft.id}`, {
    vulnerabilities: [{ ...one, statuses, remediations: [] }],
  })
  await publish(draft.id)
  await admin.post(path(`/${draft.id}/withdraw`), { reason: 'Not ours.' })

  await sendDue()

  expect(addresses()).toEqual(['ann@example.com', 'ann@example.com', 'ann@example.com'])
  expect(textOf(smtp.mails[2])).toContain('Not ours.')
  expect(new Set(smtp.mails.map((mail) => mail.headers['message-id'])).size).toBe(3)
})

it('repeats a mail whose worker was killed before it recorded the result, as the same mail', async () => {
  const draft = await givenDraft()
  await givenCohort(draft.affected, ['ann@example.com'])
  await publish(draft.id)
  await sendDue()
  // What the database knows if the process ends right after the server took the mail.
  await test.ctx.db
    .updateTable('advisoryMails')
    .set({ state: 'Waiting', endedAt: null, claimedUntil: addMs(clock, 10 * MINUTE_MS) })
    .execute()

  await sendDue(other)
  const early = smtp.mails.length
  clock = addMs(clock, 11 * MINUTE_MS)
  await sendDue(other)
  await sendDue()

  expect([early, smtp.mails.length]).toEqual([1, 2])
  const [first, second] = smtp.mails.map((mail) => mail.headers['message-id'])
  expect(first).toBe(second)
  expect(await listMails(draft.id)).toMatchObject([{ state: 'Delivered' }])
})

it('plans no mail of a publication that did not happen', async () => {
  const draft = await givenDraft()
  await givenCohort(draft.affected, ['ann@example.com'])
  await client.patch(`/security-advisories/${draft.id}`, { vulnerabilities: [] })

  const refused = await admin.post(path(`/${draft.id}/publish`), { summary: 'First.' })
  await sendDue()

  expect(refused.statusCode).toBe(409)
  expect(addresses()).toEqual([])
})

it('sends no more to whoever follows the link of a mail, after a question or with one click', async () => {
  const draft = await givenDraft()
  const cohort = await givenCohort(draft.affected, ['ann@example.com', 'ben@example.com'])
  await publish(draft.id)
  await sendDue()
  const mail = smtp.mails.find(({ to }) => to.includes('ann@example.com'))
  const { pathname, search } = linkIn(mail)
  const open = (method: 'GET' | 'POST', url: string) => test.app.inject({ method, url })

  const asked = await open('GET', pathname + search)
  const before = await client.get(`/deployment-cohorts/${cohort}/contacts`)
  const ended = await open('POST', pathname + search)
  const forged = await open('POST', `${pathname}?token=AAAA`)
  await client.patch(`/security-advisories/${draft.id}`, { summary: 'More.' })
  await publish(draft.id)
  await sendDue()

  expect([asked.statusCode, ended.statusCode, forged.statusCode]).toEqual([200, 200, 404])
  expect(before.json()).toMatchObject({ unwanted: [] })
  expect((await client.get(`/deployment-cohorts/${cohort}/contacts`)).json()).toMatchObject({
    contacts: ['ann@example.com', 'ben@example.com'],
    unwanted: ['ann@example.com'],
  })
  expect(addresses()).toEqual(['ann@example.com', 'ben@example.com', 'ben@example.com'])
  expect(await listMails(draft.id)).toMatchObject([
    { number: 2, address: 'ann@example.com', state: 'Unwanted' },
    { number: 2, address: 'ben@example.com', state: 'Delivered' },
    { number: 1 },
    { number: 1 },
  ])
  expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
})

it('mails later revisions again where the team says why, and refuses what nobody ended', async () => {
  const draft = await givenDraft()
  await givenCohort(draft.affected, ['ann@example.com'])
  await publish(draft.id)
  await sendDue()
  const { pathname, search } = linkIn(smtp.mails[0])
  await test.app.inject({ method: 'POST', url: pathname + search })
  const { browser: engineer } = await givenMember(test, client.workspaceId, 'Engineer')
  const url = `/workspaces/${client.workspaceId}/advisory-contacts/resubscribe`
  const body = { address: ' Ann@Example.com', reason: 'Asked for it by phone' }

  expect((await engineer.post(url, body)).statusCode).toBe(403)
  const again = await admin.post(url, body)
  const twice = await admin.post(url, body)
  const wrong = await admin.post(url, { ...body, address: 'ann' })
  await client.patch(`/security-advisories/${draft.id}`, { summary: 'More.' })
  await publish(draft.id)
  await sendDue()

  expect([again.statusCode, again.json()]).toEqual([200, { address: 'ann@example.com' }])
  expect(twice.json()).toMatchObject({ status: 409, type: '/problems/contact-not-unsubscribed' })
  expect(wrong.json()).toMatchObject({ status: 400, errors: [{ pointer: '/address' }] })
  expect(addresses()).toEqual(['ann@example.com', 'ann@example.com'])
  const log = await client.get('/audit-log?action=advisory-mail.resubscribe')
  expect(log.body).toContain('Asked for it by phone')
})

it.each`
  contacts                           | pointer          | because
  ${['ann']}                         | ${'/contacts/0'} | ${'it is no address'}
  ${['a@b.example', 'c@d.example,']} | ${'/contacts/1'} | ${'an entry holds one address'}
  ${['a@b.example\nBcc: x@y.z']}     | ${'/contacts/0'} | ${'it would be a header'}
`(
  'refuses $contacts, as $because',
  async ({ contacts, pointer }: { contacts: string[]; pointer: string }) => {
    const made = await client.post('/deployment-cohorts', { name: `Cohort ${++count}` })
    const url = `/deployment-cohorts/${made.json<{ id: string }>().id}/contacts`

    const refused = await client.put(url, { contacts })

    expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
    expect((await client.get(url)).json()).toMatchObject({ contacts: [] })
  },
)

it('is of its workspace alone', async () => {
  const draft = await givenDraft()
  const cohort = await givenCohort(draft.affected, ['ann@example.com'])
  await publish(draft.id)
  const stranger = await givenClient(test)

  for (const url of [
    `/deployment-cohorts/${cohort}/contacts`,
    `/security-advisories/${draft.id}/mails`,
    `/security-advisories/${draft.id}/recipients`,
  ])
    expect((await stranger.get(url)).statusCode).toBe(404)
})
