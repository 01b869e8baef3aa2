/** Crashes at the HTTP door of devices, and what people read of them. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenSyncingDevice, type SyncingDevice } from '../../../test/given-device-sync.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

interface GivenFirmware {
  firmwareId: string
  slug: string
  /** Ids by name. */
  versions: Record<string, string>
}

/** Versions in the order of the names. Each has the build id `<slug>-<name>`. */
async function givenFirmware(...names: string[]): Promise<GivenFirmware> {
  const slug = `fw-${crypto.randomUUID().slice(0, 8)}`
  const { id: firmwareId } = (await client.post('/firmwares', { slug, name: slug })).json<{
    id: string
  }>()
  const versions: Record<string, string> = {}
  for (const name of names) {
    const created = await client.post(`/firmwares/${firmwareId}/versions`, {
      name,
      buildId: `${slug}-${name}`,
    })
    versions[name] = created.json<{ id: string }>().id
  }
  return { firmwareId, slug, versions }
}

async function givenRunning(slug: string, version: string): Promise<SyncingDevice> {
  const device = await givenSyncingDevice(test, client.workspaceId)
  await run(device, slug, version)
  return device
}

async function run(device: SyncingDevice, slug: string, version: string): Promise<void> {
  const session = { runId: crypto.randomUUID(), firmware: [{ slug, version }] }
  expect((await device.sync({ session })).statusCode).toBe(200)
}

const FAULT = {
  reason: 'HardFault',
  pc: '0x0800abcd',
  lr: '0x08001235',
  returnAddresses: ['0x08004567', '0x080011c9'],
}

async function crash(device: SyncingDevice, ...crashes: object[]) {
  const response = await device.sync({ crashes })
  expect(response.statusCode).toBe(200)
  return response.json<{ errors?: { pointer: string; detail: string }[] }>()
}

interface Group {
  id: string
  title: string
  frames: string[]
  isNamed: boolean
  buildId: string | null
  state: string
  fixedIn: { name: string } | null
  reopenedAt: string | null
  firstVersion: { name: string } | null
  lastVersion: { name: string } | null
  crashCount: number
  deviceCount: number
}

async function listGroups(query: string): Promise<Group[]> {
  const response = await client.get(`/crash-groups?${query}`)
  expect(response.statusCode).toBe(200)
  return response.json<{ crashGroups: Group[] }>().crashGroups
}

const groupsOf = ({ firmwareId }: GivenFirmware, more = '') =>
  listGroups(`firmwareId=${firmwareId}${more}`)

interface Detail extends Group {
  versions: { firmwareVersion: { name: string } | null; crashCount: number; deviceCount: number }[]
  devices: { deviceId: string; crashCount: number; droppedCount: number }[]
  reports: {
    firmwareVersion: { name: string } | null
    buildId: string | null
    thread: string | null
    time: string
    frames: { kind: string; address: string; lookup: string | null; lines: object[] | null }[]
    notResolved: string | null
  }[]
}

async function getGroup(id: string): Promise<Detail> {
  return (await client.get(`/crash-groups/${id}`)).json<Detail>()
}

async function openAddresses(buildId: string): Promise<string[]> {
  const response = await client.get(`/crash-builds/${encodeURIComponent(buildId)}/addresses`)
  return response.json<{ addresses: string[] }>().addresses
}

/** Names the addresses in their order. */
async function resolve(buildId: string, names: readonly (string | null)[]) {
  const addresses = await openAddresses(buildId)
  const lines = addresses.map((address, at) => {
    const name = names[at] ?? null
    return { address, frames: name === null ? [] : [{ function: name, file: 'a.c', line: at + 1 }] }
  })
  const response = await client.put(`/crash-builds/${encodeURIComponent(buildId)}/lines`, { lines })
  expect(response.statusCode).toBe(200)
  return response.json<{ movedCount: number; openAddressCount: number }>()
}

