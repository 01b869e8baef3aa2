/** Who is told of what while something is silenced. A rule that is firing above 80, told to one address. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  givenReportingDevices,
  givenRule,
  type ReportingDevices,
  ruleBody,
  type ShownRule,
} from '../../../../test/given-alert-rules.ts'
import { confirmByLink, givenTarget } from '../../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../../test/given.ts'

let test: TestApp
let clock: ReportingDevices['clock']
let client: Client
let minute: ReportingDevices['minute']

beforeAll(async () => {
  test = await startTestApp()
})

beforeEach(async () => {
  ;({ clock, client, minute } = await givenReportingDevices(test, ['a', 'b', 'c']))
})

async function givenToldRule(more: object = {}): Promise<ShownRule> {
  const { id } = await givenTarget(client, ['a@example.com'])
  await confirmByLink(test, client.workspaceId, 'a@example.com')
  return givenRule(client, { targets: [{ id }], ...more })
}

async function tellEvents(): Promise<string[]> {
  const rows = await test.ctx.db
    .selectFrom('notifications')
    .select('notice')
    .where('workspaceId', '=', client.workspaceId)
    .where('kind', '=', 'Incident')
    .orderBy('createdAt')
    .execute()
  return rows.map(({ notice }) => {
    const { event, title } = notice as { event: string; title: string }
    return `${event}: ${title.split(': ')[1]}`
  })
}

interface Silence {
  id: string
  isActive: boolean
  seriesCount: number | null
}

interface Incident {
  id: string
  endedAt: string | null
  silencedUntil: string | null
}

async function newestIncident(): Promise<Incident> {
  const page = await client.post('/alert-incidents/list', { limit: 1 })
  const [incident] = page.json<{ incidents: Incident[] }>().incidents
  if (!incident) throw new Error('nothing fired')
  return incident
}

/** In minutes of the clock. */
async function silence(until: number, more: object = {}): Promise<Silence> {
  const { id } = await newestIncident()
  const body = { until: clock.instant(until), reason: 'The fan is due', ...more }
  const response = await client.post(`/alert-incidents/${id}/silence`, body)
  expect(response.statusCode).toBe(201)
  return response.json<Silence>()
}

describe('a silence of what fired', () => {
  it('keeps the end, and another beginning, from being told', async () => {
    await givenToldRule()
    await minute({ a: 90 })

    await silence(10)
    await minute({ a: 20 })
    await minute({ a: 90 })
    await minute({ a: 20 })

    expect(await tellEvents()).toEqual(['Fired: firing on a'])
  })

  it('lets people be told at its end of what is still firing: once, and then as the rule says', async () => {
    await givenToldRule({ repeatInterval: '2m' })
    await minute({ a: 90 })

    await silence(5)
    for (const value of [90, 90, 90]) await minute({ a: value })
    const before = await tellEvents()
    const held = await newestIncident()
    for (const value of [90, 90, 90]) await minute({ a: value })

    expect(held.silencedUntil).toBe(clock.instant(5))
    expect(before).toEqual(['Fired: firing on a'])
    expect(await tellEvents()).toEqual([
      ...before,
      'StillFiring: still firing on a',
      'StillFiring: still firing on a',
    ])
    expect((await newestIncident()).silencedUntil).toBeNull()
  })

  it('lets people be told of what began meanwhile and is still firing, without reminders too', async () => {
    await givenToldRule()
    await minute({ a: 90 })
    await silence(5)
    await minute({ a: 20 })
    await minute({ a: 90 })

    for (const value of [90, 90, 90, 90]) await minute({ a: value })

    expect(await tellEvents()).toEqual(['Fired: firing on a', 'Fired: firing on a'])
  })

  it('does not cover what is firing beside it', async () => {
    await givenToldRule()
    await minute({ a: 90 })
    const { seriesCount } = await silence(60)
    await minute({ a: 20 })
    await minute({ a: 90 })
    const alone = await newestIncident()

    await minute({ a: 90, b: 91 })

    expect(seriesCount).toBe(1)
    expect(alone.silencedUntil).toBe(clock.instant(60))
    expect((await newestIncident()).silencedUntil).toBeNull()
    expect(await tellEvents()).toEqual(['Fired: firing on a', 'Fired: firing on 2 devices'])
  })

  it('is not told at its end of an incident that somebody acknowledged', async () => {
    await givenToldRule()
    await minute({ a: 90 })
    await silence(3)
    const { id } = await newestIncident()

    await client.post(`/alert-incidents/${id}/acknowledge`)
    for (const value of [90, 90, 90]) await minute({ a: value })

    expect(await tellEvents()).toEqual(['Fired: firing on a'])
  })
})

