import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TestApp } from '../../test/app.ts'
import type { Client } from '../../test/given.ts'
import { givenSimulatedService } from '../../test/given-simulation.ts'
import { givenDeviceKey } from '../../test/given-ddi.ts'
import { listKeysInForce, hashText } from '../../test/given-key-rotation.ts'
import { newId } from '../platform/ids.ts'
import { createSimulatedBuildId } from './crashes.ts'
import type { SimulationOptions } from './options.ts'
import type { StoredKeys } from './own-keys.ts'
import { type Simulation, startSimulation } from './simulation.ts'

let test: TestApp
let client: Client
let at: Pick<SimulationOptions, 'url' | 'mqttUrl' | 'deviceKey' | 'workspaceId'>
const running: Simulation[] = []

beforeAll(async () => {
  const service = await givenSimulatedService()
  ;({ test, client, at } = service)
})

afterEach(async () => {
  for (const simulation of running.splice(0)) await simulation.stop()
})

function simulate(options: Partial<SimulationOptions>): Simulation {
  const simulation = startSimulation({
    ...at,
    prefix: `sim-${newId()}-`,
    firmware: { gateway: '1.0.0', modem: '7' },
    devices: 6,
    rate: 1_000,
    metricsSeconds: 0,
    pollSeconds: 0.2,
    ...options,
  })
  running.push(simulation)
  return simulation
}

function storedFirmware(ids: readonly string[]) {
  return test.ctx.db
    .selectFrom('deviceFirmwares')
    .select(['slug', 'version'])
    .select(({ fn }) => fn.countAll<number>().as('devices'))
    .where('workspaceId', '=', client.workspaceId)
    .where('deviceId', 'in', [...ids])
    .groupBy(['slug', 'version'])
    .orderBy('slug')
    .execute()
}

describe.each(['mqtt', 'http', 'mixed'] as const)('devices at the door %s', (door) => {
  it.each(['json', 'cbor'] as const)(
    'say what they run and acknowledge what is desired, in %s',
    async (encoding) => {
      const { devices, started, counts } = simulate({ door, encoding })
      const ids = devices.map(({ id }) => id)

      await started
      await expect.poll(() => counts().configurations).toBe(6)
      const first = counts()
      await client.put(`/devices/${ids[0]}/configuration/desired`, { logSeverity: 'Debug' })

      await expect.poll(() => devices[0]?.logSeverity).toBe('Debug')
      const read = () => client.get(`/devices/${ids[0]}/configuration/desired`)
      await expect
        .poll(async () => (await read()).json<object>())
        .toMatchObject({ version: 2, acknowledgedVersion: 2 })
      expect(first).toMatchObject({ started: 6, connected: 6, sessions: 6, troubles: 0 })
      expect(await storedFirmware(ids)).toEqual([
        { slug: 'gateway', version: '1.0.0', devices: 6 },
        { slug: 'modem', version: '7', devices: 6 },
      ])
    },
  )
})

it('sends metrics', async () => {
  const { devices, started, counts } = simulate({ metricsSeconds: 0.3, door: 'mixed' })

  await started
  const countSeries = async () => {
    const { count } = await test.ctx.db
      .selectFrom('metricSeries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('workspaceId', '=', client.workspaceId)
      .where(
        'deviceId',
        'in',
        devices.map(({ id }) => id),
      )
      .executeTakeFirstOrThrow()
    return count
  }

  await expect.poll(countSeries).toBe(18)
  // A device counts what was answered, which it hears of later than the database.
  await expect.poll(() => counts().metrics).toBeGreaterThanOrEqual(18)
})

it.each(['mqtt', 'http'] as const)('is told at the door %s that a key is none', async (door) => {
  const simulation = simulate({ door, devices: 2, deviceKey: 'plmd_nothing' })

  await expect.poll(() => simulation.counts().troubles).toBeGreaterThan(1)

  expect(simulation.counts()).toMatchObject({
    started: 0,
    connected: 0,
    lastTrouble: expect.stringMatching(/401|Not authorized|Bad user/i) as string,
  })
})

it('crash at the rate that is asked for, and tell it after their restart', async () => {
  const { devices, counts } = simulate({
    devices: 2,
    metricsSeconds: 0.1,
    rebootSeconds: 0,
    crashRate: 1_000_000,
  })
  await expect.poll(() => counts().crashes).toBeGreaterThan(3)

  const response = await client.get(`/devices/${devices[0]?.id}/crashes`)
  const { reports } = response.json<{ reports: { buildId: string }[] }>()

  const buildId = createSimulatedBuildId('gateway', '1.0.0')
  expect(new Set(reports.map((report) => report.buildId))).toEqual(new Set([buildId]))
  expect(counts().troubles).toBe(0)
})

it('never crash unless they are asked to', async () => {
  const { counts } = simulate({ devices: 2, metricsSeconds: 0.1 })

  await expect.poll(() => counts().metrics).toBeGreaterThan(10)

  expect(counts().crashes).toBe(0)
})

it.each(['mqtt', 'http'] as const)(
  'replaces the keys of single devices when asked, at the door %s, but for those that do not know how',
  async (door) => {
    // Of these the seed draws some who know how, and some who do not.
    const prefix = `keys-${door}-`
    const ids = Array.from({ length: 6 }, (_, index) => `${prefix}0000${index + 1}`)
    const ownKeys = new Map<string, StoredKeys>()
    for (const id of ids)
      ownKeys.set(id, { present: await givenDeviceKey(test, client.workspaceId, id) })
    const kept = new Map(ownKeys)
    const { started, counts, stop } = simulate({
      prefix,
      door,
      ownKeys,
      onOwnKeys: (id, keys) => kept.set(id, keys),
      unablePercent: 50,
    })
    await started
    for (const id of ids) await client.post(`/devices/${id}/key-rotation`)

    await expect.poll(() => counts().keys.replaced, { timeout: 30_000 }).toBeGreaterThan(0)
    const stateOf = async (id: string) => {
      const device = await client.get(`/devices/${id}`)
      return device.json<{ keyRotation: { state: string } }>().keyRotation.state
    }
    const listStates = () => Promise.all(ids.map(stateOf))
    await expect
      .poll(async () => (await listStates()).toSorted().join(' '), { timeout: 30_000 })
      .toMatch(/^(?:Done )+(?:Told ?)+$/)
    const states = await listStates()
    const done = states.filter((state) => state === 'Done').length
    // The service knows of it before the device has the answer.
    await expect.poll(() => counts().keys).toEqual({ fetched: done, replaced: done })
    await stop()

    for (const [index, deviceId] of ids.entries()) {
      const inForce = await listKeysInForce(test, { workspaceId: client.workspaceId, deviceId })
      const present = kept.get(deviceId)?.present ?? ''
      expect(inForce).toEqual([{ hash: hashText(present), isNext: false }])
      expect(present === ownKeys.get(deviceId)?.present).toBe(states[index] === 'Told')
    }
  },
)