describe('a crash', () => {
  it('is stored with the version that the device runs, its frames and what is not resolved', async () => {
    const firmware = await givenFirmware('1.0.0')
    const device = await givenRunning(firmware.slug, '1.0.0')

    await crash(device, { ...FAULT, thread: 'modem' })

    const [group] = await groupsOf(firmware)
    expect(group).toMatchObject({ state: 'Open', isNamed: false, crashCount: 1, deviceCount: 1 })
    expect(await getGroup(group?.id ?? '')).toMatchObject({
      title: `HardFault at 0x800abcd of ${firmware.slug}-1.0.0`,
      versions: [{ firmwareVersion: { name: '1.0.0' }, crashCount: 1, deviceCount: 1 }],
      devices: [{ deviceId: device.deviceId, crashCount: 1, droppedCount: 0 }],
      reports: [
        {
          firmwareVersion: { name: '1.0.0' },
          thread: 'modem',
          notResolved: `no lines for build ${firmware.slug}-1.0.0`,
          frames: [
            { kind: 'ProgramCounter', address: '0x800abcd', lookup: '0x800abcd', lines: null },
            { kind: 'LinkRegister', address: '0x8001235', lookup: '0x8001233', lines: null },
            { kind: 'ReturnAddress', address: '0x8004567', lookup: '0x8004565', lines: null },
            { kind: 'ReturnAddress', address: '0x80011c9', lookup: '0x80011c7', lines: null },
          ],
        },
      ],
    })
  })

  it('is of the version that its build id names, though the device runs another one now', async () => {
    const firmware = await givenFirmware('1.0.0', '1.1.0')
    const device = await givenRunning(firmware.slug, '1.1.0')

    await crash(device, { ...FAULT, buildId: `${firmware.slug}-1.0.0` })

    expect(await groupsOf(firmware)).toMatchObject([{ lastVersion: { name: '1.0.0' } }])
  })

  it('is of no known version when it happened before the device ran what it runs now', async () => {
    const firmware = await givenFirmware('1.0.0')
    const device = await givenRunning(firmware.slug, '1.0.0')
    const timestamp = new Date(Date.now() - 3_600_000).toISOString()

    await crash(device, { reason: `before ${firmware.slug}`, pc: 16, timestamp })

    const [group] = await listGroups(`q=${encodeURIComponent(`before ${firmware.slug}`)}`)
    expect(group).toMatchObject({ firmware: null, firstVersion: null, crashCount: 1 })
    expect(await getGroup(group?.id ?? '')).toMatchObject({
      versions: [{ firmwareVersion: null }],
      reports: [
        {
          buildId: null,
          time: timestamp,
          notResolved: 'neither a build id nor the version that the device ran is known',
        },
      ],
    })
  })

  it('counts once when its report is sent again, also after others', async () => {
    const firmware = await givenFirmware('1.0.0')
    const device = await givenRunning(firmware.slug, '1.0.0')

    await crash(device, { ...FAULT, sequence: 1 }, { ...FAULT, sequence: 1 })
    await crash(device, { ...FAULT, sequence: 2 })
    await crash(device, { ...FAULT, sequence: 1 }, { ...FAULT, sequence: 2 })

    expect(await groupsOf(firmware)).toMatchObject([{ crashCount: 2, deviceCount: 1 }])
  })

  it('that is malformed is named, and takes neither the others nor the rest of the report with it', async () => {
    const firmware = await givenFirmware('1.0.0')
    const device = await givenRunning(firmware.slug, '1.0.0')
    const bad = [
      { ...FAULT, pc: -1 },
      { ...FAULT, pc: 1.5 },
      { ...FAULT, pc: 'NaN' },
      { ...FAULT, lr: '0x10000000000000000' },
      { ...FAULT, reason: 'x'.repeat(10_000) },
      { ...FAULT, returnAddresses: Array.from({ length: 33 }, (_, at) => at) },
      { pc: '0x1' },
      'HardFault',
    ]

    const response = await device.sync({
      crashes: [...bad, { ...FAULT, unknownMember: 1 }],
      logs: [{ severity: 'Info', message: 'still here' }],
    })

    expect(response.statusCode).toBe(200)
    const { errors } = response.json<{ errors: { pointer: string; detail: string }[] }>()
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/crashes/0/pc',
      '/crashes/1/pc',
      '/crashes/2/pc',
      '/crashes/3/lr',
      '/crashes/4/reason',
      '/crashes/5/returnAddresses',
      '/crashes/6',
      '/crashes/7',
    ])
    expect(errors[0]?.detail).toContain('is not an address')
    expect(await groupsOf(firmware)).toMatchObject([{ crashCount: 1 }])
    const crashes = await client.get(`/devices/${device.deviceId}/crashes`)
    expect(crashes.json()).toMatchObject({ keptCount: 1, malformedCount: 8, droppedCount: 0 })
    const logs = await client.post('/device-logs/list', {
      filter: { deviceIds: [device.deviceId] },
    })
    expect(logs.json()).toMatchObject({ lines: [{ message: 'still here' }] })
  })

  it.each([
    { crashes: 'HardFault' },
    { crashes: {} },
    { crashes: Array.from({ length: 51 }, () => FAULT) },
  ])('list that is none is named, and the session beside it is stored (%#)', async (body) => {
    const device = await givenSyncingDevice(test, client.workspaceId)

    const response = await device.sync({ ...body, session: { runId: 'r', buildId: 'b' } })

    expect(response.json()).toMatchObject({ errors: [{ pointer: '/crashes' }] })
    const stored = await client.get(`/devices/${device.deviceId}`)
    expect(stored.json()).toMatchObject({ firmware: [{ buildId: 'b' }] })
  })

  it('beyond sixty of a device in an hour is counted and not kept', async () => {
    const firmware = await givenFirmware('1.0.0')
    const device = await givenRunning(firmware.slug, '1.0.0')

    const told = []
    for (let round = 0; round < 3; round++)
      told.push(await crash(device, ...Array.from({ length: 30 }, () => FAULT)))

    const detail60 = expect.stringContaining('too many crashes: 60 an hour are kept') as string
    expect(told.map(({ errors }) => errors)).toEqual([
      undefined,
      undefined,
      [{ pointer: '/crashes', detail: detail60 }],
    ])
    const [group] = await groupsOf(firmware)
    expect(group).toMatchObject({ crashCount: 60 })
    const detail = await getGroup(group?.id ?? '')
    expect(detail.devices).toMatchObject([{ crashCount: 60, droppedCount: 30 }])
    expect(detail.reports).toHaveLength(5)
  })

  it('goes with its device', async () => {
    const firmware = await givenFirmware('1.0.0')
    const device = await givenRunning(firmware.slug, '1.0.0')
    await crash(device, FAULT)
    const [group] = await groupsOf(firmware)

    expect((await client.delete(`/devices/${device.deviceId}`)).statusCode).toBe(204)

    expect(await getGroup(group?.id ?? '')).toMatchObject({
      deviceCount: 0,
      devices: [],
      reports: [],
    })
  })

  it('goes with its version', async () => {
    const firmware = await givenFirmware('1.0.0', '1.1.0')
    const device = await givenSyncingDevice(test, client.workspaceId)
    const of = (version: string) => ({
      reason: 'assert',
      buildId: `${firmware.slug}-${version}`,
    })
    await crash(device, of('1.0.0'), of('1.0.0'), of('1.1.0'))
    const remove = async (version: string) =>
      (await client.delete(`/firmware-versions/${firmware.versions[version] ?? ''}`)).statusCode
    const before = await groupsOf(firmware)

    const removed = await remove('1.0.0')

    expect(before).toMatchObject([{ crashCount: 3, deviceCount: 1 }])
    expect(removed).toBe(204)
    expect(await groupsOf(firmware)).toMatchObject([{ crashCount: 1, deviceCount: 1 }])
    expect(await remove('1.1.0')).toBe(204)
    expect(await groupsOf(firmware)).toEqual([])
  })

  it('stays in its workspace', async () => {
    const firmware = await givenFirmware('1.0.0')
    await crash(await givenRunning(firmware.slug, '1.0.0'), FAULT)
    const [group] = await groupsOf(firmware)
    const other = await givenClient(test)

    const build = `/crash-builds/${firmware.slug}-1.0.0`
    const lines = [{ address: '0x1', frames: [] }]
    const answers = [
      await other.get(`/crash-groups/${group?.id ?? ''}`),
      await other.get(`${build}/addresses`),
      await other.put(`${build}/lines`, { lines }),
      await other.delete(`${build}/lines`),
      await other.get(`/firmware-versions/${firmware.versions['1.0.0'] ?? ''}/crashes`),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404, 404])
    expect((await other.get('/crash-groups')).json()).toMatchObject({ crashGroups: [] })
    expect((await other.get('/crash-builds')).json()).toMatchObject({ crashBuilds: [] })
  })
})

