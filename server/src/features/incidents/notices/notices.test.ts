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
import type { Client } from '../../../../test/given.ts'
import type { Notice } from '../../notifications/index.ts'
import { sendReminders } from '../reminders/service.ts'

let test: TestApp
let clock: ReportingDevices['clock']
let client: Client
let minute: ReportingDevices['minute']

beforeAll(async () => {
  test = await startTestApp()
})

beforeEach(async () => {
  const ids = Array.from({ length: 25 }, (_, at) => `d${String(at).padStart(2, '0')}`)
  ;({ clock, client, minute } = await givenReportingDevices(test, ids))
})

async function givenReader(address: string): Promise<{ id: string }> {
  const { id } = await givenTarget(client, [address])
  await confirmByLink(test, client.workspaceId, address)
  return { id }
}

interface StoredNotice {
  eventKey: string
  address: string | null
  incidentId: string
  notice: Notice
}

/** The notifications of incidents, oldest first. */
async function notices(): Promise<StoredNotice[]> {
  const rows = await test.ctx.db
    .selectFrom('notifications')
    .select(['eventKey', 'address', 'incidentId', 'notice'])
    .where('workspaceId', '=', client.workspaceId)
    .where('kind', '=', 'Incident')
    .orderBy('createdAt')
    .orderBy('address')
    .execute()
  return rows.map((row) => row as unknown as StoredNotice)
}

const events = async () => (await notices()).map(({ notice }) => notice.event)

describe('an incident', () => {
  it('is notified when it begins, with a text and the worst series first', async () => {
    const target = await givenReader('a@example.com')
    await givenRule(client, { targets: [target] })
    const hot = Object.fromEntries(
      Array.from({ length: 25 }, (_, at) => [`d${String(at).padStart(2, '0')}`, 81 + at]),
    )

    await minute(hot)

    const [{ eventKey, address, incidentId, notice }] = (await notices()) as [StoredNotice]
    expect([eventKey, address]).toEqual([`${incidentId}:fired`, 'a@example.com'])
    const condition = 'Average of temperature over 1 minute is above 80, on each device'
    expect(notice).toMatchObject({
      event: 'Fired',
      workspaceName: 'Acme',
      title: 'CPU temperature: firing on 25 devices',
      text: `${condition}. The condition is met on 25 devices.`,
      facts: [
        { name: 'Alert rule', value: 'CPU temperature' },
        { name: 'Condition', value: condition },
        { name: 'Began', value: '2026-08-22 10:01 UTC' },
        { name: 'Firing devices', value: '25' },
        { name: 'Devices in total', value: '25' },
      ],
      moreItems: 5,
      path: `/workspaces/${client.workspaceId}/incidents/${incidentId}`,
      at: clock.instant(1),
      data: { incidentId, seriesCount: 25, firingSeriesCount: 25, endedAt: null },
    })
    expect(notice.items).toHaveLength(20)
    expect(notice.items[0]).toEqual({
      label: 'd24',
      value: '105',
      since: clock.instant(1),
      path: `/w/${client.workspaceId}/devices/d24`,
    })
  })

  it('lists the lowest values first where low is bad, and names a single device', async () => {
    const target = await givenReader('a@example.com')
    const cold = { metric: 'temperature', operator: 'LessThan', threshold: -10 }
    await givenRule(client, { name: 'Cold', targets: [target], condition: cold })

    await minute({ d00: -20.5 })
    await minute({ d00: -15, d01: -30, d02: -12 })
    await minute({ d00: 0, d01: 0, d02: 0 })

    const [fired, resolved] = (await notices()).map(({ notice }) => notice)
    expect(fired?.title).toBe('Cold: firing on d00')
    expect(fired?.items).toMatchObject([{ label: 'd00', value: '−20.5', since: clock.instant(1) }])
    expect(resolved).toMatchObject({
      event: 'Resolved',
      title: 'Cold: resolved',
      at: clock.instant(3),
      moreItems: 0,
    })
    expect(resolved?.text).toContain(
      'The condition is no longer met. The incident lasted 2 minutes, with 3 devices.',
    )
    expect(resolved?.items.map(({ label }) => label)).toEqual(['d01', 'd00', 'd02'])
  })

  it('of all devices together is notified without a count', async () => {
    const target = await givenReader('a@example.com')
    const condition = { ...ruleBody().condition, groupBy: 'None' }
    await givenRule(client, { targets: [target], condition })

    await minute({ d00: 90, d01: 91 })

    const [fired] = await notices()
    expect(fired?.notice).toMatchObject({
      title: 'CPU temperature: firing',
      items: [{ label: 'All devices together', value: '90.5' }],
    })
  })

  it('is notified once to an address in two targets, and not at all without targets', async () => {
    const targets = [await givenReader('a@example.com'), await givenReader('a@example.com')]
    await givenRule(client, { targets })
    await givenRule(client, { name: 'Nobody' })

    await minute({ d00: 90 })

    expect((await notices()).map(({ notice }) => notice.title)).toEqual([
      'CPU temperature: firing on d00',
    ])
  })

  it.each`
    change                                                | words
    ${() => ruleBody({ evaluationFrequency: '5m' })}      | ${'The rule was changed'}
    ${() => ruleBody({ state: 'Disabled', targets: [] })} | ${'The rule was disabled'}
    ${undefined}                                          | ${'The rule was deleted'}
  `(
    'is told to have ended to those who knew of it: $words',
    async ({ change, words }: { change?: () => object; words: string }) => {
      const target = await givenReader('a@example.com')
      const { id } = await givenRule(client, { targets: [target] })
      await minute({ d00: 90 })
      clock.pass()

      if (change) await client.put(`/alert-rules/${id}`, change())
      else await client.delete(`/alert-rules/${id}`)

      const [, ended] = await notices()
      expect(ended).toMatchObject({
        address: 'a@example.com',
        notice: { event: 'Resolved', title: 'CPU temperature: ended' },
      })
      expect(ended?.notice.text).toContain(words)
    },
  )

  it('ends without a notification if its rule wants none', async () => {
    const target = await givenReader('a@example.com')
    await givenRule(client, { targets: [target], notifyResolved: false })

    await minute({ d00: 90 })
    await minute({ d00: 20 })

    expect(await events()).toEqual(['Fired'])
  })

  it('ends without a notification if its beginning had none', async () => {
    const { id: targetId } = await givenTarget(client, ['late@example.com'])
    await givenRule(client, { targets: [{ id: targetId }] })

    await minute({ d00: 90 })
    await confirmByLink(test, client.workspaceId, 'late@example.com')
    await minute({ d00: 20 })

    expect(await events()).toEqual([])
  })
})

