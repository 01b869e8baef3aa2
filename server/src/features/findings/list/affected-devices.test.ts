/** What devices say they run, against every count of affected devices: a count of the rows says the same. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenSbom } from '../../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import { newId } from '../../../platform/ids.ts'
import type { DeviceReport } from '../../devices/index.ts'
import { matchFirmwareVersion } from '../service.ts'
import { refreshKept } from '../workspace-list/refresh-service.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-11-21T10:30:00Z')

let test: TestApp
let clock = START
beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => new Date(clock)
})
beforeEach(() => {
  clock = START
})

interface Fleet extends Client {
  /** By slug and name as they were first: `main 1`. */
  versions: Map<string, string>
  firmwares: Map<string, string>
  product: string
}

const SLUGS = ['main', 'modem', 'boot']
const NAMES = ['1', '2']

/** Three firmwares with two versions each; the first versions of two of them hold the same vulnerable component. */
async function givenFleet(): Promise<Fleet> {
  const client = await givenClient(test)
  const product = `product-${newId()}`
  const fleet = {
    ...client,
    product,
    versions: new Map<string, string>(),
    firmwares: new Map<string, string>(),
  }
  for (const slug of SLUGS) {
    const firmware = (await client.post('/firmwares', { slug })).json<{ id: string }>()
    fleet.firmwares.set(slug, firmware.id)
    for (const name of NAMES) {
      const made = await client.post(`/firmwares/${firmware.id}/versions`, { name })
      fleet.versions.set(`${slug} ${name}`, made.json<{ id: string }>().id)
    }
  }
  await givenAdvisory(test.ctx.db, {
    id: `CVE-2024-${product}`,
    severity: 'Critical',
    affected: [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])],
  })
  for (const held of ['main 1', 'modem 1', 'main 2']) {
    const firmwareVersionId = fleet.versions.get(held) ?? ''
    const cpes = [`cpe:2.3:a:acme:${product}:1.0:*:*:*:*:*:*:*`]
    const version = { workspaceId: client.workspaceId, firmwareVersionId }
    const components = [{ packageName: 'thing', version: '1.0', cpes }]
    await givenSbom(test.ctx, { ...version, components })
    await matchFirmwareVersion(test.ctx, version)
  }
  return fleet
}

const receive = (
  { workspaceId }: Client,
  { deviceId, message }: { deviceId: string; message: object },
) =>
  test.doors.intake.receive({
    workspaceId,
    deviceId,
    door: 'Mqtt',
    receivedAt: test.ctx.now(),
    message: message as DeviceReport['message'],
  })

const session = (firmware: Record<string, string>) => ({
  kind: 'session',
  session: {
    runId: crypto.randomUUID(),
    firmware: Object.entries(firmware).map(([slug, version]) => ({ slug, version })),
  },
})

interface Groups {
  affectedDeviceCount: number
  affectedDevices: { runningNow: number; seenLastDay: number; seenLastWeek: number; older: number }
}

/** By what the rows of devices say, in which a firmware version's name is looked up anew. */
async function bruteForce({ workspaceId }: Client, ids: readonly string[]) {
  const hour = Math.floor(clock / HOUR_MS)
  const { rows } = await sql<{ connected: boolean; hour: number }>`
    select device.connected, floor(extract(epoch from device.last_seen_at) / 3600)::int as hour
    from devices as device
    where device.workspace_id = ${workspaceId} and exists (
      select from device_firmwares as running
      join firmwares as firmware on firmware.workspace_id = running.workspace_id
      join firmware_versions as version
        on version.workspace_id = firmware.workspace_id and version.firmware_id = firmware.id
      where running.workspace_id = ${workspaceId} and running.device_id = device.id and version.id = any(${ids}::uuid[])
        and case when running.build_id is null then firmware.slug = running.slug and version.name = running.version
          else version.build_id = running.build_id end)`.execute(test.ctx.db)
  const count = (means: (row: (typeof rows)[number]) => boolean) => rows.filter(means).length
  return {
    affectedDeviceCount: rows.length,
    affectedDevices: {
      runningNow: count((row) => row.connected),
      seenLastDay: count((row) => !row.connected && row.hour >= hour - 24),
      seenLastWeek: count(
        (row) => !row.connected && row.hour < hour - 24 && row.hour >= hour - 168,
      ),
      older: count((row) => !row.connected && row.hour < hour - 168),
    },
  }
}

