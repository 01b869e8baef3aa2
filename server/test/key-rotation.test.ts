/** Devices fetch their next keys themselves: at every door, and over any sequence of losses. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { ddiClient, givenDeviceKey } from './given-ddi.ts'
import { givenSyncingDevice, syncingDevice } from './given-device-sync.ts'
import {
  createRotatingDevice,
  hashText,
  listKeysInForce,
  type RotatingDevice,
} from './given-key-rotation.ts'
import {
  connectDevice,
  connectionEnded,
  givenGateway,
  mqttSettings,
  type TestGateway,
} from './given-mqtt.ts'
import { propertyRuns } from './property-runs.ts'

const SECRET = 'secret of the broker'

let test: TestApp
let client: Client
let gateway: TestGateway
let now: Date | undefined

beforeAll(async () => {
  const mqtt = mqttSettings({ authSecret: SECRET })
  test = await startTestApp({ deviceRequestsPerMinute: 0, rateLimitPerMinute: 0, mqtt })
  const { now: real } = test.ctx
  test.ctx.now = () => now ?? real()
  client = await givenClient(test)
  gateway = await givenGateway(test)
})

interface KeyRotation {
  state: string
  standing: string
  toldAt: string | null
}

async function givenDevice(): Promise<RotatingDevice & { deviceKey: string }> {
  const device = await givenSyncingDevice(test, client.workspaceId)
  return { ...createRotatingDevice(test, device), deviceKey: device.deviceKey }
}

const ask = ({ deviceId }: { deviceId: string }) => client.post(`/devices/${deviceId}/key-rotation`)

async function rotationOf({ deviceId }: { deviceId: string }): Promise<KeyRotation | null> {
  const response = await client.get(`/devices/${deviceId}`)
  return response.json<{ keyRotation: KeyRotation | null }>().keyRotation
}

const withKey = (device: RotatingDevice, deviceKey: string) =>
  syncingDevice(test, { ...device, deviceKey })

/** Asked, and with the next key in its flash. */
async function givenFetched() {
  const device = await givenDevice()
  await ask(device)
  await device.fetch()
  return { ...device, next: device.keys.next ?? '' }
}

