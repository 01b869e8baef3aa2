import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, startTestApp, type TestApp } from '../../../test/app.ts'
import {
  confirmByLink,
  givenMailServer,
  givenTarget,
  listMailed,
  type ShownTarget,
  targetBody,
  unsubscribeByLink,
} from '../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp

beforeAll(async () => {
  test = await sharedTestApp()
  givenMailServer(test)
})

const anyText = expect.any(String) as string

async function listActions(client: Client): Promise<string[]> {
  const log = await client.get('/audit-log')
  const { entries } = log.json<{ entries: { action: string }[] }>()
  return entries.map(({ action }) => action).filter((action) => action.startsWith('notification'))
}

describe('a target', () => {
  it('is created and shown with all that is known of its addresses', async () => {
    const client = await givenClient(test)
    const quietHours = { timeZone: 'Europe/Berlin', from: '22:00', to: '06:00', days: ['Mon'] }
    const digest = { every: '1d', at: '07:30', timeZone: 'UTC' }
    const body = targetBody(['Ops@Example.com', 'info@bücher.example'], { quietHours, digest })

    const created = await client.post('/notification-targets', { ...body, name: ' On call ' })

    const target = created.json<ShownTarget>()
    const pending = { state: 'Pending', confirmedAt: null, lastDeliveredAt: null }
    const unanswered = { lastAnswer: null, lastAnswerAt: null }
    expect(created.statusCode).toBe(201)
    expect(target).toEqual({
      id: anyText,
      ...body,
      alertRuleCount: 0,
      addresses: [
        { emailAddress: 'Ops@Example.com', ...pending, ...unanswered },
        { emailAddress: 'info@bücher.example', ...pending, ...unanswered },
      ],
      createdAt: anyText,
      updatedAt: target.createdAt,
    })
    const path = `/notification-targets/${target.id}`
    expect((await client.get(path)).json()).toEqual(target)
    expect((await client.get('/notification-targets')).json()).toEqual({
      notificationTargets: [target],
    })
    expect(await listActions(client)).toEqual([
      'notification-target.create',
      'notification-address.ask',
      'notification-address.ask',
    ])
  })

  it('takes the submitted values, and what is left out is none', async () => {
    const client = await givenClient(test)
    const digest = { every: '1h' }
    const { id } = await givenTarget(client, ['a@example.com'], { digest })

    const updated = await client.put(`/notification-targets/${id}`, {
      name: 'Office',
      type: 'Email',
      state: 'Disabled',
    })

    expect(updated.statusCode).toBe(200)
    expect(updated.json()).toMatchObject({
      id,
      name: 'Office',
      type: 'Email',
      state: 'Disabled',
      emailAddresses: null,
      alertRuleCount: 0,
      addresses: [],
      digest: null,
      quietHours: null,
    })
    expect((await client.get(`/notification-targets/${id}`)).json()).toEqual(updated.json())
    expect((await listActions(client))[0]).toBe('notification-target.update')
  })

  it('takes null for no addresses, and keeps their order', async () => {
    const client = await givenClient(test)
    const { id } = await givenTarget(client, [])
    const put = async (addresses: string[] | null) =>
      (await client.put(`/notification-targets/${id}`, targetBody(addresses))).json<ShownTarget>()
        .emailAddresses

    expect(await put(['z@example.com', 'a@example.com'])).toEqual([
      'z@example.com',
      'a@example.com',
    ])
    expect(await put(['a@example.com', 'z@example.com'])).toEqual([
      'a@example.com',
      'z@example.com',
    ])
    expect(await put(null)).toBeNull()
  })

  it('counts the rules that name it, and leaves them when it is deleted', async () => {
    const client = await givenClient(test)
    const { id } = await givenTarget(client, [])
    await client.post('/alert-rules', {
      name: 'Sources',
      type: 'VulnerabilitySourceStale',
      evaluationFrequency: '1h',
      condition: {},
      targets: [{ id }],
    })
    const path = `/notification-targets/${id}`
    const counted = (await client.get(path)).json<ShownTarget>()

    const deleted = await client.delete(path)

    const rules = (await client.get('/alert-rules')).json<object[]>()
    expect(counted.alertRuleCount).toBe(1)
    expect(rules).toMatchObject([{ name: 'Sources', targets: [] }])
    expect(deleted.statusCode).toBe(204)
    expect((await client.get(path)).statusCode).toBe(404)
    expect((await client.delete(path)).statusCode).toBe(404)
    expect((await listActions(client))[0]).toBe('notification-target.delete')
  })

  it('is one of 200 at the most', async () => {
    const client = await givenClient(test)
    const { workspaceId } = client
    const times = { createdAt: test.ctx.now(), updatedAt: test.ctx.now() }
    const fields = { workspaceId, name: 'x', type: 'Email', state: 'Enabled', ...times } as const
    const rows = Array.from({ length: 199 }, () => ({ ...fields, id: crypto.randomUUID() }))
    await test.ctx.db.insertInto('notificationTargets').values(rows).execute()

    const both = await Promise.all([
      client.post('/notification-targets', targetBody(null)),
      client.post('/notification-targets', targetBody(null)),
    ])

    const refused = both.find(({ statusCode }) => statusCode === 409)
    expect(both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([201, 409])
    expect(refused?.json()).toMatchObject({ type: '/problems/too-many-notification-targets' })
  })
})

const QUIET = { timeZone: 'Europe/Berlin', from: '22:00', to: '06:00' }

describe('the body', () => {
  it.each`
    change                                                                     | pointers
    ${{ name: undefined }}                                                     | ${['']}
    ${{ name: ' ' }}                                                           | ${['/name']}
    ${{ name: 'a\r\nBcc: x@evil.io' }}                                         | ${['/name']}
    ${{ name: 'x'.repeat(201) }}                                               | ${['/name']}
    ${{ type: 'Sms' }}                                                         | ${['/type']}
    ${{ state: 'Off' }}                                                        | ${['/state']}
    ${{ colour: 'red' }}                                                       | ${['/colour']}
    ${{ emailAddresses: 'a@example.com' }}                                     | ${['/emailAddresses']}
    ${{ emailAddresses: ['ok@example.com', 'nobody', 'x y@example.com'] }}     | ${['/emailAddresses/1', '/emailAddresses/2']}
    ${{ emailAddresses: ['a@example.com\r\nBcc: x@evil.io'] }}                 | ${['/emailAddresses/0']}
    ${{ emailAddresses: ['A@example.com', 'b@example.com', 'a@Example.com'] }} | ${['/emailAddresses/0', '/emailAddresses/2']}
    ${{ emailAddresses: Array.from({ length: 51 }, (_, n) => `a${n}@b.de`) }}  | ${['/emailAddresses']}
    ${{ quietHours: { ...QUIET, timeZone: 'Europe/Atlantis' } }}               | ${['/quietHours/timeZone']}
    ${{ quietHours: { ...QUIET, to: '22:00' } }}                               | ${['/quietHours/to']}
    ${{ quietHours: { ...QUIET, from: '24:00' } }}                             | ${['/quietHours/from']}
    ${{ quietHours: { ...QUIET, days: ['Monday'] } }}                          | ${['/quietHours/days/0']}
    ${{ quietHours: { ...QUIET, days: [] } }}                                  | ${['/quietHours/days']}
    ${{ digest: { every: '2h' } }}                                             | ${['/digest/every']}
    ${{ digest: { every: '1h', at: '08:00', timeZone: 'UTC' } }}               | ${['/digest/at', '/digest/timeZone']}
    ${{ digest: { every: '1d', timeZone: '../etc' } }}                         | ${['/digest/timeZone']}
  `(
    'is refused with $change, naming $pointers',
    async ({ change, pointers }: { change: object; pointers: string[] }) => {
      const client = await givenClient(test)
      const target = await givenTarget(client, ['kept@example.com'])
      const path = `/notification-targets/${target.id}`

      const answers = [
        await client.put(path, targetBody([], change)),
        await client.post('/notification-targets', targetBody([], change)),
      ]

      for (const answer of answers) {
        expect(answer.json()).toMatchObject({ status: 400, type: '/problems/invalid-request' })
        const { errors } = answer.json<{ errors: { pointer: string }[] }>()
        expect(errors.map(({ pointer }) => pointer)).toEqual(pointers)
      }
      expect((await client.get(path)).json()).toEqual(target)
    },
  )
})

describe('a test', () => {
  const MANY = ['yes@example.com', 'pending@example.com', 'no@example.com', 'dead@example.com']

  it('goes to the addresses that agreed, and to those a server refused before', async () => {
    const client = await givenClient(test)
    const { workspaceId } = client
    const { id } = await givenTarget(client, MANY, { state: 'Disabled' })
    for (const address of ['yes@example.com', 'no@example.com', 'dead@example.com'])
      await confirmByLink(test, workspaceId, address)
    await unsubscribeByLink(test, workspaceId, 'no@example.com')
    await test.ctx.db
      .updateTable('notificationAddresses')
      .set({ deadAt: test.ctx.now() })
      .where('address', '=', 'dead@example.com')
      .where('workspaceId', '=', workspaceId)
      .execute()

    const answer = await client.post(`/notification-targets/${id}/test`)

    const { addresses } = (await client.get(`/notification-targets/${id}`)).json<ShownTarget>()
    const expected = ['yes@example.com', 'dead@example.com']
    expect(answer.statusCode).toBe(202)
    expect(answer.json()).toEqual({ emailAddresses: expected })
    expect(await listMailed(test.ctx, workspaceId, 'Test')).toEqual(expected.toSorted())
    expect(addresses.map(({ state }) => state)).toEqual([
      'Confirmed',
      'Pending',
      'Unsubscribed',
      'Dead',
    ])
    expect((await listActions(client))[0]).toBe('notification-target.test')
  })

  it('is refused where no address agreed', async () => {
    const client = await givenClient(test)
    const { id } = await givenTarget(client, ['a@example.com'])

    const answer = await client.post(`/notification-targets/${id}/test`)

    const type = '/problems/notification-target-has-no-confirmed-address'
    expect(answer.json()).toMatchObject({ status: 409, type })
    expect(await listMailed(test.ctx, client.workspaceId, 'Test')).toEqual([])
  })

  it('is refused where no mail server is configured', async () => {
    const own = await startTestApp()
    const client = await givenClient(own)
    const { id, addresses } = await givenTarget(client, ['a@example.com'])
    const path = `/notification-targets/${id}`

    const answers = [
      await client.post(`${path}/test`),
      await client.post(`${path}/addresses/confirmations`, { emailAddress: 'a@example.com' }),
    ]

    for (const answer of answers)
      expect(answer.json()).toMatchObject({ status: 409, type: '/problems/mail-not-configured' })
    expect(addresses).toMatchObject([{ state: 'Pending' }])
    expect(await listMailed(own.ctx, client.workspaceId, 'Confirmation')).toEqual([])
  })
})

const ON_ONE = [
  ['get', '', undefined],
  ['put', '', targetBody(null)],
  ['delete', '', undefined],
  ['post', '/test', undefined],
  ['post', '/addresses/confirmations', { emailAddress: 'a@example.com' }],
] as const

it('is not there for other workspaces', async () => {
  const [client, other] = [await givenClient(test), await givenClient(test)]
  const target = await givenTarget(client, ['a@example.com'])

  for (const id of [target.id, crypto.randomUUID(), 'none'])
    for (const [method, path, body] of ON_ONE) {
      const answer = await other[method](`/notification-targets/${id}${path}`, body as object)
      const type = '/problems/notification-target-not-found'
      expect([method, path, answer.json()]).toMatchObject([method, path, { status: 404, type }])
    }
  const list = await other.get('/notification-targets')
  expect(list.json()).toEqual({ notificationTargets: [] })
  expect((await client.get(`/notification-targets/${target.id}`)).json()).toEqual(target)
})

it('needs the scope to read, and that to write', async () => {
  const client = await givenClient(test)
  const { id } = await givenTarget(client, [])
  const { workspaceId } = client
  const authorization = `Bearer ${await test.givenKey(workspaceId, ['Alerts: read'])}`
  const nothing = `Bearer ${await test.givenKey(workspaceId, ['Alerts: write'])}`
  const ask = async (method: string, path: string, payload?: object, key = authorization) => {
    const url = `/workspaces/${workspaceId}/notification-targets${path}`
    const headers = { authorization: key }
    const request = { method: method.toUpperCase() as 'GET', url, headers }
    return (await test.app.inject({ ...request, ...(payload && { payload }) })).statusCode
  }

  for (const [method, path, body] of ON_ONE)
    expect([method, path, await ask(method, `/${id}${path}`, body)]).toEqual([
      method,
      path,
      method === 'get' ? 200 : 403,
    ])
  expect(await ask('post', '', targetBody(null))).toBe(403)
  expect(await ask('get', '', undefined, nothing)).toBe(403)
})
