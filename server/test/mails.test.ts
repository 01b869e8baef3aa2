/** That each mail is counted once, and that a flood ends: with a refusal where a person asked, else in the next hour. */
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp } from './app.ts'
import {
  deliverDue,
  givenConfirmedTarget,
  givenSmtp,
  listOutbox,
  notifyOfIncident,
} from './given-deliveries.ts'
import { type Browser, givenMember, givenPerson, openBrowser } from './given-people.ts'
import { givenTarget, listMailed, targetBody } from './given-targets.ts'
import { type Client, givenClient } from './given.ts'
import { type SmtpTestServer, startSmtpServer } from './smtp-server.ts'
import { addMs, HOUR_MS, MINUTE_MS } from '../src/formats/instants.ts'
import { deliverTo } from '../src/features/notification-delivery/service.ts'
import { invitationJobs } from '../src/features/invitations/index.ts'
import { peopleJobs } from '../src/features/people/index.ts'
import { sendDueMails } from '../src/features/weekly-mails/delivery-service.ts'
import { reportMailHealth, sweepMailCounts } from '../src/features/mails/index.ts'

const test = await startTestApp()
const { ctx } = test
// Not the whole worker, which would deliver beside the tests.
await test.queue.work(ctx, [...invitationJobs, ...peopleJobs])

/** Ten minutes after the full hour, at which windows begin. */
let clock = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 10 * MINUTE_MS)
ctx.now = () => clock

let smtp: SmtpTestServer
let client: Client
let owner: { email: string; browser: Browser }
let address: string

beforeEach(async () => {
  // Each test has an hour of its own, and so an empty count of the installation.
  clock = addMs(clock, HOUR_MS)
  Object.assign(ctx.config.mail, { mostPerHour: 10_000 })
  smtp = await startSmtpServer()
  givenSmtp(test, smtp.port)
  client = await givenClient(test)
  owner = await givenMember(test, client.workspaceId)
  address = `${crypto.randomUUID()}@example.com`
})

const invite = (
  email: string,
  { browser, workspaceId } = { ...owner, workspaceId: client.workspaceId },
) => browser.post(`/workspaces/${workspaceId}/invitations`, { email, role: 'Viewer', send: true })
const sendAgain = (id: string) =>
  owner.browser.post(`/workspaces/${client.workspaceId}/invitations/${id}/send`)
const inbox = (to = address) => smtp.mails.filter((mail) => mail.to.includes(to))
const readCounts = async () =>
  (await reportMailHealth(ctx).describe()) as { countedThisHour: number; addressesAtLimit: number }
const countNow = async () => (await readCounts()).countedThisHour

/** So many mails were sent to each address, and by the installation, in this hour. */
async function givenCounted(used: number, bound: string): Promise<void> {
  await ctx.db.updateTable('mailCounts').set({ used }).where('bound', '=', bound).execute()
}

describe('is counted once:', () => {
  it('an invitation, and one that is sent again', async () => {
    const invited = (await invite(address)).json<{ id: string }>()
    await expect.poll(() => inbox().length).toBe(1)
    await sendAgain(invited.id)
    await expect.poll(() => inbox().length).toBe(2)

    expect(await countNow()).toBe(2)
  })

  it('a link for a new password', async () => {
    const { email } = await givenPerson(test)
    await openBrowser(test).post('/auth/password-reset', { email })
    await expect.poll(() => inbox(email).length).toBe(1)

    expect(await countNow()).toBe(1)
  })

  it('what asks to confirm an address, a test, and an alert', async () => {
    const counts = []
    const target = await givenConfirmedTarget(test, client, [address])
    counts.push(await countNow())
    await client.post(`/notification-targets/${target.id}/test`, {})
    await deliverDue(ctx)
    counts.push(await countNow())
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id] })
    await deliverDue(ctx)
    counts.push(await countNow())

    expect(counts).toEqual([1, 2, 3])
    await expect.poll(() => inbox().length, { timeout: 20_000 }).toBe(3)
  })

  it('a weekly mail', async () => {
    await givenDueWeekly()
    await sendDueMails(ctx, new AbortController().signal)

    await expect.poll(() => inbox(owner.email).length, { timeout: 20_000 }).toBe(1)
    expect(await countNow()).toBe(1)
  })
})

async function givenDueWeekly(): Promise<void> {
  const weeklyMail = { day: 'Mon', at: '08:00', timeZone: 'UTC' }
  await owner.browser.put(`/me/notifications/${client.workspaceId}`, { weeklyMail })
  await ctx.db.updateTable('weeklyMails').set({ dueAt: clock }).execute()
}

