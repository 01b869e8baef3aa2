/** What devices run by firmware and version, through the API; and the lists that its counts lead to. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenMatchedSbom, givenProduct } from '../../../../test/given-findings.ts'
import { type Fleet, givenFleet } from '../../../../test/given-fleet.ts'
import { newId } from '../../../platform/ids.ts'
import { maintainDailyDevices } from '../exposure/service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
  await test.ctx.db
    .insertInto('vulnerabilitySources')
    .values({ source: 'nvd', lastSuccessAt: new Date() })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ lastSuccessAt: new Date() }))
    .execute()
})

interface Version {
  id: string | null
  name: string
  mark: { state: string; sentence: string }
  deviceCount: number
  countsBySeverity: { severity: string; count: number }[] | null
  trend: { devices: number }[]
  rollouts: { cohortName: string; state: string; unfinished: number }[]
}
interface Overview {
  devices: Record<string, number>
  versionCounts: { group: string; versions: number }[]
  firmwares: {
    id: string | null
    slug: string
    name: string | null
    newest: { name: string } | null
    versionCount: number
    deviceCount: number
    devicesByMark: { state: string; devices: number }[]
    trend: { devices: number }[]
    versions: Version[]
    left: object
  }[]
  unlistedUnregistered: number
}

const read = async (client: Client, query = '') =>
  (await client.get(`/firmware-overview${query}`)).json<Overview>()

const countGroups = ({ versionCounts }: Overview) =>
  Object.fromEntries(versionCounts.map(({ group, versions }) => [group, versions]))

/** 1.0 is known to be exploited and runs on two of six devices; a version and a firmware are in the field that nobody registered. */
async function given(): Promise<Fleet> {
  const fleet = await givenFleet(test, 6)
  const { workspaceId, versions } = fleet
  const { product, cpes } = await givenProduct(test.ctx, ['High'], { isKnownExploit: true })
  const holds = async (name: string, version: string) =>
    givenMatchedSbom(test.ctx, { workspaceId, firmwareVersionId: versions[name] ?? '' }, [
      { packageName: product, version, cpes },
    ])
  await holds('1.0', '1.0')
  for (const id of ['device-000', 'device-001']) await fleet.boots(id, '1.0')
  await fleet.boots('device-002', '2.0')
  await fleet.boots('device-003', '1.0-field')
  const session = {
    runId: newId(),
    firmware: [
      { slug: 'gateway', version: '2.0' },
      { slug: 'radio', version: '9' },
    ],
  }
  await fleet.say('device-004', { kind: 'session', session })
  return fleet
}

it('shows what devices run, also what nobody registered', async () => {
  const fleet = await given()
  const lastWeek = () => new Date(Date.now() - 7 * 86_400_000)
  await maintainDailyDevices({ ...test.ctx, now: lastWeek })

  const overview = await read(fleet.client)

  expect(overview.devices).toEqual({
    total: 6,
    silent: 1,
    overloaded: 2,
    unknown: 2,
    unregistered: 2,
  })
  expect(countGroups(overview)).toEqual({
    All: 5,
    InField: 4,
    Overloaded: 1,
    ToDecide: 0,
    Unknown: 4,
    OnNoDevice: 1,
  })
  expect(overview.firmwares).toMatchObject([
    {
      slug: 'gateway',
      newest: { name: '3.0' },
      versionCount: 4,
      deviceCount: 5,
      devicesByMark: [
        { state: 'Overloaded', devices: 2 },
        { state: 'Unknown', devices: 3 },
        { state: 'ToDecide', devices: 0 },
        { state: 'Clear', devices: 0 },
      ],
      trend: [{ devices: 4 }, { devices: 4 }],
      left: { versions: 0, devices: 0, onNoDevice: 0, overloaded: 0 },
    },
    { id: null, slug: 'radio', name: null, newest: null, deviceCount: 1 },
  ])
  expect(
    overview.firmwares[0]?.versions.map((version) => [
      version.name,
      version.deviceCount,
      version.mark.sentence,
      version.countsBySeverity?.find(({ severity }) => severity === 'High')?.count ?? null,
    ]),
  ).toEqual([
    ['1.0', 2, 'Overloaded: 1 known exploited', 1],
    ['2.0', 2, 'Unknown: no SBOM', null],
    ['1.0-field', 1, 'Unknown: nobody registered it', null],
    ['3.0', 0, 'Unknown: no SBOM', null],
  ])
  expect(overview.unlistedUnregistered).toBe(0)
})