describe('a device that is asked', () => {
  it('is told by its sync, fetches its next key, and its old one ends once the new one was used', async () => {
    const device = await givenDevice()
    const before = await rotationOf(device)
    const asked = await ask(device)
    const told = await withKey(device, device.deviceKey).sync()
    const afterTold = await rotationOf(device)
    const fetched = await device.fetch()
    const old = await withKey(device, device.deviceKey).sync()
    const afterFetched = await rotationOf(device)
    const used = await device.sync()
    const ended = await withKey(device, device.deviceKey).sync()

    expect(before).toBeNull()
    expect(asked.json()).toMatchObject({ keyRotation: { state: 'Asked', toldAt: null } })
    expect(told.json()).toMatchObject({
      key: {
        rotate: true,
        url: expect.stringMatching(
          `/device/v1/${device.workspaceId}/${device.deviceId}/key$`,
        ) as string,
      },
    })
    expect(afterTold?.state).toBe('Told')
    expect([fetched, old.statusCode, used, ended.statusCode]).toEqual([201, 200, true, 401])
    expect(afterFetched).toMatchObject({ state: 'Fetched' })
    expect(afterFetched?.standing).toContain('its present key goes on')
    expect(await rotationOf(device)).toMatchObject({ state: 'Done' })
    expect((await withKey(device, device.keys.present).sync()).json()).not.toHaveProperty('key')
    expect(await listKeysInForce(test, device)).toEqual([
      { hash: hashText(device.keys.present), isNext: false },
    ])
  })

  it('is named by the audit log as who fetched and used the key', async () => {
    const device = await givenFetched()
    await device.sync()

    const log = await client.get(`/audit-log?subject=device:${device.deviceId}`)

    const { entries } = log.json<{ entries: { summary: string; actorType: string }[] }>()
    expect(entries.map(({ actorType, summary }) => [actorType, summary])).toEqual([
      ['Device', `The device ${device.deviceId} used its new key; 1 older key ended`],
      ['Device', `The device ${device.deviceId} fetched its next key`],
      ['ApiKey', expect.stringContaining(`asked the device ${device.deviceId} to replace its key`)],
    ])
  })

  it('gets another key for each answer it lost, and of those never used five stay', async () => {
    const device = await givenDevice()
    await ask(device)
    const keys: string[] = []
    for (let round = 0; round < 7; round += 1) {
      await device.fetch()
      keys.push(device.keys.next ?? '')
    }

    const inForce = await listKeysInForce(test, device)

    expect(inForce.map(({ hash }) => hash)).toEqual(
      [device.deviceKey, ...keys.slice(2)].map(hashText),
    )
    expect((await withKey(device, keys[0] ?? '').sync()).statusCode).toBe(401)
    expect((await withKey(device, keys[3] ?? '').sync()).statusCode).toBe(200)
    expect((await withKey(device, keys[6] ?? '').sync()).statusCode).toBe(401)
    expect(await listKeysInForce(test, device)).toHaveLength(1)
  })

  it('gets one of two keys that it uses at the same moment, and the other one is refused', async () => {
    const device = await givenDevice()
    await ask(device)
    await device.fetch()
    const first = device.keys.next ?? ''
    await device.fetch()
    const second = device.keys.next ?? ''

    const statuses = await Promise.all(
      [first, second, first, second].map(async (key) => {
        return (await withKey(device, key).sync()).statusCode
      }),
    )

    expect(new Set(statuses)).toEqual(new Set([200, 401]))
    expect(await listKeysInForce(test, device)).toHaveLength(1)
  })

  it('keeps a certificate and the keys of all devices', async () => {
    const fleetKey = await givenDeviceKey(test, client.workspaceId)
    const device = await givenFetched()

    await device.sync()

    expect((await withKey(device, fleetKey).sync()).statusCode).toBe(200)
  })
})

describe('at its other doors', () => {
  it('is told by MQTT at once, and the connection of its old key ends when it logs in with the new one', async () => {
    const device = await givenDevice()
    const old = await connectDevice({ ...device, port: gateway.port })
    await old.client.subscribeAsync(`plimsoll/v1/${device.workspaceId}/${device.deviceId}/down/#`, {
      qos: 1,
    })
    await ask(device)
    await expect.poll(() => old.messages.map(({ topic }) => topic)).toContain('down/key')
    const told = old.messages.find(({ topic }) => topic === 'down/key')
    await device.fetch()
    const isOpenBefore = old.client.connected
    const deviceKey = device.keys.next ?? ''
    const next = await connectDevice({ ...device, deviceKey, port: gateway.port })
    await connectionEnded(old)

    expect(told?.message).toMatchObject({ rotate: true })
    expect(isOpenBefore).toBe(true)
    expect(next.client.connected).toBe(true)
    await expect(connectDevice({ ...device, port: gateway.port })).rejects.toThrow()
    expect(await rotationOf(device)).toMatchObject({ state: 'Done' })
  })

  it('hears by MQTT that it is asked no more', async () => {
    const device = await givenDevice()
    const connected = await connectDevice({ ...device, port: gateway.port })
    await connected.client.subscribeAsync(
      `plimsoll/v1/${device.workspaceId}/${device.deviceId}/down/key`,
      { qos: 1 },
    )
    await ask(device)
    await expect.poll(() => connected.messages.length).toBe(1)

    await client.delete(`/devices/${device.deviceId}/key-rotation`)

    await expect.poll(() => connected.messages.at(-1)?.message).toBeNull()
    expect(await device.fetch()).toBe(409)
  })

  it('ends the old key when the new one is used as a hawkBit token', async () => {
    const device = await givenFetched()

    const poll = await ddiClient(test, { ...device, deviceKey: device.next }).get('')

    expect(poll.statusCode).toBe(200)
    expect((await ddiClient(test, device).get('')).statusCode).toBe(401)
    expect(await listKeysInForce(test, device)).toHaveLength(1)
  })

  it('ends the old key when the new one logs in at a broker that asks Plimsoll', async () => {
    const device = await givenFetched()
    const logIn = async (password: string) => {
      const response = await test.app.inject({
        method: 'POST',
        url: '/mqtt/auth',
        headers: { authorization: `Bearer ${SECRET}` },
        payload: { username: `${device.workspaceId}:${device.deviceId}`, password },
      })
      return response.statusCode
    }

    expect([await logIn(device.next), await logIn(device.deviceKey)]).toEqual([200, 403])
  })
})