describe('where a person asks for too many,', () => {
  it('60 to one address are five, and the refusal leaves nothing half-written', async () => {
    const { id, link } = (await invite(address)).json<{ id: string; link: string }>()
    const links = [link]
    const refused = []
    for (let number = 1; number < 60; number += 1) {
      const sent = await sendAgain(id)
      if (sent.statusCode === 200) links.push(sent.json<{ link: string }>().link)
      else refused.push(sent)
    }
    await expect.poll(() => inbox().length).toBe(5)

    expect(links).toHaveLength(5)
    expect(refused).toHaveLength(55)
    expect(refused[0]?.json()).toMatchObject({ status: 429, type: '/problems/too-many-mails' })
    expect(refused[0]?.headers['retry-after']).toBe('3000')
    // The last link that was made still works: a refused request has not ended it.
    const token = new URL(links.at(-1) ?? '').hash.slice(1)
    const read = await openBrowser(test).post('/auth/links/read', { token })
    expect(read.statusCode).toBe(200)
    expect((await readCounts()).addressesAtLimit).toBe(1)
    clock = addMs(clock, HOUR_MS)
    expect((await sendAgain(id)).statusCode).toBe(200)
  })

  it('no more than 60 strangers of an hour are invited', async () => {
    const begun = await invite(address)
    const { workspaceId } = client
    await ctx.db
      .updateTable('workspaceUsageWindows')
      .set({ used: 59 })
      .where('workspaceId', '=', workspaceId)
      .where('quota', '=', 'invitationMailsPerHour')
      .execute()

    const [last, refused] = [await invite(`1.${address}`), await invite(`2.${address}`)]

    expect([begun, last].map(({ statusCode }) => statusCode)).toEqual([201, 201])
    expect(refused.json()).toMatchObject({ type: '/problems/quota-invitation-mails' })
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '3000'])
    const open = await owner.browser.get(`/workspaces/${workspaceId}/invitations`)
    expect(open.json<unknown[]>()).toHaveLength(2)
    const mails = () => [...inbox(), ...inbox(`1.${address}`), ...inbox(`2.${address}`)]
    await expect.poll(() => mails().length).toBe(2)
  })

  it('the requests at once are counted, too', async () => {
    const { id } = (await invite(address)).json<{ id: string }>()
    const sent = await Promise.all(Array.from({ length: 20 }, () => sendAgain(id)))

    expect(sent.filter(({ statusCode }) => statusCode === 200)).toHaveLength(4)
    expect(sent.filter(({ statusCode }) => statusCode === 429)).toHaveLength(16)
  })

  it('another workspace still reaches the person', async () => {
    const { id } = (await invite(address)).json<{ id: string }>()
    for (let number = 0; number < 10; number += 1) await sendAgain(id)
    const { workspaceId } = await givenClient(test)
    const { browser } = await givenMember(test, workspaceId)

    expect((await invite(address, { ...owner, browser, workspaceId })).statusCode).toBe(201)
  })

  it('tests of a target end', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    const answers = []
    for (let number = 0; number < 32; number += 1)
      answers.push((await client.post(`/notification-targets/${target.id}/test`, {})).statusCode)

    expect(answers).toEqual([...Array.from({ length: 30 }, () => 202), 429, 429])
    expect(await listMailed(ctx, client.workspaceId, 'Test')).toHaveLength(30)
  })

  it('a target is not stored whose readers cannot be asked', async () => {
    await givenTarget(client, [address])
    Object.assign(ctx.config.mail, { mostPerHour: 1 })
    const body = targetBody(['other@example.com'], { name: 'Others' })
    const before = await client.get('/notification-targets')

    const refused = await client.post('/notification-targets', body)

    expect(refused.json()).toMatchObject({ status: 429, type: '/problems/too-many-mails' })
    expect((await client.get('/notification-targets')).body).toBe(before.body)
  })

  it('a new password is asked for with a refusal, and from elsewhere', async () => {
    const { email } = await givenPerson(test)
    const ask = (remoteAddress: string, account = email) =>
      test.app.inject({
        method: 'POST',
        url: '/auth/password-reset',
        headers: { 'sec-fetch-site': 'same-origin' },
        remoteAddress,
        payload: { email: account },
      })
    // The network has used up its requests for others.
    for (let number = 0; number < 21; number += 1)
      await ask('198.51.100.7', `${number}@example.com`)
    const flood = []
    for (let number = 0; number < 10; number += 1) flood.push(await ask('198.51.100.7'))

    const fromElsewhere = await ask('203.0.113.9')

    expect(flood.map(({ statusCode }) => statusCode)).toEqual(Array.from(flood, () => 429))
    expect(Number(flood[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(fromElsewhere.statusCode).toBe(202)
    await expect.poll(() => inbox(email).length).toBe(1)
  })
})

describe('where the service sends by itself,', () => {
  it('alerts over the bound of an address wait for the next hour, and those to others leave', async () => {
    const other = `${crypto.randomUUID()}@example.com`
    const target = await givenConfirmedTarget(test, client, [address, other])
    const targetIds = [target.id]
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id] })
    await deliverDue(ctx)
    await ctx.db
      .updateTable('mailCounts')
      .set({ used: 120 })
      .where('most', '=', 120)
      .where('used', '=', 1)
      .execute()
    const third = await givenConfirmedTarget(test, client, [`third.${address}`])
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [...targetIds, third.id] })
    await deliverDue(ctx)
    const waiting = (await listOutbox(ctx, client.workspaceId)).filter(
      ({ state }) => state === 'Pending',
    )

    await expect.poll(() => inbox(`third.${address}`).length, { timeout: 20_000 }).toBe(2)
    expect(new Set(waiting.map((row) => row.address))).toEqual(new Set([address, other]))
    expect(waiting[0]).toMatchObject({
      attempts: 0,
      answer: expect.stringContaining('this address in an hour (120)') as string,
      dueAt: addMs(clock, 50 * MINUTE_MS),
    })
    clock = addMs(clock, HOUR_MS)
    await deliverDue(ctx)
    await expect.poll(() => inbox().length, { timeout: 20_000 }).toBe(3)
  })

  it('nothing leaves over the bound of the installation but links for new passwords', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    const { email } = await givenPerson(test)
    await givenDueWeekly()
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id] })
    await givenCounted(10_000, 'Installation')

    await deliverDue(ctx)
    await sendDueMails(ctx, new AbortController().signal)
    await openBrowser(test).post('/auth/password-reset', { email })
    await expect.poll(() => inbox(email).length).toBe(1)
    const mine = await owner.browser.get('/me/notifications')

    expect(inbox()).toHaveLength(1)
    expect(inbox(owner.email)).toEqual([])
    expect((await listOutbox(ctx, client.workspaceId)).at(-1)).toMatchObject({ state: 'Pending' })
    expect(mine.json()).toMatchObject({
      workspaces: [{ lastAnswer: expect.stringContaining('The service has sent all') as string }],
    })
    clock = addMs(clock, HOUR_MS)
    await deliverDue(ctx)
    await sendDueMails(ctx, new AbortController().signal)
    await expect
      .poll(() => [inbox().length, inbox(owner.email).length], { timeout: 20_000 })
      .toEqual([2, 1])
  })
})

