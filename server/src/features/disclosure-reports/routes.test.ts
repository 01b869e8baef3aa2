/** Reports from outside: the public page as strangers use it, and what the team makes of them through the API. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Browser, givenMember } from '../../../test/given-people.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { sql } from 'kysely'
import { sendReportMail, tellWhoAnswers } from './mails-service.ts'

let test: TestApp
let client: Client
/** A Monday. */
let now = new Date('2026-11-02T10:00:00.000Z')
let address = 1
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
  now = new Date('2026-11-02T10:00:00.000Z')
  address += 1
  sent.length = 0
  client = await givenClient(test)
})

const formPath = (of = client) => `/public/${of.workspaceId}/report`

async function open(more: object = {}): Promise<void> {
  const { statusCode, body } = await client.put('/disclosure-policy', { isPublic: true, ...more })
  expect([statusCode, body]).toEqual([200, body])
}

const post = (url: string, fields: Record<string, string>) =>
  test.app.inject({
    method: 'POST',
    url,
    remoteAddress: `192.0.2.${address}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })

const TEXT = { title: 'Root over the console', text: 'Hold the button while it starts.' }

/** Sends a report and answers the address of its page. */
async function report(fields: Record<string, string> = {}, of = client): Promise<string> {
  const answer = await post(formPath(of), { ...TEXT, ...fields })
  expect(answer.statusCode).toBe(303)
  return `/public/${of.workspaceId}/${String(answer.headers.location)}`
}

const read = async (url: string) => {
  const answer = await test.app.inject({ url })
  expect(answer.statusCode).toBe(200)
  return answer.body
}

interface Shown {
  id: string
  title: string
  text: string
  contact: string | null
  credit: string | null
  state: string
  caseId: string | null
  isWaiting: boolean
  isLate: boolean
  embargoUntil: string | null
  nextStep: string | null
  clocks: { step: string; dueAt: string; doneAt: string | null; state: string }[]
  events: { kind: string; text: string | null; isByReporter: boolean }[]
}

async function list(query = ''): Promise<{ reports: Shown[]; counts: Record<string, number> }> {
  return (await client.get(`/disclosure-reports${query}`)).json()
}

async function onlyReport(): Promise<Shown> {
  const { reports } = await list()
  const shown = await client.get(`/disclosure-reports/${reports[0]?.id ?? ''}`)
  return shown.json<Shown>()
}

const act = async (id: string, what: string, body: object) =>
  client.post(`/disclosure-reports/${id}/${what}`, body)

it('shows nothing and takes nothing before somebody switches the page on, and after it is off', async () => {
  const before = [await test.app.inject({ url: formPath() }), await post(formPath(), TEXT)]
  await open()
  const link = await report()
  await client.patch('/disclosure-policy', { isPublic: false })
  const after = [await test.app.inject({ url: formPath() }), await post(formPath(), TEXT)]

  expect([...before, ...after].map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404])
  expect(before[0]?.body).toBe((await test.app.inject({ url: formPath() })).body)
  expect(await read(link)).toContain('Root over the console')
})

it('needs no script, loads nothing, and lets nothing keep or frame its pages', async () => {
  await open()
  const pages = [formPath(), await report()]

  for (const url of pages) {
    const { headers, body } = await test.app.inject({ url })
    expect(body).not.toMatch(/<script|src=|@import|url\(/)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  }
})

it('promises times as good practice, and no secrecy, which only people can keep', async () => {
  await open()
  const { body } = await test.app.inject({ url: formPath() })

  expect(body.match(/>good practice</g)).toHaveLength(2)
  expect(body).not.toMatch(/confiden|secre|discreet/i)
})

it('takes an anonymous report, and shows whoever sent it what people answer, and nothing of the team', async () => {
  await open()
  const link = await report()
  const { id, contact } = await onlyReport()
  await act(id, 'answers', { text: 'Thank you, we look.' })
  await act(id, 'notes', { text: 'Only we read this.' })
  const made = await act(id, 'propose', { title: 'A secret name of a case' })
  await post(link, { text: 'It also works on the old board.' })

  const page = await read(link)
  const shown = await onlyReport()

  expect(contact).toBeNull()
  expect(page).toContain('Thank you, we look.')
  expect(page).toContain('It also works on the old board.')
  expect(page).toContain('Accepted')
  expect(page).not.toContain('Only we read this.')
  expect(page).not.toContain('A secret name')
  expect(page).not.toContain(made.json<Shown>().caseId ?? 'none')
  expect(shown.events.map(({ kind, isByReporter }) => [kind, isByReporter])).toEqual([
    ['Answer', false],
    ['Note', false],
    ['Joined', false],
    ['Addition', true],
  ])
  expect(shown.isWaiting).toBe(true)
})

it('shows markup, direction marks and formulas as text', async () => {
  await open({ policy: '<b>Policy</b>' })
  const hostile = '<script>alert(1)</script>"\'\u202egnp.exe =HYPERLINK("x")'
  const link = await report({
    title: hostile,
    text: `${hostile}\u0000`,
    contact: hostile,
    credit: hostile,
  })
  const { id } = await onlyReport()
  await act(id, 'answers', { text: hostile })

  const page = await read(link)
  const form = await read(formPath())
  const refused = (await post(formPath(), { title: hostile, text: '' })).body

  for (const body of [page, form, refused]) expect(body).not.toMatch(/<script|<b>/)
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(form).toContain('&lt;b&gt;Policy')
  expect(refused).toContain('value="&lt;script&gt;')
  expect((await onlyReport()).text).toBe(`${hostile}\uFFFD`)
})

it('counts its clocks in working days and days by the policy, and marks none as law', async () => {
  await open()
  const link = await report()
  const { id, clocks } = await onlyReport()

  expect(clocks.map(({ step, dueAt }) => [step, dueAt])).toEqual([
    ['Answer', '2026-11-09T10:00:00.000Z'],
    ['Assessment', '2026-11-16T10:00:00.000Z'],
    ['Disclosure', '2027-01-31T10:00:00.000Z'],
  ])
  expect(await read(link)).toContain('good practice')

  now = new Date('2026-11-10T10:00:00.000Z')
  expect((await list()).counts).toEqual({ waiting: 1, late: 1, open: 1, all: 1 })
  await act(id, 'answers', { text: 'Sorry for the wait.' })
  await act(id, 'embargo', { until: '2026-12-24T00:00:00Z', reason: 'Agreed' })
  const answered = await onlyReport()

  expect(answered.clocks.map(({ state }) => state)).toEqual(['DoneLate', 'Running', 'Running'])
  expect(answered.clocks[2]?.dueAt).toBe('2026-12-24T00:00:00.000Z')
  expect(answered).toMatchObject({ state: 'Answered', nextStep: 'Assessment', isLate: false })
})

it('becomes a proposal whose first hint is when the report was received, and starts no clock', async () => {
  await open()
  await report()
  const { id } = await onlyReport()
  now = new Date('2026-11-03T10:00:00.000Z')

  const proposed = (await act(id, 'propose', { title: 'Root over the console' })).json<Shown>()

  const made = (await client.get(`/cases/${proposed.caseId}`)).json<object>()
  expect(made).toMatchObject({
    origin: 'Report',
    state: 'Proposed',
    signalAt: '2026-11-02T10:00:00.000Z',
    awareAt: null,
    clocks: [],
  })
  expect((await list(`?caseId=${proposed.caseId}`)).reports.map((one) => one.id)).toEqual([id])
})

it('joins a case, whose first hint may then be older, and moves to another one', async () => {
  await open()
  await report()
  const { id } = await onlyReport()
  now = new Date('2026-11-04T10:00:00.000Z')
  const begin = async (title: string) =>
    (await client.post('/cases', { type: 'Vulnerability', title, productLineIds: [] })).json<{
      id: string
    }>().id
  const [one, two] = [await begin('One'), await begin('Two')]

  const joined = await act(id, 'join', { caseId: one })
  const again = await act(id, 'join', { caseId: one })
  await act(id, 'join', { caseId: two })
  const foreign = await act(id, 'join', { caseId: crypto.randomUUID() })

  expect(joined.json()).toMatchObject({ caseId: one, state: 'Accepted', isWaiting: true })
  expect(again.statusCode).toBe(409)
  expect(foreign.statusCode).toBe(404)
  expect((await onlyReport()).caseId).toBe(two)
  expect((await client.get(`/cases/${one}`)).json()).toMatchObject({
    signalAt: '2026-11-02T10:00:00.000Z',
  })
})

it('is dismissed with a reason that whoever reported does not see, and reopened', async () => {
  await open()
  const link = await report()
  const { id } = await onlyReport()

  const dismissed = await act(id, 'dismiss', { as: 'Spam', reason: 'Sells something.' })
  const page = await read(link)
  const twice = await act(id, 'dismiss', { as: 'Spam', reason: 'Sells something.' })
  const reopened = await act(id, 'reopen', { reason: 'It was none.' })

  expect(dismissed.json()).toMatchObject({
    state: 'Dismissed',
    dismissal: 'Spam',
    isWaiting: false,
  })
  expect(page).toContain('Closed.')
  expect(page).not.toContain('Sells something')
  expect(twice.statusCode).toBe(409)
  expect(reopened.json()).toMatchObject({ state: 'New', isWaiting: true })
})

it('names the report that a duplicate repeats, which is another one of the same workspace', async () => {
  await open()
  await report()
  const first = (await onlyReport()).id
  now = new Date(now.getTime() + 60_000)
  await report({ title: 'The same again' })
  const second = (await list()).reports.find(({ title }) => title === 'The same again')?.id ?? ''
  const dismiss = (duplicateOfId: string, as = 'Duplicate') =>
    act(second, 'dismiss', { as, reason: 'Known.', duplicateOfId })

  expect((await dismiss(second)).statusCode).toBe(400)
  expect((await dismiss(first, 'Spam')).statusCode).toBe(400)
  expect((await dismiss(crypto.randomUUID())).statusCode).toBe(404)
  expect((await dismiss(first)).json()).toMatchObject({ duplicateOfId: first })
})

it('ends by its disclosure, which is in no future, and keeps who is to be thanked', async () => {
  await open()
  const link = await report({ credit: 'Ada' })
  const { id } = await onlyReport()
  const disclose = (disclosedAt: string) => act(id, 'disclose', { disclosedAt })

  expect((await disclose('2026-11-03T00:00:00Z')).statusCode).toBe(400)
  await act(id, 'credit', { credit: 'Ada of Example Labs' })
  expect((await disclose('2026-11-02T09:00:00Z')).json()).toMatchObject({
    state: 'Disclosed',
    credit: 'Ada of Example Labs',
    disclosedAt: '2026-11-02T09:00:00.000Z',
  })
  expect(await read(link)).toContain('Ada of Example Labs')
})

it('takes a form that is sent twice once, and tells of one that was changed meanwhile', async () => {
  await open()
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await read(formPath())) ?? []
  const [first, second] = await Promise.all([report({ token }), report({ token })])

  const changed = await post(formPath(), { ...TEXT, token, title: 'Another one' })

  expect(first).toBe(second)
  expect((await list()).reports).toHaveLength(1)
  expect(changed.statusCode).toBe(409)
  expect(changed.body).toContain('Another one')
})

it.each`
  fields                          | says
  ${{ text: '' }}                 | ${'The description is missing.'}
  ${{ text: 'x'.repeat(20_001) }} | ${'has 20001 characters'}
  ${{ title: ' \n ' }}            | ${'The subject is missing.'}
  ${{ contact: 'x'.repeat(501) }} | ${'The contact has 501'}
`(
  'gives a form that cannot be taken back with what was written: $says',
  async ({ fields, says }) => {
    await open()

    const { statusCode, body } = await post(formPath(), { ...TEXT, ...(fields as object) })

    expect(statusCode).toBe(400)
    expect(body).toContain(says)
    expect((await list()).reports).toEqual([])
  },
)

it('takes 20,000 characters with line breaks as a browser sends them', async () => {
  await open()
  await report({ text: `${'é'.repeat(9_999)}\r\n${'😀'.repeat(5_000)}` })

  expect((await onlyReport()).text).toHaveLength(20_000)
})

it('takes ten things of one address, and as many reports in a day as the policy says', async () => {
  await open({ mostPerDay: 3 })
  for (const title of ['One', 'Two', 'Three']) await report({ title })
  const full = await post(formPath(), TEXT)
  now = new Date(now.getTime() + 25 * 3_600_000)
  await report({ title: 'Next day' })

  const others = []
  for (let index = 0; index < 6; index++) others.push((await post(formPath(), TEXT)).statusCode)

  expect(full.statusCode).toBe(429)
  expect(full.headers['retry-after']).toBe('3600')
  expect(full.body).toContain('Hold the button')
  expect(others.at(-1)).toBe(429)
  expect((await list()).reports.length).toBeLessThanOrEqual(6)
})

it('answers links of nobody, of another workspace, and of half a token like what does not exist', async () => {
  await open()
  const link = await report()
  const other = await givenClient(test)
  await other.put('/disclosure-policy', { isPublic: true })
  const [, token = ''] = link.split('token=')
  const links = [
    `${formPath(other)}/status?token=${token}`,
    `${formPath()}/status?token=${token.slice(0, 20)}`,
    `${formPath()}/status?token=${'A'.repeat(43)}`,
    `${formPath()}/status`,
    `/public/nobody/report/status?token=${token}`,
  ]

  for (const url of links) {
    expect((await test.app.inject({ url })).statusCode).toBe(404)
    expect((await post(url, { text: 'x' })).statusCode).toBe(404)
  }
  const { id } = await onlyReport()
  expect((await other.get(`/disclosure-reports/${id}`)).statusCode).toBe(404)
  expect((await other.post(`/disclosure-reports/${id}/answers`, { text: 'x' })).statusCode).toBe(
    404,
  )
})

it('lets viewers read, engineers answer, and admins alone dismiss or change the page', async () => {
  await open()
  await report()
  const { id } = await onlyReport()
  const browsers: Record<string, Browser> = {}
  for (const role of ['Viewer', 'Engineer', 'Admin'] as const)
    browsers[role] = (await givenMember(test, client.workspaceId, role)).browser
  const tried = async (role: string) => {
    const { get, post: send } = browsers[role] ?? {}
    const base = `/workspaces/${client.workspaceId}/disclosure-reports/${id}`
    return [
      (await get?.(base))?.statusCode,
      (await send?.(`${base}/answers`, { text: 'x' }))?.statusCode,
      (await send?.(`${base}/dismiss`, { as: 'OutOfScope', reason: 'x' }))?.statusCode,
    ]
  }

  expect(await tried('Viewer')).toEqual([200, 403, 403])
  expect(await tried('Engineer')).toEqual([200, 200, 403])
  expect(await tried('Admin')).toEqual([200, 200, 200])
})

it('erases the contact for good where whoever reported asks for it, and keeps the report', async () => {
  await open()
  const link = await report({ contact: 'eve@home.example', credit: 'Eve' })
  const { id } = await onlyReport()
  const { browser: engineer } = await givenMember(test, client.workspaceId, 'Engineer')
  const path = `/workspaces/${client.workspaceId}/disclosure-reports/${id}/erase-contact`
  const body = { reason: 'Asked for on the page of the report' }

  expect((await engineer.post(path, body)).statusCode).toBe(403)
  expect((await onlyReport()).contact).toBe('eve@home.example')
  const erased = await act(id, 'erase-contact', body)

  expect(erased.json()).toMatchObject({
    contact: null,
    contactErasedAt: now.toISOString(),
    credit: 'Eve',
    text: TEXT.text,
    events: [{ kind: 'ContactErased', text: body.reason, isByReporter: false }],
  })
  const again = await act(id, 'erase-contact', body)
  expect(again.json()).toMatchObject({ status: 409, type: '/problems/report-without-contact' })
  expect(await read(link)).toContain(TEXT.title)
  const log = await client.get('/audit-log?action=disclosure-report.erase-contact')
  expect(log.body).toContain(body.reason)
  const { rows } = await sql`
    select from disclosure_reports as held
    where held.workspace_id = ${client.workspaceId} and held::text like '%eve@home%'
    union all
    select from disclosure_report_events as held
    where held.workspace_id = ${client.workspaceId} and held::text like '%eve@home%'
    union all
    select from audit_log as held
    where held.workspace_id = ${client.workspaceId} and held::text like '%eve@home%'`.execute(
    test.ctx.db,
  )
  expect(rows).toEqual([])
})

it('mails those who may answer once an hour at most, without a word of the report', async () => {
  await open()
  const engineer = await givenMember(test, client.workspaceId, 'Engineer')
  const viewer = await givenMember(test, client.workspaceId, 'Viewer')
  const tell = async () => {
    await Promise.all([tellWhoAnswers(test.ctx), tellWhoAnswers(test.ctx)])
    const { rows } = await sql<{ data: Parameters<typeof sendReportMail>[1] }>`
      delete from pgboss.job where name = 'disclosure-reports.mail' and state < 'active'
        and data ->> 'workspaceId' = ${client.workspaceId} returning data`.execute(test.ctx.db)
    for (const { data } of rows) await sendReportMail(test.ctx, data, new AbortController().signal)
    return sent.splice(0).filter(({ to }) => to === engineer.email || to === viewer.email)
  }
  const link = await report()
  await report({ title: 'Two' })

  const first = await tell()
  now = new Date(now.getTime() + 60_000)
  await post(link, { text: 'More' })
  const soon = await tell()
  now = new Date(now.getTime() + 61 * 60_000)
  const later = await tell()
  const nothingNew = await tell()

  expect(first.map(({ to }) => to)).toEqual([engineer.email])
  expect(first[0]?.subject).toContain('2 reports from outside wait')
  expect(first[0]?.text).not.toContain('console')
  expect([soon, later.map(({ to }) => to), nothingNew]).toEqual([[], [engineer.email], []])
})

it('keeps the order of events where the clock of the host is set back', async () => {
  await open()
  await report()
  const { id } = await onlyReport()
  await act(id, 'dismiss', { as: 'Spam', reason: 'x' })
  now = new Date('2026-11-01T00:00:00.000Z')

  const reopened = await act(id, 'reopen', { reason: 'x' })

  expect(reopened.json()).toMatchObject({ state: 'New' })
})