describe('a device that cannot', () => {
  it('is not asked when it is a hawkBit client, and the answer says why', async () => {
    const device = await givenDevice()
    await ddiClient(test, device).get('')

    const asked = await ask(device)

    expect(asked.statusCode).toBe(409)
    expect(asked.json()).toMatchObject({
      type: '/problems/device-cannot-rotate-key',
      detail: expect.stringContaining('hawkBit') as string,
    })
  })

  it('is not asked when it has no key of its own', async () => {
    const deviceId = `device-${crypto.randomUUID()}`
    await client.post('/devices', { id: deviceId })

    expect((await ask({ deviceId })).json()).toMatchObject({
      type: '/problems/device-cannot-rotate-key',
      detail: expect.stringContaining('no key of its own') as string,
    })
  })

  it('is refused with a key of all devices, and shown as unable until it fetches with its own', async () => {
    const fleetKey = await givenDeviceKey(test, client.workspaceId)
    const device = await givenDevice()
    await ask(device)

    const refused = await test.app.inject({
      method: 'POST',
      url: `/device/v1/${device.workspaceId}/${device.deviceId}/key`,
      headers: { authorization: `Bearer ${fleetKey}` },
    })
    const standing = await rotationOf(device)
    await device.fetch()

    expect(refused.json()).toMatchObject({
      status: 403,
      type: '/problems/key-rotation-needs-own-key',
    })
    expect(standing).toMatchObject({ state: 'Unable' })
    expect(standing?.standing).toContain('a key of all devices')
    expect(await rotationOf(device)).toMatchObject({ state: 'Fetched' })
  })

  it('counts as unable when it was told, talked on for more than an hour, and fetched nothing', async () => {
    const device = await givenDevice()
    now = new Date('2026-11-20T10:00:00Z')
    await ask(device)
    await device.sync()
    now = new Date('2026-11-20T11:00:00Z')
    await device.sync()
    const atAnHour = await rotationOf(device)
    now = new Date('2026-11-20T11:00:01Z')
    await device.sync()
    now = undefined

    expect(atAnHour?.state).toBe('Told')
    expect(await rotationOf(device)).toMatchObject({
      state: 'Unable',
      standing: expect.stringContaining('does not seem to know how') as string,
    })
  })

  it('is refused when nobody asked, by name of the problem, and keeps its key', async () => {
    const device = await givenDevice()

    expect(await device.fetch()).toBe(409)
    expect(await device.sync()).toBe(true)
  })

  it('has nothing to take back once it fetched its key, as it may have stored it', async () => {
    const device = await givenFetched()

    const cancelled = await client.delete(`/devices/${device.deviceId}/key-rotation`)

    expect(cancelled.json()).toMatchObject({ status: 409, type: '/problems/key-rotation-fetched' })
    expect(await device.sync()).toBe(true)
    const gone = await client.delete(`/devices/${device.deviceId}/key-rotation`)
    expect(gone.json()).toMatchObject({ status: 404, type: '/problems/key-rotation-not-found' })
  })
})