it('puts off what many deliveries find to be too much, all at once', async () => {
  const addresses = Array.from({ length: 8 }, (_, number) => `${number}.${address}`)
  const target = await givenConfirmedTarget(test, client, addresses)
  for (const title of ['One', 'Two', 'Three'])
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id], title })
  await givenCounted(10_000, 'Installation')
  const { signal } = new AbortController()
  const recipients = addresses.map((each) => ({ address: each, webhookId: null }))
  const { workspaceId } = client

  const found = await Promise.all(
    recipients.map((recipient) => deliverTo(ctx, { workspaceId, ...recipient }, signal)),
  )

  expect(new Set(found)).toEqual(new Set([false]))
  const rows = await listOutbox(ctx, workspaceId)
  expect(new Set(rows.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
    new Set(['Pending 0']),
  )
  clock = addMs(clock, HOUR_MS)
  await deliverDue(ctx)
  await expect
    .poll(() => addresses.map((each) => inbox(each).length), { timeout: 20_000 })
    .toEqual(addresses.map(() => 2))
})

it('forgets counts after two days', async () => {
  await invite(address)
  clock = addMs(clock, 49 * HOUR_MS)

  await sweepMailCounts(ctx)

  const rows = await ctx.db.selectFrom('mailCounts').selectAll().execute()
  expect(rows).toEqual([])
})

it('tells the management port how near the installation is to its bound', async () => {
  Object.assign(ctx.config.mail, { mostPerHour: 4 })
  await invite(address)

  const health = reportMailHealth(ctx)

  expect(await health.describe()).toEqual({
    countedThisHour: 1,
    mostPerHour: 4,
    addressesAtLimit: 0,
  })
  expect(await health.gauges[0]?.values()).toEqual([{ labels: {}, value: 0.25 }])
})
