/** Why devices failed and what sets them apart, through the API. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Fleet, givenFleet } from '../../../test/given-fleet.ts'
import { newId } from '../../platform/ids.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

interface Failures {
  failedCount: number
  comparedFailedCount: number
  comparedOtherCount: number
  comparedKinds: string[]
  groups: {
    reason: string
    count: number
    changedCount: number
    attempts: number
    traits: { kind: string; name: string | null; value: string; failedCount: number }[]
  }[]
}

const explain = async (fleet: Fleet, id: string) =>
  (await fleet.client.get(`${fleet.path}/${id}/failures`)).json<Failures>()

const retry = (fleet: Fleet, id: string, body: object) =>
  fleet.client.post(`${fleet.path}/${id}/device-updates/retry`, body)

/** A session of a device that says of what board it is. */
const tell = (fleet: Fleet, deviceId: string, version: string, board: string) =>
  fleet.say(deviceId, {
    kind: 'session',
    session: {
      runId: newId(),
      firmware: [{ slug: 'gateway', version }],
      attributes: { board, serial: deviceId },
    },
  })

async function fail(fleet: Fleet, deviceId: string, reason: string): Promise<void> {
  const updateId = (await fleet.desired(deviceId))?.updateId ?? ''
  await fleet.reports(deviceId, { updateId, state: 'failed', reason })
}

const FULL = 'no space left on /data'

it('names what failed devices have in common, and others hardly', async () => {
  const fleet = await givenFleet(test, 26)
  const full = fleet.deviceIds.slice(0, 8)
  const [broken = '', ...others] = fleet.deviceIds.slice(8)
  for (const id of full) await tell(fleet, id, '1.0', 'rev-a')
  const { id } = await fleet.deploy('3.0')
  for (const deviceId of full) await fail(fleet, deviceId, FULL)
  await fail(fleet, broken, 'sha256 differs')
  for (const deviceId of others) await tell(fleet, deviceId, '3.0', 'rev-b')

  const failures = await explain(fleet, id)

  expect(failures).toMatchObject({
    failedCount: 9,
    comparedFailedCount: 9,
    comparedOtherCount: 17,
    groups: [
      { reason: FULL, count: 8, changedCount: 0, attempts: 1 },
      { reason: 'sha256 differs', count: 1, traits: [] },
    ],
  })
  expect(failures.comparedKinds).toContain('Attribute')
  // Each serial number is of one device, and the door is that of all.
  expect(failures.groups[0]?.traits).toEqual([
    {
      kind: 'Attribute',
      name: 'board',
      value: 'rev-a',
      failedCount: 8,
      failedOf: 8,
      otherCount: 0,
      otherOf: 17,
    },
  ])
})

it('knows what devices ran before, of those that have moved on too', async () => {
  const fleet = await givenFleet(test, 20)
  const [old, newer] = [fleet.deviceIds.slice(0, 8), fleet.deviceIds.slice(8)]
  await fleet.deploy('1.0')
  for (const deviceId of fleet.deviceIds) await fleet.boots(deviceId, '1.0')
  await fleet.deploy('2.0')
  for (const deviceId of newer) await fleet.boots(deviceId, '2.0')
  const { id } = await fleet.deploy('3.0')
  for (const deviceId of old) await fail(fleet, deviceId, FULL)
  for (const deviceId of newer) await fleet.boots(deviceId, '3.0')

  const [group] = (await explain(fleet, id)).groups

  expect(group?.traits).toEqual([
    {
      kind: 'VersionBefore',
      name: 'gateway',
      value: '1.0',
      failedCount: 8,
      failedOf: 8,
      otherCount: 0,
      otherOf: 12,
    },
  ])
})

it('says nothing of what would be chance', async () => {
  const fleet = await givenFleet(test, 3)
  const [one = '', two = '', three = ''] = fleet.deviceIds
  await tell(fleet, one, '1.0', 'rev-a')
  await tell(fleet, two, '1.0', 'rev-a')
  const { id } = await fleet.deploy('3.0')
  await fail(fleet, one, FULL)
  await fail(fleet, two, FULL)
  await tell(fleet, three, '3.0', 'rev-b')

  expect((await explain(fleet, id)).groups).toMatchObject([{ count: 2, traits: [] }])
})

it('has only those try again for which something has changed since', async () => {
  const fleet = await givenFleet(test, 3)
  const [changed = '', same = '', other = ''] = fleet.deviceIds
  await fleet.boots(same, '1.0')
  const { id } = await fleet.deploy('3.0')
  for (const deviceId of [changed, same]) await fail(fleet, deviceId, FULL)
  await fail(fleet, other, 'sha256 differs')
  const before = await explain(fleet, id)
  await sql`
    update device_updates set finished_at = (finished_at at time zone 'UTC' - interval '1 hour') at time zone 'UTC'
    where workspace_id = ${fleet.workspaceId}`.execute(test.ctx.db)
  await sql`
    update firmware_artifacts set created_at = (created_at at time zone 'UTC' - interval '2 hours') at time zone 'UTC'
    where workspace_id = ${fleet.workspaceId}`.execute(test.ctx.db)
  await sql`
    update device_firmwares set since = (since at time zone 'UTC' - interval '2 hours') at time zone 'UTC'
    where workspace_id = ${fleet.workspaceId}`.execute(test.ctx.db)
  await fleet.boots(changed, '2.0')

  const after = await explain(fleet, id)
  const response = await retry(fleet, id, { reasons: [FULL], changedOnly: true })
  const left = await explain(fleet, id)
  const none = await retry(fleet, id, { changedOnly: true })

  expect(before.groups).toMatchObject([{ changedCount: 0 }, { changedCount: 0 }])
  expect(after.groups).toMatchObject([{ reason: FULL, count: 2, changedCount: 1 }, {}])
  expect(response.json()).toMatchObject({ deviceCounts: { failed: 2, waiting: 1 } })
  expect(left.groups).toMatchObject([{ count: 1 }, { count: 1 }])
  expect(await fleet.update(id, changed)).toMatchObject({ state: 'pending', attempt: 2 })
  expect(none.json()).toMatchObject({ deviceCounts: { failed: 2 } })
})

it('tells nothing of a deployment without failures, and none of another workspace', async () => {
  const fleet = await givenFleet(test, 1)
  const other = await givenFleet(test, 1)
  const { id } = await fleet.deploy('3.0')

  const foreign = await other.client.get(`${fleet.path}/${id}/failures`)

  expect(await explain(fleet, id)).toMatchObject({ failedCount: 0, groups: [] })
  expect(foreign.statusCode).toBe(404)
})
