/** What external brokers ask. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenDeviceKey } from '../../../test/given-ddi.ts'
import { mqttSettings, topicsOf } from '../../../test/given-mqtt.ts'

const SECRET = 'the-secret-of-the-broker'
const broker = {
  url: 'mqtt://broker.invalid',
  username: 'plimsoll',
  password: 'service-password',
  authority: undefined,
  clientId: undefined,
}

let test: TestApp
let client: Client
let username: string
let password: string
let topics: string

beforeAll(async () => {
  test = await startTestApp({ mqtt: mqttSettings({ authSecret: SECRET, broker }) })
  client = await givenClient(test)
  const { workspaceId } = client
  const deviceId = 'device-1'
  await test.ctx.db
    .insertInto('devices')
    .values({
      workspaceId,
      id: deviceId,
      createdAt: new Date(),
      effectiveLogSeverity: 'Info',
      runIds: [],
    })
    .execute()
  password = await givenDeviceKey(test, workspaceId, deviceId)
  username = `${workspaceId}:${deviceId}`
  topics = topicsOf({ workspaceId, deviceId })
})

const ask = (path: string, payload: object, headers: Record<string, string> = {}) =>
  test.app.inject({
    method: 'POST',
    url: `/mqtt/${path}`,
    headers: { authorization: `Bearer ${SECRET}`, ...headers },
    payload,
  })

it('lets in a device with its key, and nobody else', async () => {
  const outcomes = [
    await ask('auth', { username, password, clientid: 'x' }),
    await ask('auth', { username, password: 'wrong' }),
    await ask('auth', { username: `${client.workspaceId}:other`, password }),
    await ask('auth', { username: 'nobody', password }),
    await ask('auth', {}),
  ]

  expect(outcomes.map(({ statusCode }) => statusCode)).toEqual([200, 403, 403, 403, 403])
  expect(outcomes.map((one) => one.json<object>())).toMatchObject([
    { result: 'allow', ok: true, is_superuser: false },
    ...Array.from({ length: 4 }, () => ({ result: 'deny', ok: false })),
  ])
})

it('refuses a key from the moment it is revoked', async () => {
  const { workspaceId } = client
  const deviceKey = await givenDeviceKey(test, workspaceId, 'device-1')
  const before = await ask('auth', { username, password: deviceKey })
  await test.ctx.db
    .updateTable('deviceKeys')
    .set({ revokedAt: new Date() })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', (from) =>
      from
        .selectFrom('deviceKeys')
        .select('id')
        .where('workspaceId', '=', workspaceId)
        .orderBy('id', 'desc')
        .limit(1),
    )
    .execute()

  const after = await ask('auth', { username, password: deviceKey })

  expect([before.statusCode, after.statusCode]).toEqual([200, 403])
})

it('knows the service itself, which alone may do all', async () => {
  const service = { username: broker.username, password: broker.password }
  const outcomes = [
    await ask('auth', service),
    await ask('auth', { ...service, password: 'wrong' }),
    await ask('superuser', { username: service.username }),
    await ask('superuser', { username }),
    await ask('acl', {
      username: service.username,
      topic: '$share/plimsoll/plimsoll/v1/+/+/up/#',
      acc: 4,
    }),
  ]

  expect(outcomes.map(({ statusCode }) => statusCode)).toEqual([200, 403, 200, 403, 200])
  expect(outcomes[0]?.json()).toMatchObject({ is_superuser: true })
})

it.each<[string, object, boolean]>([
  ['publish to its own', { acc: 2, topic: 'up/session' }, true],
  ['publish its connection', { acc: 2, topic: 'up/connection' }, true],
  ['subscribe to its own', { acc: 4, topic: 'down/#' }, true],
  ['receive its own', { acc: 1, topic: 'down/config' }, true],
  ['publish what is desired', { acc: 2, topic: 'down/config' }, false],
  ['both read and write', { acc: 3, topic: 'up/session' }, false],
  ['do nothing that is stated', { topic: 'up/session' }, false],
])('says by its status whether a device may %s', async (_what, asked, isAllowed) => {
  const request = {
    username,
    ...asked,
    topic: `${topics}${'topic' in asked ? String(asked.topic) : ''}`,
  }

  const response = await ask('acl', request)

  expect(response.statusCode).toBe(isAllowed ? 200 : 403)
  expect(response.json()).toMatchObject({ ok: isAllowed })
})

it.each<[string, string, string]>([
  ['publish', 'up/session', 'allow'],
  ['subscribe', 'down/config', 'allow'],
  ['publish', 'down/config', 'deny'],
  ['subscribe', '../#', 'deny'],
])(
  'says in words EMQX understands whether a device may %s at %s',
  async (action, topic, result) => {
    const response = await ask('acl', { username, action, topic: `${topics}${topic}` })

    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({ result })
  },
)

it('refuses topics of others, whatever wildcards they hold', async () => {
  for (const topic of [
    '#',
    'plimsoll/v1/+/+/down/config',
    `plimsoll/v1/${client.workspaceId}/other/down/config`,
  ])
    expect((await ask('acl', { username, acc: 4, topic })).statusCode).toBe(403)
})

it('refuses who is called by a wildcard, though the broker let it in', async () => {
  const name = `${client.workspaceId}:+`
  const topic = `plimsoll/v1/${client.workspaceId}/+/down/config`

  expect((await ask('acl', { username: name, acc: 4, topic })).statusCode).toBe(403)
})

it('answers nobody without the secret, by header or in the address', async () => {
  const asked = { username, password }
  const missing = await ask('auth', asked, { authorization: '' })
  const wrong = await ask('auth', asked, { authorization: 'Bearer wrong' })
  const byAddress = await ask(`auth?secret=${SECRET}`, asked, { authorization: '' })

  expect([missing.statusCode, wrong.statusCode, byAddress.statusCode]).toEqual([401, 401, 200])
  expect(missing.json()).toMatchObject({ type: '/problems/broker-unauthorized' })
})

it('answers what it cannot read with a problem', async () => {
  expect((await ask('acl', { username })).json()).toMatchObject({ status: 400 })
  expect((await ask('auth', { username: 7 })).json()).toMatchObject({ status: 400 })
})

it('is not there where no secret is set', async () => {
  const plain = await startTestApp({ mqtt: mqttSettings() }, test.connectionString)

  const response = await plain.app.inject({ method: 'POST', url: '/mqtt/auth', payload: {} })

  expect(response.statusCode).toBe(404)
})
