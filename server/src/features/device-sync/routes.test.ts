import { decode, encode } from 'cborg'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkAnswers } from '../../../test/answers.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenDeviceKey } from '../../../test/given-ddi.ts'
import { givenSyncingDevice, syncingDevice } from '../../../test/given-device-sync.ts'
import { buildApi } from '../../api.ts'
import { LIMITS } from '../../formats/device-messages/limits.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp({ deviceRequestsPerMinute: 0 })
  client = await givenClient(test)
})

const SESSION = { runId: 'run-1', firmware: [{ slug: 'main', version: '1.0.0' }] }

/** The stored data of a device. */
async function storedOf(deviceId: string) {
  const of = { workspaceId: client.workspaceId, deviceId }
  const { db } = test.ctx
  const device = await db
    .selectFrom('devices')
    .select(['runIds', 'lastSeenAt', 'door', 'client', 'reportedConfiguration'])
    .where('workspaceId', '=', of.workspaceId)
    .where('id', '=', deviceId)
    .executeTakeFirstOrThrow()
  const firmware = await db
    .selectFrom('deviceFirmwares')
    .select(['slug', 'version'])
    .where('workspaceId', '=', of.workspaceId)
    .where('deviceId', '=', deviceId)
    .orderBy('slug')
    .execute()
  const points = await db
    .selectFrom('metricPoints as point')
    .innerJoin(
      db
        .selectFrom('metricSeries')
        .select(['id', 'name'])
        .where('workspaceId', '=', of.workspaceId)
        .where('deviceId', '=', deviceId)
        .as('series'),
      'series.id',
      'point.seriesId',
    )
    .select(['series.name'])
    .where('point.workspaceId', '=', of.workspaceId)
    .execute()
  const lines = await db
    .selectFrom('deviceLogs')
    .select('message')
    .where('workspaceId', '=', of.workspaceId)
    .where('deviceId', '=', deviceId)
    .execute()
  return { device, firmware, points, lines }
}

describe('a sync', () => {
  it('stores every message of its body and answers with what is desired', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.sync(
      {
        session: SESSION,
        config: { logSeverity: 'Info' },
        metrics: [{ name: 'cpu.load', value: 0.5, sequence: 1 }],
        logs: { runId: 'run-1', lines: [{ severity: 'Info', message: 'booted', sequence: 1 }] },
        update: { updateId: crypto.randomUUID(), state: 'inProgress' },
      },
      { 'user-agent': 'mcu/1.0' },
    )

    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toMatch(/^application\/json/)
    expect(response.json()).toEqual({ config: { version: 1, logSeverity: 'Info' }, update: null })
    expect(await storedOf(device.deviceId)).toMatchObject({
      device: {
        runIds: ['run-1'],
        door: 'Http',
        client: 'mcu/1.0',
        reportedConfiguration: { logSeverity: 'Info' },
      },
      firmware: [{ slug: 'main', version: '1.0.0' }],
      points: [{ name: 'cpu.load' }],
      lines: [{ message: 'booted' }],
    })
  })

  it('may be CBOR, and is answered in CBOR', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.syncCbor({ session: SESSION })

    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('application/cbor')
    expect(decode(response.rawPayload)).toEqual({
      config: { version: 1, logSeverity: 'Info' },
      update: null,
    })
    expect((await storedOf(device.deviceId)).device.runIds).toEqual(['run-1'])
  })

  it('is told by its first byte when it states no type', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const cbor = await device.syncBytes(encode({ session: SESSION }))
    const json = await device.syncBytes(Buffer.from(JSON.stringify({ session: SESSION })), {
      'content-type': 'application/octet-stream',
    })

    expect(cbor.headers['content-type']).toBe('application/cbor')
    expect(json.json()).toMatchObject({ update: null })
  })

  it('is answered in the encoding that is asked for', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.sync({}, { accept: 'application/cbor' })

    expect(decode(response.rawPayload)).toMatchObject({ config: { version: 1 } })
  })

  it('is a sign of life without a body', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.sync()

    expect(response.json()).toMatchObject({ config: { version: 1 }, update: null })
    const { device: stored, firmware } = await storedOf(device.deviceId)
    expect([stored.lastSeenAt, stored.door, firmware]).toEqual([expect.any(Date), 'Http', []])
  })

  it('says nothing of a configuration that the device has acknowledged', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)
    const { config } = (await device.sync()).json<{ config: { version: number } }>()

    const acknowledged = await device.sync({
      config: { acknowledgedDesiredConfigurationVersion: config.version },
    })
    await client.put(`/devices/${device.deviceId}/configuration/desired`, { logSeverity: 'Debug' })
    const changed = await device.sync()

    expect(acknowledged.json()).toEqual({ config: null, update: null })
    expect(changed.json()).toEqual({ config: { version: 2, logSeverity: 'Debug' }, update: null })
  })

  it('stores what is sent again once', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)
    const body = {
      session: SESSION,
      metrics: [{ name: 'cpu.load', value: 1, sequence: 7 }],
      logs: [{ severity: 'Info', message: 'once', sequence: 3 }],
    }

    const answers = await Promise.all([device.sync(body), device.sync(body), device.sync(body)])
    await device.sync(body)

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
    expect(await storedOf(device.deviceId)).toMatchObject({
      device: { runIds: ['run-1'] },
      points: [{ name: 'cpu.load' }],
      lines: [{ message: 'once' }],
    })
  })
})

