/** Who gets a weekly mail and when, what it tells, and that each week has one, through the API and a mail server. */
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenSmtp } from '../../../test/given-deliveries.ts'
import { givenDecision, givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { type Browser, givenMember, givenSession, openBrowser } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  partOf,
  type SmtpTestServer,
  startSmtpServer,
  type TakenMail,
} from '../../../test/smtp-server.ts'
import { addDays, addMs, MINUTE_MS } from '../../formats/instants.ts'
import { sealEndedDays } from '../audit/index.ts'
import { sendDueMails } from './delivery-service.ts'

const test = await startTestApp()
const other = await startTestApp({}, test.connectionString)
/** A Friday. */
const BEGIN = new Date('2026-08-21T10:00:00Z')
/** The next Monday, at eight in Berlin. */
const MONDAY = new Date('2026-08-24T06:00:00Z')
const WEEKLY = { day: 'Mon', at: '08:00', timeZone: 'Europe/Berlin' }
let clock = BEGIN
for (const { ctx } of [test, other]) ctx.now = () => clock

interface WeeklyMailState {
  weeklyMail: object | null
  nextAt: string | null
  lastSentAt: string | null
  lastAnswer: string | null
}

let smtp: SmtpTestServer
let client: Client
let member: { id: string; email: string; browser: Browser }
let path: string

beforeEach(async () => {
  clock = BEGIN
  smtp = await startSmtpServer()
  for (const node of [test, other]) givenSmtp(node, smtp.port)
  client = await givenClient(test)
  member = await givenMember(test, client.workspaceId, 'Viewer')
  path = `/me/notifications/${client.workspaceId}`
  // Nobody of an earlier test is told.
  await test.ctx.db.deleteFrom('weeklyMails').execute()
})

const never = new AbortController().signal
const sendDue = (node = test) => sendDueMails(node.ctx, never)
const choose = (weeklyMail: object | null, who = member) => who.browser.put(path, { weeklyMail })

/** With a session of its own, as the clock ends sessions. */
async function shown(): Promise<WeeklyMailState> {
  const browser = await givenSession(test, member.id)
  const { workspaces } = (await browser.get('/me/notifications')).json<{
    workspaces: (WeeklyMailState & { workspaceId: string })[]
  }>()
  const found = workspaces.find(({ workspaceId }) => workspaceId === client.workspaceId)
  if (!found) throw new Error('The workspace is missing.')
  return found
}

const textOf = (mail: TakenMail | undefined) =>
  mail ? partOf(mail, 'text/plain').replaceAll('\r\n', '\n') : ''

async function given(severity: 'Critical' | 'High', isKnownExploit = false) {
  const { product, cpes, cveIds } = await givenProduct(test.ctx, [severity], { isKnownExploit })
  const component = { packageName: product, version: '1.0', cpes }
  const version = await givenVersion(test.ctx, client.workspaceId, [component])
  return { ...version, vulnerabilityId: cveIds[0] ?? '' }
}

describe('the setting', () => {
  it('is off, until a member chooses day, time and zone', async () => {
    const before = await shown()
    const chosen = await choose(WEEKLY)
    const after = await shown()
    await choose(null)

    expect(before).toMatchObject({ weeklyMail: null, nextAt: null })
    expect(chosen.statusCode).toBe(200)
    expect(after).toEqual(chosen.json())
    expect(after).toMatchObject({ weeklyMail: WEEKLY, nextAt: MONDAY.toISOString() })
    expect(await shown()).toMatchObject({ weeklyMail: null, nextAt: null })
    const log = await client.get('/audit-log?action=member.set-weekly-mail')
    expect(log.json()).toMatchObject({
      entries: [
        { after: { weeklyMail: null }, actorEmail: member.email },
        { before: { weeklyMail: null }, after: { weeklyMail: WEEKLY } },
      ],
    })
  })

  it.each`
    weeklyMail                                | pointer
    ${{ ...WEEKLY, timeZone: 'Europe/Atla' }} | ${'/weeklyMail/timeZone'}
    ${{ ...WEEKLY, at: '24:00' }}             | ${'/weeklyMail/at'}
    ${{ ...WEEKLY, day: 'Monday' }}           | ${'/weeklyMail/day'}
  `(
    'refuses $weeklyMail',
    async ({ weeklyMail, pointer }: { weeklyMail: object; pointer: string }) => {
      const response = await choose(weeklyMail)

      expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
    },
  )

  it('is of the own workspaces only', async () => {
    const stranger = await givenMember(test, (await givenClient(test)).workspaceId)

    expect((await choose(WEEKLY, stranger)).statusCode).toBe(404)
    expect((await openBrowser(test).get('/me/notifications')).statusCode).toBe(401)
  })
})