describe('lines', () => {
  const OTHER = { ...FAULT, pc: '0x0800ab11', lr: 0, returnAddresses: ['0x08004001', '0x08001101'] }

  async function givenTwoBuilds() {
    const firmware = await givenFirmware('1.0.0', '1.1.0')
    const old = await givenRunning(firmware.slug, '1.0.0')
    const updated = await givenRunning(firmware.slug, '1.1.0')
    await crash(old, FAULT)
    await crash(updated, OTHER)
    const builds = [`${firmware.slug}-1.0.0`, `${firmware.slug}-1.1.0`] as const
    return { firmware, old, updated, builds }
  }

  it('join the same crash of two builds, whose addresses tell them apart before', async () => {
    const { firmware, updated, builds } = await givenTwoBuilds()
    const before = await groupsOf(firmware)
    expect(before.map(({ isNamed }) => isNamed)).toEqual([false, false])

    // In the order of the addresses: callers lie before the poll here, and link registers between them.
    const first = await resolve(builds[0], ['main', 'stale', 'loop', 'poll.isra.0'])
    const second = await resolve(builds[1], ['main', 'loop', 'poll.constprop.3'])

    expect([first, second]).toMatchObject([
      { movedCount: 1, openAddressCount: 0 },
      { movedCount: 1, openAddressCount: 0 },
    ])
    const groups = await groupsOf(firmware)
    expect(groups).toMatchObject([
      {
        title: 'HardFault in poll',
        frames: ['poll', 'loop', 'main'],
        isNamed: true,
        crashCount: 2,
        deviceCount: 2,
        firstVersion: { name: '1.0.0' },
        lastVersion: { name: '1.1.0' },
      },
    ])
    await crash(updated, OTHER)
    expect(await groupsOf(firmware)).toMatchObject([{ id: groups[0]?.id, crashCount: 3 }])
    const detail = await getGroup(groups[0]?.id ?? '')
    expect(detail.reports[0]).toMatchObject({ notResolved: null })
    expect(detail.reports[0]?.frames[0]?.lines).toEqual([
      { function: 'poll.constprop.3', file: 'a.c', line: 3 },
    ])
  })

  it('of a wrong file can be taken back, and replaced', async () => {
    const { firmware, builds } = await givenTwoBuilds()
    await resolve(builds[0], ['main', 'stale', 'loop', 'poll'])
    await resolve(builds[1], ['main', 'loop', 'poll'])
    expect(await groupsOf(firmware)).toHaveLength(1)

    expect((await client.delete(`/crash-builds/${builds[1]}/lines`)).statusCode).toBe(204)
    expect(await groupsOf(firmware)).toMatchObject([{ isNamed: false }, { isNamed: true }])
    await resolve(builds[1], ['main', 'loop', 'other'])

    const frames = (await groupsOf(firmware)).map((group) => group.frames[0] ?? '')
    expect(frames.toSorted()).toEqual(['other', 'poll'])
  })

  it('that name nothing, or some of the addresses alone, leave crashes in their groups', async () => {
    const { firmware, builds } = await givenTwoBuilds()

    await resolve(builds[0], [null, null, null, null])
    const lines = [{ address: '0x800ab11', frames: [{ function: 'poll', file: null, line: null }] }]
    await client.put(`/crash-builds/${builds[1]}/lines`, { lines })

    expect(await groupsOf(firmware)).toMatchObject([{ isNamed: false }, { isNamed: false }])
    expect(await openAddresses(builds[1])).toEqual(['0x80010ff', '0x8003fff'])
    const list = await client.get('/crash-builds?state=Open&limit=1000')
    expect(list.json()).toMatchObject({ hasMore: false })
    const build = list
      .json<{ crashBuilds: { buildId: string }[] }>()
      .crashBuilds.find(({ buildId }) => buildId === builds[1])
    expect(build).toMatchObject({ openAddressCount: 2, firmwareVersion: { name: '1.1.0' } })
  })

  it('keep the group that they name, and that it is closed', async () => {
    const { firmware, builds } = await givenTwoBuilds()
    const group = (await groupsOf(firmware)).find(({ buildId }) => buildId === builds[0])
    const fixedInVersionId = firmware.versions['1.1.0']
    await client.post(`/crash-groups/${group?.id ?? ''}/close`, { fixedInVersionId })

    await resolve(builds[0], ['main', 'stale', 'loop', 'poll'])

    const named = await getGroup(group?.id ?? '')
    expect(named).toMatchObject({ isNamed: true, state: 'Closed', fixedIn: { name: '1.1.0' } })
  })
})