it('of a rule covers whatever is firing by it, and no other rule', async () => {
  const { targets } = await givenToldRule()
  await minute({ a: 90 })
  const { seriesCount } = await silence(60, { covers: 'Rule' })
  const condition = { ...ruleBody().condition, threshold: 85 }
  await givenRule(client, { name: 'Other', targets: targets.map(({ id }) => ({ id })), condition })
  await minute({ a: 20 })
  await minute({ b: 90 })

  expect(seriesCount).toBeNull()
  expect(await tellEvents()).toEqual(['Fired: firing on a', 'Fired: firing on b'])
})

describe('a silence that somebody ends', () => {
  it('does not tell again what was told, and tells what began meanwhile', async () => {
    await givenToldRule()
    await minute({ a: 90 })
    const first = await silence(60)
    await client.post(`/alert-silences/${first.id}/end`)
    await minute({ a: 90 })
    const told = await tellEvents()
    const second = await silence(60)
    await minute({ a: 20 })
    await minute({ a: 90 })

    const ended = await client.post(`/alert-silences/${second.id}/end`)
    await minute({ a: 90 })

    expect(told).toEqual(['Fired: firing on a'])
    expect(ended.json()).toMatchObject({
      isActive: false,
      endedAt: clock.instant(4),
      endedByEmail: expect.stringContaining('@example.com') as string,
    })
    expect(await tellEvents()).toEqual(['Fired: firing on a', 'Fired: firing on a'])
    const again = await client.post(`/alert-silences/${second.id}/end`)
    expect(again.json()).toMatchObject({ status: 409, type: '/problems/alert-silence-ended' })
  })

  it('stands in the log, with its beginning', async () => {
    await givenToldRule()
    await minute({ a: 90 })
    const { id } = await silence(60, { covers: 'Rule' })
    await client.post(`/alert-silences/${id}/end`)

    const { entries } = (await client.get('/audit-log?limit=2')).json<{
      entries: { summary: string }[]
    }>()

    expect(entries.map(({ summary }) => summary)).toEqual([
      expect.stringContaining('ended the silence of the rule CPU temperature'),
      expect.stringContaining(
        'silenced the rule CPU temperature until 2026-08-22 11:00 UTC: The fan is due',
      ),
    ])
  })
})

describe('silences', () => {
  it('are listed newest first, page by page, those that last and those of an incident', async () => {
    await givenToldRule()
    await minute({ a: 90 })
    const { id: incidentId } = await newestIncident()
    const short = await silence(2)
    await minute({ a: 20 })
    const long = await silence(60)
    await minute({ b: 90 })
    const { id: later } = await newestIncident()
    const list = async (query: string) => {
      const page = (await client.get(`/alert-silences?${query}`)).json<{
        silences: Silence[]
        nextCursor?: string
      }>()
      return { ids: page.silences.map(({ id }) => id), next: page.nextCursor ?? '' }
    }

    const first = await list('limit=1')
    const second = await list(`limit=1&cursor=${encodeURIComponent(first.next)}`)

    expect([...first.ids, ...second.ids]).toEqual([long.id, short.id])
    expect((await list('isActive=true')).ids).toEqual([long.id])
    expect((await list('isActive=false')).ids).toEqual([short.id])
    expect((await list(`alertIncidentId=${incidentId}`)).ids).toEqual([long.id, short.id])
    // What is firing there is another device.
    expect((await list(`alertIncidentId=${later}`)).ids).toEqual([])
    expect((await list('alertIncidentId=none')).ids).toEqual([])
  })

  it.each`
    change                                   | pointer
    ${{ until: '2026-08-22T09:00:00.000Z' }} | ${'/until'}
    ${{ until: '2027-08-22T09:00:00.000Z' }} | ${'/until'}
    ${{ until: 'soon' }}                     | ${'/until'}
    ${{ reason: ' ' }}                       | ${'/reason'}
    ${{ covers: 'All' }}                     | ${'/covers'}
  `(
    'are refused with $change',
    async ({ change, pointer }: { change: object; pointer: string }) => {
      await givenToldRule()
      await minute({ a: 90 })
      const { id } = await newestIncident()
      const body = { until: clock.instant(60), reason: 'Due', ...change }

      const response = await client.post(`/alert-incidents/${id}/silence`, body)

      expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
      expect((await client.get('/alert-silences')).json()).toMatchObject({ silences: [] })
    },
  )

  it('of another workspace are not found', async () => {
    await givenToldRule()
    await minute({ a: 90 })
    const { id } = await silence(60)
    const { id: incidentId } = await newestIncident()
    const stranger = await givenClient(test)

    const answers = [
      await stranger.post(`/alert-silences/${id}/end`),
      await stranger.post(`/alert-incidents/${incidentId}/silence`, {
        until: clock.instant(60),
        reason: 'Mine',
      }),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
    expect((await stranger.get('/alert-silences')).json()).toMatchObject({ silences: [] })
    expect((await client.get('/alert-silences')).json()).toMatchObject({
      silences: [{ id, isActive: true }],
    })
  })
})
