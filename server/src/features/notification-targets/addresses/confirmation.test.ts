import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  actOnAddresses,
  confirmByLink,
  givenMailServer,
  givenTarget,
  targetBody,
  unsubscribeByLink,
} from '../../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { sweepAddresses } from './service.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  givenMailServer(test)
})

beforeEach(async () => {
  stopClock()
  client = await givenClient(test)
})

const A = 'a@example.com'
const { stopClock, later, stateOf, setAddresses, askAgain, listAsked } = actOnAddresses(() => ({
  test,
  client,
}))

describe('an address', () => {
  it('is asked once, however often and by however many targets it is named', async () => {
    const one = await givenTarget(client, [A, 'b@example.com'])
    await setAddresses(one, [A.toUpperCase()])
    await givenTarget(client, [A])

    expect(await listAsked()).toEqual([A, 'b@example.com'])
  })

  it('is one of at most thirty that a workspace asks in an hour', async () => {
    const many = (from: number) =>
      Array.from({ length: 10 }, (_, at) => `r${from + at}@example.com`)
    for (const from of [0, 10, 20]) await givenTarget(client, many(from))
    const body = targetBody([A])

    const refused = await client.post('/notification-targets', body)

    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ type: '/problems/quota-confirmation-mails' })
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3600)
    later(60 * MINUTE_MS)
    expect((await client.post('/notification-targets', body)).statusCode).toBe(201)
    expect(await listAsked()).toHaveLength(31)
  })

  it('is asked again on demand, not within ten minutes and five times in all', async () => {
    const target = await givenTarget(client, [A])
    const soon = await askAgain(target, A)
    const answers = []
    for (let time = 2; time <= 6; time += 1) {
      later(10 * MINUTE_MS)
      answers.push(await askAgain(target, 'A@Example.com'))
    }

    expect(soon.json()).toMatchObject({ status: 409, type: '/problems/confirmation-too-soon' })
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202, 202, 409])
    expect(answers[0]?.json()).toMatchObject({ id: target.id, addresses: [{ state: 'Pending' }] })
    expect(answers[4]?.json()).toMatchObject({ type: '/problems/confirmation-too-often' })
    expect(await listAsked()).toHaveLength(5)
  })

  it('is asked once when two ask at once', async () => {
    const target = await givenTarget(client, [A])
    later(10 * MINUTE_MS)

    const both = await Promise.all([askAgain(target, A), askAgain(target, A)])

    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([202, 409])
    expect(await listAsked()).toHaveLength(2)
  })

  it('that agreed is not asked again', async () => {
    const target = await givenTarget(client, [A])
    await confirmByLink(test, client.workspaceId, A)
    later(DAY_MS)

    const answer = await askAgain(target, A)

    const type = '/problems/notification-address-confirmed'
    expect(answer.json()).toMatchObject({ status: 409, type })
    expect(await listAsked()).toHaveLength(1)
  })

  it('of another target, or none at all, cannot be asked', async () => {
    const target = await givenTarget(client, [A])
    await givenTarget(client, ['b@example.com'])

    for (const address of ['b@example.com', 'c@example.com', 'nobody', '']) {
      const answer = await askAgain(target, address)
      expect(answer.json()).toMatchObject({ status: 400, errors: [{ pointer: '/emailAddress' }] })
    }
  })

  it('stays confirmed while any target has it', async () => {
    const [one, two] = [await givenTarget(client, [A]), await givenTarget(client, [A])]
    await confirmByLink(test, client.workspaceId, A)
    await setAddresses(one, [])
    await setAddresses(one, [A])
    await client.delete(`/notification-targets/${one.id}`)

    expect(await stateOf(two)).toBe('Confirmed')
    expect(await listAsked()).toHaveLength(1)
  })

  it('that no target had any more is asked anew', async () => {
    const target = await givenTarget(client, [A])
    await confirmByLink(test, client.workspaceId, A)
    await setAddresses(target, [])
    later(10 * MINUTE_MS)

    await setAddresses(target, [A])

    expect(await stateOf(target)).toBe('Pending')
    expect(await listAsked()).toHaveLength(2)
  })

  it('is not asked more often by being taken out and in again', async () => {
    const target = await givenTarget(client, [A])
    for (let time = 0; time < 10; time += 1) {
      await setAddresses(target, [])
      await setAddresses(target, [A])
    }
    expect(await listAsked()).toHaveLength(1)
    for (let time = 0; time < 10; time += 1) {
      later(10 * MINUTE_MS)
      await setAddresses(target, [])
      await setAddresses(target, [A])
    }
    expect(await listAsked()).toHaveLength(5)
  })

  it('is asked once while targets that name it come and go at once', async () => {
    const named = [A, 'b@example.com', 'c@example.com']
    const kept = await givenTarget(client, named)

    await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const { id } = await givenTarget(client, index % 2 ? named : named.toReversed())
        await client.delete(`/notification-targets/${id}`)
      }),
    )

    expect(await listAsked()).toEqual(named)
    const list = await client.get('/notification-targets')
    expect(list.json()).toEqual({ notificationTargets: [kept] })
  })

  it('is forgotten thirty days after the last target had it', async () => {
    const target = await givenTarget(client, [A, 'b@example.com'])
    await unsubscribeByLink(test, client.workspaceId, A)
    await client.delete(`/notification-targets/${target.id}`)
    const listKnown = () =>
      test.ctx.db
        .selectFrom('notificationAddresses')
        .select('address')
        .where('workspaceId', '=', client.workspaceId)
        .execute()

    await sweepAddresses(test.ctx)
    const kept = await listKnown()
    later(30 * DAY_MS + 1)
    await sweepAddresses(test.ctx)

    expect(kept).toHaveLength(2)
    expect(await listKnown()).toEqual([])
  })
})