describe('a version', () => {
  it('tells what is new since the versions before it, and what nobody can compare', async () => {
    const firmware = await givenFirmware('1.0.0', '1.1.0')
    const old = await givenRunning(firmware.slug, '1.0.0')
    const updated = await givenRunning(firmware.slug, '1.1.0')
    await crash(old, FAULT, { reason: 'watchdog' })
    await crash(updated, { ...FAULT, pc: 1 }, { reason: 'watchdog' }, { reason: 'assert', pc: 2 })

    const at = `/firmware-versions/${firmware.versions['1.1.0'] ?? ''}/crashes`
    const crashes = (await client.get(at)).json<{
      crashGroups: { reason: string; novelty: string }[]
    }>()

    expect(crashes).toMatchObject({ crashCount: 3, newCount: 1, unknownCount: 1 })
    const novelties = crashes.crashGroups.map(({ reason, novelty }) => `${reason} ${novelty}`)
    expect(novelties.toSorted()).toEqual(['HardFault Unknown', 'assert New', 'watchdog Known'])
    const since = await groupsOf(firmware, `&newSince=${firmware.versions['1.1.0'] ?? ''}`)
    expect(since.map(({ title }) => title.split(' ')[0] ?? '').toSorted()).toEqual([
      'HardFault',
      'assert',
    ])
  })
})

