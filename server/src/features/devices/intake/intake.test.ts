import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import type { DeviceReport } from '../reactions.ts'
import { disconnectGateway } from '../presence/service.ts'
import { insertDevices } from '../store.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const HOUR_MS = 3_600_000
const START = new Date('2026-11-21T10:30:00Z')

async function givenFleet(deviceIds: readonly string[]): Promise<Client> {
  const client = await givenClient(test)
  const { workspaceId } = client
  await insertDevices(
    test.ctx.db,
    workspaceId,
    deviceIds.map((id) => ({
      workspaceId,
      id,
      description: null,
      tags: [],
      attributes: {},
      createdAt: START,
    })),
  )
  for (const slug of ['main', 'modem']) {
    const firmware = (await client.post('/firmwares', { slug })).json<{ id: string }>()
    for (const name of ['1', '2'])
      await client.post(`/firmwares/${firmware.id}/versions`, {
        name,
        ...(slug === 'main' && { buildId: `build ${name}` }),
      })
  }
  return client
}

type Message = DeviceReport['message']

function reporting(client: Client) {
  return (deviceId: string, message: Message, receivedAt = START) =>
    test.doors.intake.receive({
      workspaceId: client.workspaceId,
      deviceId,
      door: 'Mqtt',
      receivedAt,
      message,
    })
}

const session = (
  runId: string,
  firmware: Record<string, string>,
  attributes?: Record<string, string>,
): Message => ({
  kind: 'session',
  session: {
    runId,
    firmware: Object.entries(firmware).map(([slug, version]) => ({ slug, version })),
    ...(attributes && { attributes }),
  },
})

async function running(client: Client, deviceId: string) {
  const { rows } = await sql<{ slug: string; version: string; known: boolean }>`
    select slug, version, firmware_version_id is not null as known from device_firmwares
    where workspace_id = ${client.workspaceId} and device_id = ${deviceId} order by slug`.execute(
    test.ctx.db,
  )
  return rows.map(({ slug, version, known }) => `${slug} ${version}${known ? '' : '?'}`)
}

async function expectCountsOfRows(client: Client): Promise<void> {
  const { rows: counted } = await sql`
    select firmware_version_id, connected, seen_hour, devices from firmware_version_device_counts
    where workspace_id = ${client.workspaceId} and devices <> 0 order by 1, 2, 3`.execute(
    test.ctx.db,
  )
  const { rows: counts } = await sql`
    select running.firmware_version_id, devices.connected,
      floor(extract(epoch from devices.last_seen_at) / 3600)::int as seen_hour, count(*)::int as devices
    from device_firmwares as running
    join devices on devices.workspace_id = running.workspace_id and devices.id = running.device_id
    where running.workspace_id = ${client.workspaceId} and running.firmware_version_id is not null
    group by 1, 2, 3 order by 1, 2, 3`.execute(test.ctx.db)
  expect(counted).toEqual(counts)
  const { rows: countedImages } = await sql`
    select firmware_version_id, image_hash, devices from device_image_counts
    where workspace_id = ${client.workspaceId} and devices <> 0 order by 1, 2`.execute(test.ctx.db)
  const { rows: images } = await sql`
    select firmware_version_id, coalesce(image_hash, '') collate "C" as image_hash, count(*)::int as devices
    from device_firmwares
    where workspace_id = ${client.workspaceId} and firmware_version_id is not null
      and (image_hash is not null or build_id is not null)
    group by 1, 2 order by 1, 2`.execute(test.ctx.db)
  expect(countedImages).toEqual(images)
}

describe('what a device runs', () => {
  it('is what its newest session says, all of it', async () => {
    const client = await givenFleet(['gw-1'])
    const report = reporting(client)

    await report('gw-1', session('a', { main: '1', modem: '1' }))
    await report('gw-1', session('b', { main: '2' }))

    expect(await running(client, 'gw-1')).toEqual(['main 2'])
  })

  it('is not changed by a session of an earlier run that arrives late', async () => {
    const client = await givenFleet(['gw-1'])
    const report = reporting(client)
    await report('gw-1', session('a', { main: '1' }))
    await report('gw-1', session('b', { main: '2' }))

    await report('gw-1', session('a', { main: '1' }))

    expect(await running(client, 'gw-1')).toEqual(['main 2'])
  })

  it('is what a device said last of much it says at once, among others', async () => {
    const client = await givenFleet(['gw-1', 'gw-2'])
    const report = reporting(client)
    const said = Array.from({ length: 30 }, (_, run) => [
      report('gw-1', session(`run-${run}`, { main: String(run % 3) })),
      report('gw-1', { kind: 'metrics', points: [] }),
      report('gw-2', session(`run-${run}`, { main: String(29 - run) })),
    ])

    await Promise.all(said.flat())

    expect(await running(client, 'gw-1')).toEqual(['main 2'])
    expect(await running(client, 'gw-2')).toEqual(['main 0?'])
    await expectCountsOfRows(client)
  })

  it('is a blind spot where nobody knows the version', async () => {
    const client = await givenFleet(['gw-1', 'gw-2'])
    const report = reporting(client)

    await report('gw-1', session('a', { main: '3' }))
    await report('gw-2', { kind: 'session', session: { runId: 'a', buildId: 'c0ffee' } })

    expect(await running(client, 'gw-1')).toEqual(['main 3?'])
    expect(await running(client, 'gw-2')).toEqual([' ?'])
  })

  it('is stored for those that are there when another was deleted meanwhile', async () => {
    const client = await givenFleet(['gw-1'])
    const report = reporting(client)

    await Promise.all([
      report('gone', session('a', { main: '1' })),
      report('gw-1', session('a', { main: '1' })),
    ])

    expect(await running(client, 'gw-1')).toEqual(['main 1'])
    expect(await running(client, 'gone')).toEqual([])
  })

  it('is that of its own workspace', async () => {
    const client = await givenFleet(['gw-1'])
    const other = await givenFleet(['gw-1'])

    await reporting(client)('gw-1', session('a', { main: '1' }))

    expect(await running(other, 'gw-1')).toEqual([])
    await expectCountsOfRows(other)
  })
})

