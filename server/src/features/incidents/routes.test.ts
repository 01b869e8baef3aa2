import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  givenReportingDevices,
  givenRule,
  type ReportingDevices,
  type ShownIncident,
} from '../../../test/given-alert-rules.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp
let clock: ReportingDevices['clock']
let client: Client
let minute: ReportingDevices['minute']
let findIncidentId: ReportingDevices['findIncidentId']

beforeAll(async () => {
  test = await startTestApp()
})

beforeEach(async () => {
  ;({ clock, client, minute, findIncidentId } = await givenReportingDevices(test, [
    'a',
    'b',
    'c',
    'd',
  ]))
})

interface Page {
  incidents: ShownIncident[]
  nextCursor?: string
  hasMore: boolean
}

const list = async (command: object) =>
  (await client.post('/alert-incidents/list', command)).json<Page>()

describe('incidents', () => {
  it('are listed newest first, page by page, by rule, state and time', async () => {
    const { id } = await givenRule(client)
    const { id: other } = await givenRule(client, {
      condition: { metric: 'temperature', operator: 'GreaterThan', threshold: 95 },
    })
    await minute({ a: 90 })
    await minute({ a: 20 })
    await minute({ a: 99 })

    const all = await list({})
    const pages = [await list({ limit: 2 })]
    pages.push(await list({ limit: 2, cursor: pages[0]?.nextCursor }))
    const ended = await list({ filter: { isOpen: false } })
    const open = await list({ filter: { isOpen: true, alertRuleIds: [id] } })
    const ofOther = await list({ filter: { alertRuleIds: [other] } })
    const early = await list({ filter: { from: clock.instant(1), to: clock.instant(3) } })

    expect(all).toMatchObject({
      incidents: [
        { beganAt: clock.instant(3), endedAt: null },
        { beganAt: clock.instant(3), endedAt: null },
        { beganAt: clock.instant(1), endedAt: clock.instant(2), endedCause: 'Recovered' },
      ],
      hasMore: false,
    })
    expect(pages.flatMap(({ incidents }) => incidents)).toEqual(all.incidents)
    expect(ended.incidents).toEqual(all.incidents.slice(2))
    expect(open.incidents).toMatchObject([{ alertRule: { id } }])
    expect(ofOther.incidents).toMatchObject([{ alertRule: { id: other } }])
    expect(early.incidents).toEqual(all.incidents.slice(2))
    expect(await list({ filter: { alertRuleIds: [] } })).toMatchObject({ incidents: [] })

    const csv = await client.post('/alert-incidents/export', { filter: { isOpen: false } })
    const lines = csv.body.trimEnd().split('\r\n')
    expect(lines[0]).toMatch(/^id,rule,type,conditionText,beganAt,endedAt,endedCause,/)
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(
      ended.incidents.map((incident) => incident.id),
    )
  })

  it.each`
    command                                       | pointer
    ${{ limit: 0 }}                               | ${'/limit'}
    ${{ cursor: 'x' }}                            | ${'/cursor'}
    ${{ filter: { from: 'yesterday' } }}          | ${'/filter/from'}
    ${{ filter: { to: '2026-06-30T23:59:60Z' } }} | ${'/filter/to'}
    ${{ filter: { colour: 'red' } }}              | ${'/filter/colour'}
  `(
    'are not listed for $command',
    async ({ command, pointer }: { command: object; pointer: string }) => {
      const response = await client.post('/alert-incidents/list', command)

      expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
    },
  )

  it('name what fired in them, what fires first, page by page', async () => {
    const { id } = await givenRule(client)
    await minute({ a: 90, b: 91, c: 20, d: 92 })
    await minute({ a: 20, b: 91, c: 93, d: 20 })
    await minute({ a: 94, b: 91, c: 93, d: 20 })
    const path = `/alert-incidents/${await findIncidentId(id)}`

    const shown = await client.get(path)
    const pages = []
    let cursor: string | undefined
    do {
      const page = await client.post(`${path}/series/list`, { limit: 2, ...(cursor && { cursor }) })
      const { series, nextCursor } = page.json<{
        series: { series: string; since: string; until: string | null; valueText: string }[]
        nextCursor?: string
      }>()
      pages.push(series)
      cursor = nextCursor
    } while (cursor !== undefined)

    expect(shown.json()).toMatchObject({ seriesCount: 4, firingSeriesCount: 3 })
    expect(pages.map(({ length }) => length)).toEqual([2, 2, 1])
    const [at1, at2, at3] = [clock.instant(1), clock.instant(2), clock.instant(3)]
    expect(
      pages.flat().map(({ series, since, until, valueText }) => [series, since, until, valueText]),
    ).toEqual([
      ['a', at3, null, '94'],
      ['b', at1, null, '91'],
      ['c', at2, null, '93'],
      ['a', at1, at2, '90'],
      ['d', at1, at2, '92'],
    ])
  })

  it('are acknowledged once, by the first person', async () => {
    const { id } = await givenRule(client, { repeatInterval: '1h' })
    await minute({ a: 90 })
    const path = `/alert-incidents/${await findIncidentId(id)}/acknowledge`

    const first = await client.post(path)
    clock.pass()
    const second = await client.post(path)

    expect(first.json()).toMatchObject({
      acknowledgedAt: clock.instant(1),
      acknowledgedByEmail: expect.stringContaining('@example.com') as string,
      endedAt: null,
    })
    expect(second.json()).toEqual(first.json())
    const log = await client.get('/audit-log?action=alert-incident.acknowledge')
    expect(log.json<{ entries: object[] }>().entries).toHaveLength(1)
  })

  it('are acknowledged no more when that acknowledgement is taken back, and remind again', async () => {
    const { id } = await givenRule(client, { repeatInterval: '1h' })
    await minute({ a: 90 })
    const incidentId = await findIncidentId(id)
    const path = `/alert-incidents/${incidentId}/acknowledge`
    const { acknowledgedAt } = (await client.post(path)).json<{ acknowledgedAt: string }>()
    const stranger = await givenClient(test)

    const refused = [
      await client.post(`${path}/undo`, { acknowledgedAt: '2020-01-01T00:00:00.000Z' }),
      await stranger.post(`${path}/undo`, { acknowledgedAt }),
      await client.post(`${path}/undo`, { acknowledgedAt: 'then' }),
    ]
    const undone = await client.post(`${path}/undo`, { acknowledgedAt })
    const again = await client.post(`${path}/undo`, { acknowledgedAt })

    expect(refused.map(({ statusCode }) => statusCode)).toEqual([409, 404, 400])
    expect(undone.json()).toMatchObject({ acknowledgedAt: null, acknowledgedByEmail: null })
    expect(again.json()).toMatchObject({ type: '/problems/alert-incident-not-acknowledged' })
    const reminder = test.ctx.db.selectFrom('alertIncidents').select('reminderAt')
    const { reminderAt } = await reminder.where('id', '=', incidentId).executeTakeFirstOrThrow()
    expect(reminderAt?.getTime()).toBe(test.ctx.now().getTime() + 3_600_000)
  })

  it('of another workspace are not found', async () => {
    const { id } = await givenRule(client)
    await minute({ a: 90 })
    const path = `/alert-incidents/${await findIncidentId(id)}`
    const stranger = await givenClient(test)

    const answers = [
      await stranger.get(path),
      await stranger.post(`${path}/series/list`, {}),
      await stranger.post(`${path}/acknowledge`),
      await stranger.get('/alert-incidents/no-id'),
    ]

    for (const answer of answers)
      expect(answer.json()).toMatchObject({
        status: 404,
        type: '/problems/alert-incident-not-found',
      })
    expect((await stranger.post('/alert-incidents/list', {})).json()).toMatchObject({
      incidents: [],
    })
    expect((await client.get(path)).json()).toMatchObject({ acknowledgedAt: null })
  })

  it('are acknowledged by those who may write', async () => {
    const { id } = await givenRule(client)
    await minute({ a: 90 })
    const apiKey = await test.givenKey(client.workspaceId, ['Alerts: read'])
    const path = `/workspaces/${client.workspaceId}/alert-incidents`
    const ask = (method: 'GET' | 'POST', end: string) =>
      test.app.inject({
        method,
        url: `${path}/${end}`,
        headers: { authorization: `Bearer ${apiKey}` },
        ...(method === 'POST' && { payload: {} }),
      })
    const incidentId = await findIncidentId(id)

    const answers = [
      await ask('POST', 'list'),
      await ask('GET', incidentId),
      await ask('POST', `${incidentId}/series/list`),
      await ask('POST', `${incidentId}/acknowledge`),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 403])
  })
})

describe('the page a notice leads to', () => {
  it('is the same for every incident, and says where to look', async () => {
    const { id } = await givenRule(client)
    await minute({ a: 90 })
    const incidentId = await findIncidentId(id)
    const page = (ws: string, incident: string) =>
      test.app.inject({ url: `/workspaces/${ws}/incidents/${incident}` })
    const absent = crypto.randomUUID()

    const known = await page(client.workspaceId, incidentId)
    const unknown = await page(client.workspaceId, absent)
    const hostile = await page('x', encodeURIComponent('<script>alert(1)</script>'))

    expect(known.statusCode).toBe(200)
    expect(known.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(known.headers['content-security-policy']).toContain("style-src 'self' 'sha256-")
    expect(known.body).toContain(`plimsoll incident show ${incidentId}`)
    expect(known.body).not.toContain('CPU temperature')
    expect(unknown.body.replaceAll(absent, incidentId)).toBe(known.body)
    expect(hostile.body).not.toContain('<script')
  })
})