describe('a group', () => {
  it('that is closed opens again when its version or a later one crashes alike, and not before', async () => {
    const firmware = await givenFirmware('1.0.0', '1.1.0', '1.2.0')
    const watchdog = { reason: 'watchdog' }
    const old = await givenRunning(firmware.slug, '1.0.0')
    await crash(old, watchdog)
    const [group] = await groupsOf(firmware)
    const id = group?.id ?? ''
    const fixedInVersionId = firmware.versions['1.1.0']

    const closed = await client.post(`/crash-groups/${id}/close`, { fixedInVersionId })
    expect(closed.json()).toMatchObject({ state: 'Closed', fixedIn: { name: '1.1.0' } })
    await crash(old, watchdog)
    expect(await getGroup(id)).toMatchObject({ state: 'Closed', crashCount: 2 })
    await crash(await givenRunning(firmware.slug, '1.2.0'), watchdog)

    const reopened = await getGroup(id)
    expect(reopened).toMatchObject({ state: 'Open', fixedIn: null })
    expect(reopened.reopenedAt).not.toBeNull()
    const log = (await client.get('/audit-log?limit=10')).json<{ entries: { summary: string }[] }>()
    expect(JSON.stringify(log)).toContain(
      'opened the crashes watchdog again, as 1.2.0 crashed alike',
    )
    expect(await groupsOf(firmware, '&state=Closed')).toEqual([])
  })

  it('is not closed by a version of another firmware', async () => {
    const [one, other] = [await givenFirmware('1.0.0'), await givenFirmware('1.0.0')]
    await crash(await givenRunning(one.slug, '1.0.0'), FAULT)
    const [group] = await groupsOf(one)

    const response = await client.post(`/crash-groups/${group?.id ?? ''}/close`, {
      fixedInVersionId: other.versions['1.0.0'],
    })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ errors: [{ pointer: '/fixedInVersionId' }] })
  })

  it('is listed in pages, by any order', async () => {
    const firmware = await givenFirmware('1.0.0')
    const device = await givenRunning(firmware.slug, '1.0.0')
    for (let count = 1; count <= 5; count++)
      await crash(device, ...Array.from({ length: count }, () => ({ reason: `r${count}` })))

    const read = async (query: string) => {
      const names: string[] = []
      for (let cursor = ''; ;) {
        const page = (
          await client.get(
            `/crash-groups?firmwareId=${firmware.firmwareId}&limit=2${query}${cursor}`,
          )
        ).json<{ crashGroups: Group[]; totalCount: number; nextCursor?: string }>()
        expect(page.totalCount).toBe(5)
        names.push(...page.crashGroups.map(({ title }) => title))
        if (!page.nextCursor) return names
        cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`
      }
    }

    expect(await read('&sort=crashCount')).toEqual(['r5', 'r4', 'r3', 'r2', 'r1'])
    expect(await read('&sort=firstSeenAt&order=asc')).toHaveLength(5)
    expect(await read('&sort=deviceCount')).toHaveLength(5)
    expect(new Set(await read(''))).toHaveLength(5)
  })
})