describe('a malformed body', () => {
  it('is refused as a whole, with the place of each fault', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.sync({
      session: SESSION,
      metrics: [
        { name: 'cpu.load', value: 1 },
        { name: 'cpu.load', value: 'high' },
      ],
      update: { updateId: 'none' },
    })

    expect(response.statusCode).toBe(400)
    expect(response.headers['content-type']).toBe('application/problem+json')
    const { type, errors } = response.json<{ type: string; errors: { pointer: string }[] }>()
    expect(type).toBe('/problems/device-message-malformed')
    const pointers = errors.map(({ pointer }) => pointer)
    expect(pointers).toEqual(expect.arrayContaining(['/metrics/1/value', '/update/updateId']))
    expect(await storedOf(device.deviceId)).toMatchObject({
      device: { runIds: [], lastSeenAt: null },
      firmware: [],
      points: [],
      lines: [],
    })
  })

  it.each`
    bytes                                                           | type                  | because
    ${Buffer.from('{"session":')}                                   | ${'application/json'} | ${'it was cut'}
    ${Buffer.from('[]')}                                            | ${'application/json'} | ${'it is not an object'}
    ${Buffer.from('{}')}                                            | ${'application/cbor'} | ${'its type says CBOR'}
    ${Buffer.from('a0', 'hex')}                                     | ${'application/json'} | ${'its type says JSON'}
    ${Buffer.from('hello')}                                         | ${'text/plain'}       | ${'it begins like neither'}
    ${Buffer.from('{"session":{"runId":"\\u0000","buildId":"b"}}')} | ${'application/json'} | ${'no database keeps U+0000'}
  `('is refused, as $because', async ({ bytes, type }: { bytes: Buffer; type: string }) => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.syncBytes(bytes, { 'content-type': type })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ errors: [{ detail: expect.any(String) as string }] })
  })

  it('is refused with 413 beyond the limit, and with 415 when it is compressed', async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const large = await device.syncBytes(Buffer.alloc(LIMITS.bytes + 1, ' '))
    const most = await device.syncBytes(Buffer.from(`${' '.repeat(LIMITS.bytes - 2)}{}`))
    const packed = await device.sync({}, { 'content-encoding': 'gzip' })

    expect([large, most, packed].map(({ statusCode }) => statusCode)).toEqual([413, 200, 415])
    expect(large.json()).toMatchObject({ type: '/problems/body-too-large' })
  })
})