describe('a reminder', () => {
  it('comes at the interval of the rule while the incident is open', async () => {
    const target = await givenReader('a@example.com')
    await givenRule(client, { targets: [target], repeatInterval: '2m' })

    for (const value of [90, 91, 92, 93, 94, 20, 20, 20, 20]) await minute({ d00: value })

    expect(await events()).toEqual(['Fired', 'StillFiring', 'StillFiring', 'Resolved'])
    const [, reminder] = await notices()
    expect(reminder?.eventKey).toBe(`${reminder?.incidentId}:reminder:${clock.instant(3)}`)
    expect(reminder?.notice.title).toBe('CPU temperature: still firing on d00')
    expect(reminder?.notice.text).toContain('the incident has lasted 2 minutes')
  })

  it('comes once after a pause, however many workers look', async () => {
    const target = await givenReader('a@example.com')
    const condition = { ...ruleBody().condition, onNoData: 'Keep' }
    await givenRule(client, { targets: [target], repeatInterval: '2m', condition })
    await minute({ d00: 90 })
    const other = await startTestApp({}, test.connectionString)
    other.ctx.now = () => test.ctx.now()
    clock.pass(60 * 60_000)

    await Promise.all([sendReminders(test.ctx), sendReminders(other.ctx), sendReminders(test.ctx)])
    await sendReminders(other.ctx)

    expect(await events()).toEqual(['Fired', 'StillFiring'])
  })

  it('does not come once somebody acknowledged it', async () => {
    const target = await givenReader('a@example.com')
    const { id } = await givenRule(client, { targets: [target], repeatInterval: '2m' })
    await minute({ d00: 90 })
    const { incidentId } = (await client.get(`/alert-rules/${id}`)).json<ShownRule>()

    await client.post(`/alert-incidents/${incidentId}/acknowledge`)
    for (const value of [90, 91, 92]) await minute({ d00: value })

    expect(await events()).toEqual(['Fired'])
  })

  it('follows a change of the rule', async () => {
    const target = await givenReader('a@example.com')
    const more = { targets: [target] }
    const { id } = await givenRule(client, more)
    await minute({ d00: 90 })

    await client.put(`/alert-rules/${id}`, ruleBody({ ...more, repeatInterval: '1m' }))
    await minute({ d00: 90 })
    await client.put(`/alert-rules/${id}`, ruleBody(more))
    await minute({ d00: 90 })

    expect(await events()).toEqual(['Fired', 'StillFiring'])
  })
})

it('fails neither rule nor worker when a text of the rule is hostile', async () => {
  const target = await givenReader('a@example.com')
  const name = `<img src=x> "quoted" 100 % {{x}} ${'é'.repeat(100)}`
  await givenRule(client, { name, targets: [target] })

  await minute({ d00: 90 })

  const [fired] = await notices()
  expect(fired?.notice.title).toBe(`${name}: firing on d00`)
})