describe('the mail', () => {
  it('tells what is new, what was decided and what is overdue, each with its link', async () => {
    clock = addDays(MONDAY, -100)
    const overdue = await given('High')
    clock = BEGIN
    const fresh = await given('Critical', true)
    const decided = await given('High')
    await choose(WEEKLY)
    await givenDecision(test.ctx, decided, { ...decided, assessment: 'NotAffected' })

    clock = MONDAY
    await sendDue()

    const [mail] = smtp.mails
    expect(mail).toMatchObject({ to: [member.email] })
    const text = textOf(mail)
    const base = `${test.ctx.config.publicUrl}/w/${client.workspaceId}`
    expect(mail?.headers['subject']).toContain('The week: 1 new, 1 overdue')
    expect(text).toContain('17 – 24 August 2026')
    expect(text).toMatch(new RegExp(`New: 1\n- ${fresh.vulnerabilityId}: Critical, exploited, `))
    expect(text).toContain(`${base}/vulnerabilities/${fresh.vulnerabilityId}`)
    expect(text).toMatch(new RegExp(`Decided: 1\n- ${decided.vulnerabilityId}: not affected`))
    expect(text).toMatch(new RegExp(`Overdue: 1\n- ${overdue.vulnerabilityId}: High, `))
    expect(text).toContain(`${base}/findings?show=active&overdue=1`)
    expect(text).toContain('Figures of the four weeks until 2026-08-23')
    expect(text).toMatch(
      /- Time to triage: Median: .*; 90 % took at most: .*; 2 without a decision/,
    )
    expect(text).toContain(`${base}/figures?from=2026-07-27&to=2026-08-23&figure=timeToTriage`)
    const page = mail ? partOf(mail, 'text/html') : ''
    for (const { vulnerabilityId } of [fresh, decided, overdue])
      expect(page).toContain(`href="${base}/vulnerabilities/${vulnerabilityId}"`)
  })

  it('tells which accepted risks end within a week, and which ended', async () => {
    clock = BEGIN
    const soon = await given('High')
    const over = await given('High')
    const later = await given('High')
    await choose(WEEKLY)
    const ends = [
      [soon, 3],
      [over, 40],
      [later, 30],
    ] as const
    for (const [{ vulnerabilityId }, days] of ends) {
      const acceptance = { until: addDays(MONDAY, days).toISOString() }
      const body = { filter: { cveIds: [vulnerabilityId] }, ignored: true, acceptance }
      const answer = await client.post('/vulnerability-findings/bulk-ignore', body)
      expect(answer.json()).toMatchObject({ changed: 1 })
    }
    clock = addDays(MONDAY, -1)
    await client.post('/acceptances/end', { filter: { cveIds: [over.vulnerabilityId] } })

    clock = MONDAY
    await sendDue()

    const text = textOf(smtp.mails[0])
    expect(text).toContain(
      `Accepted risks that end within a week: 1\n- ${soon.vulnerabilityId}: until 27 August 2026, `,
    )
    expect(text).toContain(
      `Accepted risks that ended: 1\n- ${over.vulnerabilityId}: open again (person), `,
    )
    expect(text).toContain(`/w/${client.workspaceId}/accepted-risks?within=7`)
    expect(text).not.toContain(`${later.vulnerabilityId}: until`)
  })

  it('begins with what belongs to the reader, and counts what each owner has', async () => {
    const own = await given('Critical')
    const rest = await given('High')
    const viewer = await givenMember(test, client.workspaceId, 'Viewer')
    const component = own.vulnerabilityId.replace(/^CVE-2024-(.*)-0$/, '$1')
    const rules = [{ components: [component], team: 'Boot' }]
    const teams = [{ name: 'Boot', memberIds: [member.id] }]
    expect((await client.put('/owner-rules', { teams, rules })).statusCode).toBe(200)
    await choose(WEEKLY)
    await choose(WEEKLY, viewer)

    clock = MONDAY
    await sendDue()

    const mailTo = (email: string) => textOf(smtp.mails.find(({ to }) => to.includes(email)))
    const mine = mailTo(member.email)
    expect(mine).toMatch(new RegExp(`Yours and your teams’: 1\n- ${own.vulnerabilityId}: Critical`))
    expect(mine).toContain(`/findings?show=active&group=single&assignee=${member.id}`)
    expect(mine).toContain('Active, by owner\n- Boot: 1 active, 1 critical\n')
    expect(mine).toContain('- Nobody: 1 active\n')
    expect(mine).toContain(`- ${rest.vulnerabilityId}: High`)
    expect(mailTo(viewer.email)).not.toContain('Yours')
    expect(mailTo(viewer.email)).toContain('- Boot: 1 active, 1 critical')
  })

  it('says so where nothing happened', async () => {
    await choose(WEEKLY)
    clock = MONDAY
    await sendDue()

    const [mail] = smtp.mails
    const text = textOf(mail)
    expect(text).not.toContain('Accepted risks that')
    for (const words of ['No vulnerability is new', 'Nothing was decided', 'Nothing is overdue'])
      expect(text).toContain(words)
  })

  it('carries the newest seal of the audit log in text and HTML, once a day is sealed', async () => {
    await choose(WEEKLY)
    clock = MONDAY
    await sendDue()
    clock = addDays(MONDAY, 7)
    await sealEndedDays(test.ctx, never)
    await sendDue()

    const [before, after] = smtp.mails
    const { seals } = (await client.get('/audit-log/seals')).json<{
      seals: { day: string; seal: string }[]
    }>()
    const [newest] = seals
    const line = `Seal of the audit log until ${newest?.day ?? ''}: ${newest?.seal ?? ''}.`
    expect(newest?.day).toBe('2026-08-30')
    expect(textOf(before)).not.toContain('Seal of the audit log')
    expect(textOf(after)).toContain(line)
    expect(partOf(after as TakenMail, 'text/html').replaceAll('=\r\n', '')).toContain(line)
  })

  it('comes once a week to each who asked, however many nodes send', async () => {
    const second = await givenMember(test, client.workspaceId)
    await givenMember(test, client.workspaceId)
    const left = await givenMember(test, client.workspaceId)
    for (const one of [member, second, left]) await choose(WEEKLY, one)
    await test.ctx.db.deleteFrom('members').where('subjectId', '=', left.id).execute()

    clock = addMs(MONDAY, -1)
    await sendDue()
    const early = smtp.mails.length
    clock = MONDAY
    await Promise.all([sendDue(), sendDue(other), sendDue(other)])
    await sendDue()
    const firstWeek = new Set(smtp.mails.map(({ to }) => to[0]))
    clock = addDays(MONDAY, 7)
    await sendDue()

    expect(early).toBe(0)
    expect(firstWeek).toEqual(new Set([member.email, second.email]))
    expect(smtp.mails).toHaveLength(4)
    expect(new Set(smtp.mails.map(({ headers }) => headers['message-id'])).size).toBe(4)
    expect(await shown()).toMatchObject({
      lastSentAt: addDays(MONDAY, 7).toISOString(),
      nextAt: addDays(MONDAY, 14).toISOString(),
    })
  })

  it('tells of the newest week where no worker ran for several', async () => {
    await choose(WEEKLY)
    clock = addDays(MONDAY, 23)
    await sendDue()
    await sendDue()

    expect(smtp.mails).toHaveLength(1)
    expect(textOf(smtp.mails[0])).toContain('7 – 14 September 2026')
    expect(await shown()).toMatchObject({ nextAt: addDays(MONDAY, 28).toISOString() })
  })

  it('is tried again until the server takes it, as the same mail', async () => {
    await choose(WEEKLY)
    clock = MONDAY
    smtp.trouble = { data: () => ({ reply: '451 Later' }) }
    await sendDue()
    await sendDue()
    const connections = smtp.connections
    const waiting = await shown()
    smtp.trouble = {}
    clock = addMs(MONDAY, 15 * MINUTE_MS)
    await sendDue()

    expect(connections).toBe(1)
    expect(waiting).toMatchObject({ lastSentAt: null, lastAnswer: '451 Later' })
    expect(smtp.mails).toHaveLength(1)
    expect(await shown()).toMatchObject({ lastSentAt: clock.toISOString() })
  })

  it('of a worker that was killed is sent by another one, with the same Message-ID', async () => {
    await choose(WEEKLY)
    clock = MONDAY
    const { mailer } = test.ctx
    if (!mailer) throw new Error('There is no mailer.')
    const send: typeof mailer.send = async (...mail) => {
      await mailer.send(...mail)
      throw new Error('killed before it could note that the mail was sent')
    }
    await expect(sendDueMails({ ...test.ctx, mailer: { send } }, never)).rejects.toThrow('killed')
    await sendDue(other)
    const whileClaimed = smtp.mails.length
    clock = addMs(MONDAY, 10 * MINUTE_MS)
    await sendDue(other)
    await sendDue(test)

    expect(whileClaimed).toBe(1)
    const ids = smtp.mails.map(({ headers }) => headers['message-id'])
    expect(ids).toHaveLength(2)
    expect(new Set(ids).size).toBe(1)
  })

  it('waits a week where the server refuses it for good, and says so', async () => {
    await choose(WEEKLY)
    clock = MONDAY
    smtp.trouble = { rcpt: () => ({ reply: '550 5.1.1 No such user' }) }
    await sendDue()

    expect(await shown()).toMatchObject({
      lastSentAt: null,
      lastAnswer: '550 5.1.1 No such user',
      nextAt: addDays(MONDAY, 7).toISOString(),
    })
  })

  it('comes at a newly chosen time, once', async () => {
    await choose(WEEKLY)
    await choose({ ...WEEKLY, day: 'Sat' })
    clock = new Date('2026-08-22T06:00:00Z')
    await sendDue()
    clock = MONDAY
    await sendDue()

    expect(smtp.mails).toHaveLength(1)
  })
})