async function expectTruth(fleet: Fleet): Promise<void> {
  const { rows: summaries } = await sql<{ id: string; slug: string; name: string }>`
    select version.id, firmware.slug, version.name from firmware_versions as version
    join firmwares as firmware using (workspace_id) where workspace_id = ${fleet.workspaceId}
      and firmware.id = version.firmware_id`.execute(test.ctx.db)
  const vulnerable = (await fleet.get('/vulnerable-firmware-versions')).json<
    { firmwareVersionId: string; vulnerabilitySummary: Groups }[]
  >()
  expect(vulnerable).toHaveLength(3)
  for (const { id } of summaries) {
    const truth = await bruteForce(fleet, [id])
    const version = (await fleet.get(`/firmware-versions/${id}`)).json<Groups>()
    expect(version).toMatchObject(truth)
    const listed = vulnerable.find(({ firmwareVersionId }) => firmwareVersionId === id)
    if (listed) expect(listed.vulnerabilitySummary).toMatchObject(truth)
  }
  const held = ['main 1', 'modem 1', 'main 2'].map((name) => fleet.versions.get(name) ?? '')
  const rows = await fleet.post('/vulnerability-findings/list', {})
  const { affectedDeviceCount } = await bruteForce(fleet, held)
  expect(rows.json()).toMatchObject({ findings: [{ affectedDeviceCount }] })
}

