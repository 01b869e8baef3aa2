/** Each number of a deployment stands for devices that the list has, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Fleet, givenFleet } from '../../../../test/given-fleet.ts'
import { DEVICE_STATES } from './state.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface Listed {
  deviceId: string
  deviceState: string
  state: string
  reports: { slug: string; version: string; firmwareVersionId: string | null }[]
}

async function list(fleet: Fleet, id: string, filter: object): Promise<Listed[]> {
  const devices: Listed[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const body = { limit: 2, filter, ...(cursor !== '' && { cursor }) }
    const answer = await fleet.client.post(`${fleet.path}/${id}/device-updates/list`, body)
    const page: { deviceUpdates: Listed[]; nextCursor?: string } = answer.json()
    for (const each of page.deviceUpdates) devices.push(each)
    cursor = page.nextCursor
  }
  return devices
}

interface Shown {
  deviceCounts: Record<string, number>
  failureReasons: { reason: string; count: number }[]
}

const show = async (fleet: Fleet, id: string) =>
  (await fleet.client.get(`${fleet.path}/${id}`)).json<Shown>()

const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0)

/** The counts of the deployment, after each was compared with its list. */
async function compare(fleet: Fleet, id: string): Promise<Record<string, number>> {
  const { deviceCounts, failureReasons } = await show(fleet, id)
  for (const state of DEVICE_STATES) {
    const devices = await list(fleet, id, { deviceStates: [state] })
    expect(devices.map(({ deviceState }) => deviceState)).toEqual(devices.map(() => state))
    expect([state, devices.length]).toEqual([state, deviceCounts[state]])
  }
  for (const { reason, count } of failureReasons)
    expect(await list(fleet, id, { deviceStates: ['failed'], reasons: [reason] })).toHaveLength(
      count,
    )
  expect(sum(failureReasons.map(({ count }) => count))).toBe(deviceCounts['failed'])
  expect(await list(fleet, id, {})).toHaveLength(sum(Object.values(deviceCounts)))
  return Object.fromEntries(Object.entries(deviceCounts).filter(([, count]) => count > 0))
}

async function work(fleet: Fleet, deviceId: string, failed?: string): Promise<void> {
  const { updateId = '' } = (await fleet.desired(deviceId)) ?? {}
  await fleet.reports(deviceId, { updateId, state: 'inProgress', progress: 40 })
  if (failed !== undefined)
    await fleet.reports(deviceId, { updateId, state: 'failed', reason: failed })
}

it('lists as many devices as each number of the deployment says', async () => {
  const fleet = await givenFleet(test, 9)
  const [
    done = '',
    silent = '',
    busy = '',
    full = '',
    fuller = '',
    gone = '',
    late = '',
    idle = '',
  ] = fleet.deviceIds
  await fleet.boots(full, '1.0')
  // It runs the versions before its update was offered.
  await fleet.boots(silent, '2.0')
  const { id } = await fleet.deploy('2.0')
  await fleet.boots(done, '2.0')
  await work(fleet, busy)
  await work(fleet, full, 'flash is full')
  await work(fleet, fuller, 'flash is full')
  await work(fleet, gone, 'sha256 differs')
  await fleet.boots(late, '9.9')
  const staying = fleet.deviceIds.filter((deviceId) => deviceId !== gone)
  await fleet.client.put(`/deployment-cohorts/${fleet.cohortId}/devices`, { deviceIds: staying })

  const running = await compare(fleet, id)
  const listed = await list(fleet, id, {})
  await fleet.deploy('3.0')
  await fleet.boots(done, '3.0')
  const ended = await compare(fleet, id)

  expect(running).toEqual({ reporting: 2, installing: 1, failed: 2, waiting: 3, left: 1 })
  expect(ended).toEqual({ reporting: 1, failed: 2, cancelled: 4, movedOn: 1, left: 1 })
  const reports = (wanted: string) => listed.find(({ deviceId }) => deviceId === wanted)?.reports
  expect(reports(full)).toEqual([
    { slug: 'gateway', version: '1.0', firmwareVersionId: fleet.versions['1.0'] },
  ])
  expect(reports(late)).toEqual([{ slug: 'gateway', version: '9.9', firmwareVersionId: null }])
  expect(reports(idle)).toEqual([])
})

it('counts devices in the history: now while it is active, as they were once it has ended', async () => {
  const fleet = await givenFleet(test, 3)
  const [silent = '', idle = ''] = fleet.deviceIds
  // Its update still waits for its next contact.
  await fleet.boots(silent, '2.0')
  const first = await fleet.deploy('2.0')
  const running = await readHistory(fleet)
  const second = await fleet.deploy('3.0')
  await fleet.boots(idle, '3.0')
  await fleet.boots(silent, '9.9')
  const followed = await readHistory(fleet)

  expect(running).toMatchObject([{ id: first.id, deviceCounts: { reporting: 1, waiting: 2 } }])
  expect(followed).toMatchObject([
    { id: second.id, deviceCounts: { reporting: 1, waiting: 2 } },
    { id: first.id, deviceCounts: { reporting: 1, waiting: 0, cancelled: 2, movedOn: 0 } },
  ])
})

const readHistory = async (fleet: Fleet) =>
  (await fleet.client.get(fleet.path)).json<{ deployments: object[] }>().deployments

it('knows no other states, and shows no other workspace anything', async () => {
  const fleet = await givenFleet(test, 1)
  const other = await givenFleet(test, 1)
  const { id } = await fleet.deploy('2.0')

  const unknown = await fleet.client.post(`${fleet.path}/${id}/device-updates/list`, {
    filter: { deviceStates: ['done'] },
  })
  const foreign = await other.client.post(`${fleet.path}/${id}/device-updates/list`, {})

  expect(unknown.statusCode).toBe(400)
  expect(foreign.statusCode).toBe(404)
})