describe('who may sync', () => {
  it.each`
    authorization                      | because
    ${''}                              | ${'there is no key'}
    ${'Bearer plmd_short'}             | ${'the key is malformed'}
    ${`Bearer plmd_${'0'.repeat(40)}`} | ${'the checksum is wrong'}
    ${'Basic abc'}                     | ${'the scheme is another'}
  `('is not told more than 401, as $because', async ({ authorization }) => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.sync({}, { authorization: String(authorization) })

    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Bearer')
  })

  it('is the device of the key, in its workspace, with no API key and no revoked one', async () => {
    const [one, other] = [
      await givenSyncingDevice(test, client.workspaceId),
      await givenSyncingDevice(test, client.workspaceId),
    ]
    const elsewhere = await givenClient(test)
    const foreign = await givenSyncingDevice(test, elsewhere.workspaceId, one.deviceId)
    const revoked = await givenSyncingDevice(test, client.workspaceId)
    await test.ctx.db
      .updateTable('deviceKeys')
      .set({ revokedAt: new Date() })
      .where('workspaceId', '=', client.workspaceId)
      .where('deviceId', '=', revoked.deviceId)
      .execute()

    const answers = await Promise.all([
      other.sync({ session: SESSION }, { authorization: `Bearer ${one.deviceKey}` }),
      foreign.sync({ session: SESSION }, { authorization: `Bearer ${one.deviceKey}` }),
      one.sync({ session: SESSION }, { authorization: `Bearer ${client.apiKey}` }),
      revoked.sync({ session: SESSION }),
    ])

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401, 401, 401])
    expect(new Set(answers.map((answer) => answer.json<{ detail: string }>().detail)).size).toBe(1)
    for (const { deviceId } of [one, other, revoked])
      expect((await storedOf(deviceId)).firmware).toEqual([])
  })

  it('is any device with a key of the fleet, once it is registered', async () => {
    const deviceKey = await givenDeviceKey(test, client.workspaceId)
    const { workspaceId } = client
    const unknown = syncingDevice(test, { workspaceId, deviceId: 'unheard-of', deviceKey })
    await setAutoRegistration(false)

    const before = await unknown.sync({ session: SESSION })
    await setAutoRegistration(true)
    const after = await unknown.sync({ session: SESSION })

    expect([before.statusCode, after.statusCode]).toEqual([404, 200])
    expect(before.json()).toMatchObject({ type: '/problems/device-not-found' })
    expect((await storedOf('unheard-of')).firmware).toEqual([{ slug: 'main', version: '1.0.0' }])
  })

  it('may not ask too often: 429, for that device alone', async () => {
    const limited = await startTestApp({ deviceRequestsPerMinute: 2 }, test.connectionString)
    const deviceKey = await givenDeviceKey(test, client.workspaceId)
    const named = async (deviceId: string) => {
      await givenSyncingDevice(test, client.workspaceId, deviceId)
      return syncingDevice(limited, { workspaceId: client.workspaceId, deviceId, deviceKey })
    }
    const [busy, calm] = [await named('busy'), await named('calm')]

    const answers = [await busy.sync(), await busy.sync(), await busy.sync(), await calm.sync()]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429, 200])
    expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(0)
    expect(answers[2]?.json()).toMatchObject({ type: '/problems/rate-limited' })
  })
})

async function setAutoRegistration(deviceAutoRegistration: boolean) {
  await test.ctx.db
    .updateTable('workspaces')
    .set({ deviceAutoRegistration })
    .where('id', '=', client.workspaceId)
    .execute()
}

it('is described with the key of devices', () => {
  const operation = test.app.swagger().paths?.['/device/v1/{workspaceId}/{deviceId}/sync']?.post

  expect(operation).toMatchObject({ security: [{ deviceKey: [] }] })
  expect(Object.keys(operation?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '400', '401', '404', '413', '429', '503']),
  )
})

it('takes no more while too much waits to be stored', async () => {
  const { deviceId, deviceKey } = await givenSyncingDevice(test, client.workspaceId)
  const intake = { ...test.doors.intake, pending: () => 10_000 }
  const doors = { ...test.doors, intake }
  const app = await buildApi(test.ctx, { watch: checkAnswers, roles: ['gateway'], doors })

  const response = await syncingDevice({ ...test, app }, { ...client, deviceId, deviceKey }).sync()

  expect(response.statusCode).toBe(503)
  expect(response.headers['retry-after']).toBeDefined()
  expect(response.json()).toMatchObject({ type: '/problems/too-many-reports' })
  await app.close()
})