describe('affected devices', () => {
  it('are counted once by a vulnerability in two firmwares that a device runs', async () => {
    const fleet = await givenFleet()
    await fleet.post('/devices/import', { devices: ['a', 'b', 'c', 'd'].map((id) => ({ id })) })
    await receive(fleet, { deviceId: 'a', message: session({ main: '1', modem: '1', boot: '2' }) })
    await receive(fleet, { deviceId: 'b', message: session({ main: '2' }) })
    await receive(fleet, { deviceId: 'c', message: session({ boot: '1' }) })

    const page = await fleet.post('/vulnerability-findings/list', {})
    const ofMain = await fleet.post('/vulnerability-findings/list', {
      filter: { firmwareIds: [fleet.firmwares.get('main')] },
    })
    const components = (await fleet.post('/components/list', {})).json<{
      components: { firmwareVersion: { id: string }; affectedDeviceCount: number }[]
    }>()
    const versionId = fleet.versions.get('main 1') ?? ''
    const list = await fleet.post(`/firmware-versions/${versionId}/vulnerability-findings/list`, {})
    const [finding] = list.json<{ findings: { id: string; affectedDeviceCount: number }[] }>()
      .findings
    const detail = await fleet.get(`/vulnerability-findings/${finding?.id ?? ''}`)
    const summary = await fleet.get(
      `/firmware-versions/${versionId}/vulnerability-findings/summary`,
    )
    const devices = await fleet.post('/devices/list', {
      filter: { cveIds: [`CVE-2024-${fleet.product}`] },
    })

    expect(page.json()).toMatchObject({ findings: [{ affectedDeviceCount: 2 }] })
    expect(ofMain.json()).toMatchObject({ findings: [{ affectedDeviceCount: 2 }] })
    const counts = components.components.map((one) => [
      one.firmwareVersion.id,
      one.affectedDeviceCount,
    ])
    expect(Object.fromEntries(counts)).toEqual({
      [fleet.versions.get('main 1') ?? '']: 1,
      [fleet.versions.get('main 2') ?? '']: 1,
      [fleet.versions.get('modem 1') ?? '']: 1,
    })
    expect(finding?.affectedDeviceCount).toBe(1)
    const groups = { runningNow: 0, seenLastDay: 1, seenLastWeek: 0, older: 0 }
    for (const answer of [detail, summary])
      expect(answer.json()).toMatchObject({ affectedDeviceCount: 1, affectedDevices: groups })
    expect(devices.json()).toMatchObject({ devices: [{ id: 'a' }, { id: 'b' }] })
    expect((await fleet.get('/device-summary')).json()).toMatchObject({ vulnerableDevices: 2 })
  })

  it('keep rows of the workspace’s list that no device runs out of it, where asked to', async () => {
    const fleet = await givenFleet()
    await fleet.post('/devices', { id: 'a' })
    const filter = { affectedDevicesOnly: true }

    const before = await fleet.post('/vulnerability-findings/list', { filter })
    await receive(fleet, { deviceId: 'a', message: session({ main: '2' }) })
    await refreshKept(test.ctx, fleet)
    const after = await fleet.post('/vulnerability-findings/list', { filter })
    await fleet.delete('/devices/a')
    await refreshKept(test.ctx, fleet)
    const deleted = await fleet.post('/vulnerability-findings/list', { filter })

    expect(before.json()).toMatchObject({ findings: [] })
    expect(after.json()).toMatchObject({
      findings: [
        { affectedDeviceCount: 1, firmwareVersions: [{ id: fleet.versions.get('main 2') }] },
      ],
    })
    expect(deleted.json()).toMatchObject({ findings: [] })
  })

  it('equal a count of the rows after whatever happened, side by side', async () => {
    const deviceId = fc.constantFrom('a', 'b', 'c', 'd')
    const name = fc.constantFrom('1', '2', '3')
    const versionKey = fc.constantFrom('main 1', 'main 2', 'modem 1')
    const gatewayId = crypto.randomUUID()
    const firmware = fc.dictionary(fc.constantFrom(...SLUGS, 'other'), name, { maxKeys: 3 })
    const said: fc.Arbitrary<object> = fc.oneof(
      firmware.map(session),
      fc.constantFrom('b1', 'b2').map((buildId) => ({
        kind: 'session',
        session: { runId: crypto.randomUUID(), buildId },
      })),
      fc.uuid().map((connectionId) => ({ kind: 'connected', connectionId, gatewayId })),
      fc.constant({ kind: 'contact' }),
    )
    const is = <Kind extends Command['is']>(kind: Kind) => fc.constant(kind)
    const command: fc.Arbitrary<Command> = fc.oneof(
      { weight: 6, arbitrary: fc.record({ is: is('say'), deviceId, message: said }) },
      fc.record({ is: is('delete'), deviceId }),
      fc.record({ is: is('register'), deviceId }),
      fc.record({ is: is('rename'), versionKey, name }),
      fc.record({ is: is('build'), versionKey, buildId: fc.constantFrom('b1', 'b2', null) }),
      fc.record({ is: is('reslug'), slug: fc.constantFrom('main', 'other') }),
    )
    const step = fc.record({
      hours: fc.constantFrom(0, 0, 1, 30, 200),
      commands: fc.array(command, { maxLength: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
        const fleet = await givenFleet()
        await fleet.post('/devices/import', { devices: ['a', 'b', 'c', 'd'].map((id) => ({ id })) })
        for (const { hours, commands } of steps) {
          clock += hours * HOUR_MS
          await Promise.all(commands.map((one) => run(fleet, one)))
          await expectTruth(fleet)
        }
      }),
      { numRuns: propertyRuns(12, 6) },
    )
  })
})

type Command =
  | { is: 'say'; deviceId: string; message: object }
  | { is: 'delete' | 'register'; deviceId: string }
  | { is: 'rename'; versionKey: string; name: string }
  | { is: 'build'; versionKey: string; buildId: string | null }
  | { is: 'reslug'; slug: string }

/** What the state of things refuses is refused, and changes nothing. */
async function run(fleet: Fleet, command: Command): Promise<void> {
  if (command.is === 'say') return receive(fleet, command)
  const answer = await send(fleet, command)
  expect([200, 201, 204, 404, 409]).toContain(answer.statusCode)
}

function send(fleet: Fleet, command: Exclude<Command, { is: 'say' }>) {
  const version = (key: string) => `/firmware-versions/${fleet.versions.get(key) ?? ''}`
  const main = `/firmwares/${fleet.firmwares.get('main') ?? ''}`
  switch (command.is) {
    case 'delete':
      return fleet.delete(`/devices/${command.deviceId}`)
    case 'register':
      return fleet.post('/devices', { id: command.deviceId })
    case 'rename':
      return fleet.patch(version(command.versionKey), { name: command.name })
    case 'build':
      return fleet.patch(version(command.versionKey), { buildId: command.buildId })
    case 'reslug':
      return fleet.put(main, { slug: command.slug, name: 'Main' })
  }
}