describe('presence', () => {
  async function isConnected(client: Client, deviceId: string): Promise<boolean | undefined> {
    const row = await test.ctx.db
      .selectFrom('devices')
      .select('connected')
      .where('workspaceId', '=', client.workspaceId)
      .where('id', '=', deviceId)
      .executeTakeFirst()
    return row?.connected
  }

  it('is kept when the connection before it ends late', async () => {
    const client = await givenFleet(['gw-1'])
    const report = reporting(client)
    const gatewayId = crypto.randomUUID()
    const [older, newer] = [crypto.randomUUID(), crypto.randomUUID()]
    await report('gw-1', { kind: 'connected', connectionId: older, gatewayId })
    await report('gw-1', { kind: 'connected', connectionId: newer, gatewayId })

    await report('gw-1', { kind: 'disconnected', connectionId: older })

    expect(await isConnected(client, 'gw-1')).toBe(true)
    await report('gw-1', { kind: 'disconnected', connectionId: newer })
    expect(await isConnected(client, 'gw-1')).toBe(false)
  })

  it('ends with the gateway that held it', async () => {
    const client = await givenFleet(['gw-1', 'gw-2'])
    const report = reporting(client)
    const [lost, kept] = [crypto.randomUUID(), crypto.randomUUID()]
    const connectionId = crypto.randomUUID()
    await report('gw-1', session('a', { main: '1' }))
    await report('gw-1', { kind: 'connected', connectionId, gatewayId: lost })
    await report('gw-2', { kind: 'connected', connectionId, gatewayId: kept })

    await disconnectGateway(test.ctx, lost)

    expect(await isConnected(client, 'gw-1')).toBe(false)
    expect(await isConnected(client, 'gw-2')).toBe(true)
    await expectCountsOfRows(client)
  })
})

describe('counts of devices', () => {
  const DEVICES = ['a', 'b', 'c', 'd', 'e']
  const GATEWAYS = [crypto.randomUUID(), crypto.randomUUID()]
  const version = fc.constantFrom('1', '2', 'unknown')
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc
      .record({ runId: fc.constantFrom('r1', 'r2', 'r3', 'r4'), main: version, modem: version })
      .map(({ runId, main, modem }) => session(runId, { main, modem })),
    fc
      .tuple(version, fc.constantFrom(undefined, '', 'no hash', 'aa'.repeat(32), 'bb'.repeat(32)))
      .map(([main, imageHash]) =>
        session(crypto.randomUUID(), { main }, imageHash === undefined ? imageHash : { imageHash }),
      ),
    fc.constantFrom('build 1', 'build 9').map((buildId): Message => ({
      kind: 'session',
      session: { runId: crypto.randomUUID(), buildId },
    })),
    version.map((main): Message => ({
      kind: 'running',
      firmware: [{ slug: 'main', version: main }],
      unconfirmed: true,
    })),
    fc
      .constantFrom(...GATEWAYS)
      .map((gatewayId): Message => ({ kind: 'connected', connectionId: gatewayId, gatewayId })),
    fc
      .constantFrom(...GATEWAYS)
      .map((connectionId): Message => ({ kind: 'disconnected', connectionId })),
    fc.constant<Message>({ kind: 'contact' }),
    fc.constant<Message>({ kind: 'metrics', points: [] }),
  )
  const step = fc.record({
    deviceId: fc.constantFrom(...DEVICES),
    hour: fc.integer({ min: -2, max: 30 }),
    message,
    gatewayLost: fc.constantFrom(undefined, undefined, undefined, undefined, ...GATEWAYS),
  })

  it('equal the rows after any reports, side by side', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const client = await givenFleet(DEVICES)
        const report = reporting(client)

        await Promise.all(
          steps.map(async ({ deviceId, hour, message: said, gatewayLost }) => {
            if (gatewayLost !== undefined) await disconnectGateway(test.ctx, gatewayLost)
            await report(deviceId, said, new Date(START.getTime() + hour * HOUR_MS))
          }),
        )

        await expectCountsOfRows(client)
      }),
      { numRuns: propertyRuns(25, 8) },
    )
  })
})