describe('its link to get no more', () => {
  async function givenLink(): Promise<string> {
    await choose(WEEKLY)
    clock = MONDAY
    await sendDue()
    const headers = smtp.mails.at(-1)?.headers
    expect(headers?.['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click')
    const url = new URL(/<(.+)>/.exec(headers?.['list-unsubscribe'] ?? '')?.[1] ?? '')
    return url.pathname + url.search
  }

  it('asks, and ends them with a click, for whoever holds it', async () => {
    const link = await givenLink()
    const asked = await test.app.inject({ url: link })
    const stillWanted = await shown()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = 'List-Unsubscribe=One-Click'

    const ended = await test.app.inject({ method: 'POST', url: link, headers: form, payload })
    const again = await test.app.inject({ method: 'POST', url: link, headers: form, payload })

    expect(asked.body).toContain('End these mails?')
    expect(stillWanted.weeklyMail).toEqual(WEEKLY)
    expect(ended.body).toContain('You get no more weekly mails')
    expect(again.body).toContain('No weekly mail is sent to you')
    expect(await shown()).toMatchObject({ weeklyMail: null })
  })

  it('does nothing when it was changed', async () => {
    const link = await givenLink()
    const changed = link.slice(0, -8) + (link.endsWith('AAAAAAAA') ? 'BBBBBBBB' : 'AAAAAAAA')

    const response = await test.app.inject({ method: 'POST', url: changed })

    expect(response.statusCode).toBe(404)
    expect(await shown()).toMatchObject({ weeklyMail: WEEKLY })
  })
})