describe('many devices', () => {
  it('are asked by a filter with true counts, found by how far they are, and asked no more by undo', async () => {
    client = await givenClient(test)
    const [first, second, hawkbit, before] = [
      await givenDevice(),
      await givenDevice(),
      await givenDevice(),
      await givenDevice(),
    ]
    await givenDeviceKey(test, client.workspaceId, second.deviceId)
    await client.post('/devices', { id: 'keyless' })
    await ddiClient(test, hawkbit).get('')
    await ask(before)
    const command = { filter: { inCohort: false } }

    const preview = await client.post('/devices/bulk-rotate-keys', { ...command, dryRun: true })
    const untouched = await rotationOf(first)
    const asked = await client.post('/devices/bulk-rotate-keys', command)
    await first.fetch()
    const listed = await client.post('/devices/list', {
      filter: { keyRotation: ['Asked', 'Fetched'] },
    })
    const { keyRotationBatchId } = asked.json<{ keyRotationBatchId: string }>()
    const path = `/devices/bulk-rotate-keys/${keyRotationBatchId}/undo`
    const undone = await client.post(path)

    const counts = {
      matched: 5,
      asked: 2,
      askedBefore: 1,
      hawkbit: 1,
      withoutOwnKey: 1,
      severalKeys: 1,
    }
    expect(preview.json()).toEqual({ ...counts, keyRotationBatchId: null })
    expect(untouched).toBeNull()
    expect(asked.json()).toMatchObject(counts)
    expect(
      listed
        .json<{ devices: { id: string }[] }>()
        .devices.map(({ id }) => id)
        .toSorted(),
    ).toEqual([first, second, before].map(({ deviceId }) => deviceId).toSorted())
    expect(undone.json()).toEqual({ cancelled: 1, left: 1 })
    expect(await rotationOf(second)).toBeNull()
    expect(await rotationOf(before)).toMatchObject({ state: 'Asked' })
    const unknown = await client.post(`/devices/bulk-rotate-keys/${crypto.randomUUID()}/undo`)
    expect(unknown.statusCode).toBe(404)
  })
})

type Step =
  | 'ask'
  | 'fetch'
  | 'loseFetched'
  | 'sync'
  | 'loseSync'
  | 'fetchTwice'
  | 'useBoth'
  | 'cancel'
const STEPS: readonly Step[] = [
  'ask',
  'fetch',
  'loseFetched',
  'sync',
  'loseSync',
  'fetchTwice',
  'useBoth',
  'cancel',
]

async function play(device: RotatingDevice, step: Step): Promise<void> {
  switch (step) {
    case 'ask':
      await ask(device)
      return
    case 'fetch':
    case 'loseFetched':
      // A client that has its next key uses it, and one that lost the answer asks again.
      if (device.keys.next === undefined) await device.fetch({ isLost: step === 'loseFetched' })
      return
    case 'sync':
    case 'loseSync':
      expect(await device.sync({ isLost: step === 'loseSync' })).toBe(true)
      return
    case 'fetchTwice':
      // The answer to the first comes late: which of the two it keeps is a matter of chance.
      if (device.keys.next === undefined) await Promise.all([device.fetch(), device.fetch()])
      return
    case 'useBoth':
      await Promise.all([device.sync({ isLost: true }), device.sync({ isLost: true })])
      return
    case 'cancel':
      await client.delete(`/devices/${device.deviceId}/key-rotation`)
  }
}

it('locks no device out over any sequence of answers that are lost, and leaves one key in the end', async () => {
  const device = await givenDevice()

  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...STEPS), { maxLength: 12 }), async (steps) => {
      for (const step of steps) {
        const { present } = device.keys
        await play(device, step)
        const inForce = await listKeysInForce(test, device)
        const has = (key: string | undefined) =>
          key !== undefined && inForce.some(({ hash }) => hash === hashText(key))
        // One of those in its flash lets it in, and the present one until one of the next was used.
        expect(has(device.keys.present) || has(device.keys.next)).toBe(true)
        if (inForce.some(({ isNext }) => isNext)) expect(has(present)).toBe(true)
        expect(inForce.filter(({ isNext }) => isNext).length).toBeLessThanOrEqual(5)
        expect(inForce.filter(({ isNext }) => !isNext)).toHaveLength(1)
      }
      await ask(device)
      if (device.keys.next === undefined) await device.fetch()
      await device.sync()
      await device.sync()
      expect(await listKeysInForce(test, device)).toEqual([
        { hash: hashText(device.keys.present), isNext: false },
      ])
    }),
    { numRuns: propertyRuns(200) },
  )
})