it('leads to lists of as many devices as it counts', async () => {
  const { client } = await given()
  const { devices, firmwares } = await read(client)
  const list = async (filter: object) =>
    (await client.post('/devices/list', { filter })).json<{ devices: unknown[] }>().devices.length

  expect(await list({ marks: ['Overloaded'] })).toBe(devices['overloaded'])
  expect(await list({ marks: ['Unknown'] })).toBe(devices['unknown'])
  expect(await list({ blindSpot: true })).toBe(devices['unregistered'])
  const summary = (await client.get('/device-summary')).json<Record<string, number>>()
  expect(await list({ exploited: true })).toBe(2)
  const all = (await client.post('/devices/list', {})).json<{ devices: { exploited: boolean }[] }>()
  expect(all.devices.filter(({ exploited }) => exploited)).toHaveLength(2)
  expect(summary).toMatchObject({ exploitedDevices: 2, olderExploited: 0 })
  expect(await list({ exploited: false })).toBe(4)
  expect(await list({ inCohort: false })).toBe(summary['inNoCohort'])
  for (const { id, versions } of firmwares.filter((firmware) => firmware.id !== null)) {
    const registered = versions.filter((version) => version.id !== null)
    for (const state of ['Overloaded', 'Unknown', 'Clear']) {
      const counted = registered
        .filter(({ mark }) => mark.state === state)
        .reduce((sum, { deviceCount }) => sum + deviceCount, 0)
      expect(await list({ firmwareIds: [id], marks: [state] })).toBe(counted)
    }
  }
  expect(await list({ marks: ['Unknown'], firmwareIds: ['gateway'] })).toBe(2)
})

it('lists the versions of a group, and counts those beyond the limit', async () => {
  const { client } = await given()
  const names = async (query: string) =>
    (await read(client, query)).firmwares.map(({ slug, versions, left }) => [
      slug,
      versions.map(({ name }) => name),
      left,
    ])
  const none = { versions: 0, devices: 0, onNoDevice: 0, overloaded: 0 }

  expect(await names('?group=OnNoDevice')).toEqual([['gateway', ['3.0'], none]])
  expect(await names('?group=Overloaded')).toEqual([['gateway', ['1.0'], none]])
  expect(await names('?limit=1')).toEqual([
    ['gateway', ['1.0'], { versions: 3, devices: 3, onNoDevice: 1, overloaded: 0 }],
    ['radio', ['9'], none],
  ])
  expect((await client.get('/firmware-overview?group=Best')).statusCode).toBe(400)
})

it('tells roll-outs that have not reached all, to those who may read them', async () => {
  const { client, deploy } = await given()
  await deploy('3.0')

  const all = await read(client)
  const key = await test.givenKey(client.workspaceId, ['Vulnerabilities: read'])
  const some = await test.app.inject({
    url: `/workspaces/${client.workspaceId}/firmware-overview`,
    headers: { authorization: `Bearer ${key}` },
  })

  const rolloutsOf = ({ firmwares }: Overview) =>
    firmwares[0]?.versions.find(({ name }) => name === '3.0')?.rollouts
  expect(rolloutsOf(all)).toMatchObject([{ state: 'Running', unfinished: 6 }])
  expect(rolloutsOf(some.json<Overview>())).toEqual([])
})

it('is empty where nothing is, and shows nothing of another workspace', async () => {
  await given()
  const overview = await read(await givenClient(test))

  expect(overview).toMatchObject({
    devices: { total: 0, silent: 0, overloaded: 0, unregistered: 0 },
    firmwares: [],
  })
  expect(countGroups(overview)['All']).toBe(0)
})

it('names the newest version of each release line, with the devices of the line', async () => {
  const { client } = await given()
  const gateway = (await read(client)).firmwares.find(({ slug }) => slug === 'gateway')
  await client.put(`/firmwares/${gateway?.id ?? ''}/lines`, {
    lines: [
      { name: 'one', patterns: ['^1'] },
      { name: 'two', patterns: ['^2'] },
    ],
  })

  const overview = await read(client)

  expect(gateway).toMatchObject({ lines: [] })
  expect(overview.firmwares.find(({ slug }) => slug === 'gateway')).toMatchObject({
    lines: [
      { name: 'two', newest: { name: '2.0' }, versionCount: 1, deviceCount: 2 },
      { name: 'one', newest: { name: '1.0' }, versionCount: 1, deviceCount: 2 },
    ],
  })
})
