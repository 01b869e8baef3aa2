import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { SHALLOW } from '../../../../test/doctor.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { CHECKS, examine } from '../../../admin/doctor.ts'
import { insertDevices } from '../store.ts'
import type { DeviceReport } from '../reactions.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const AT = new Date('2026-11-21T10:30:00Z')

async function givenDevices(client: Client, ...ids: string[]): Promise<void> {
  const { workspaceId } = client
  const fields = { workspaceId, description: null, tags: [], attributes: {}, createdAt: AT }
  await insertDevices(
    test.ctx.db,
    workspaceId,
    ids.map((id) => ({ ...fields, id })),
  )
}

let runs = 0
function report(client: Client, deviceId: string, what: object): Promise<void> {
  const message = { kind: 'session', session: { runId: `run-${runs++}`, ...what } }
  return test.doors.intake.receive({
    workspaceId: client.workspaceId,
    deviceId,
    door: 'Mqtt',
    receivedAt: AT,
    message: message as DeviceReport['message'],
  })
}

const firmware = (slug: string, version: string) => ({ firmware: [{ slug, version }] })

async function givenFirmware(client: Client, slug: string): Promise<string> {
  return (await client.post('/firmwares', { slug })).json<{ id: string }>().id
}

interface Version {
  id: string
  buildId: string | null
  affectedDeviceCount: number
}

async function givenVersion(client: Client, firmwareId: string, fields: object): Promise<Version> {
  const response = await client.post(`/firmwares/${firmwareId}/versions`, fields)
  expect(response.statusCode).toBe(201)
  return response.json<Version>()
}

async function rowsOf(client: Client, deviceId: string) {
  const { rows } = await sql<{ slug: string; version: string; id: string | null }>`
    select slug, version, firmware_version_id as id from device_firmwares
    where workspace_id = ${client.workspaceId} and device_id = ${deviceId} order by slug`.execute(
    test.ctx.db,
  )
  return rows
}

/** What is counted, compared with the rows of the devices. */
const examineCounts = (client: Client) =>
  examine(test.ctx, {
    checks: CHECKS.filter(({ name }) => /^device-.*counts$/.test(name)),
    workspaceIds: [client.workspaceId],
    repairs: false,
    ...SHALLOW,
  })
const COUNTED = [{ state: 'Clean' }, { state: 'Clean' }, { state: 'Clean' }]

it('links what devices said before the version had that name', async () => {
  const client = await givenClient(test)
  await givenDevices(client, 'a', 'b', 'c')
  await report(client, 'a', firmware('main', '1'))
  await report(client, 'b', firmware('main', '1'))
  await report(client, 'c', firmware('main', '2'))
  const firmwareId = await givenFirmware(client, 'main')

  const version = await givenVersion(client, firmwareId, { name: '1' })

  expect(version.affectedDeviceCount).toBe(2)
  expect(await rowsOf(client, 'a')).toEqual([{ slug: 'main', version: '1', id: version.id }])
  expect(await rowsOf(client, 'c')).toEqual([{ slug: 'main', version: '2', id: null }])
})

it('follows a version, and its firmware, that are called something else', async () => {
  const client = await givenClient(test)
  await givenDevices(client, 'a', 'b')
  const firmwareId = await givenFirmware(client, 'main')
  const version = await givenVersion(client, firmwareId, { name: '1' })
  await report(client, 'a', {
    ...firmware('main', '1'),
    attributes: { imageHash: 'ab'.repeat(32) },
  })
  await report(client, 'b', firmware('other', '2'))

  const renamed = await client.patch(`/firmware-versions/${version.id}`, { name: '2' })
  const moved = await client.put(`/firmwares/${firmwareId}`, { slug: 'other', name: 'Other' })

  expect(renamed.json<Version>().affectedDeviceCount).toBe(0)
  expect(moved.statusCode).toBe(200)
  expect(await rowsOf(client, 'a')).toEqual([{ slug: 'main', version: '1', id: null }])
  expect(await rowsOf(client, 'b')).toEqual([{ slug: 'other', version: '2', id: version.id }])
  const now = await client.get(`/firmware-versions/${version.id}`)
  expect(now.json<Version>().affectedDeviceCount).toBe(1)
  expect(await examineCounts(client)).toMatchObject(COUNTED)
})

it('tells by its build id what a device runs, once a version has it and as long as it has', async () => {
  const client = await givenClient(test)
  await givenDevices(client, 'a')
  await report(client, 'a', { buildId: 'b1' })
  const firmwareId = await givenFirmware(client, 'main')
  const version = await givenVersion(client, firmwareId, { name: '1' })
  const path = `/firmware-versions/${version.id}`

  const named = await client.patch(path, { buildId: 'b1' })
  const known = await rowsOf(client, 'a')
  await client.patch(path, { name: '1.0' })
  const renamed = await rowsOf(client, 'a')
  const counted = await client.get(`${path}/chain`)
  await client.patch(path, { buildId: null })
  const unknown = await rowsOf(client, 'a')

  expect(named.json<Version>()).toMatchObject({ buildId: 'b1', affectedDeviceCount: 1 })
  expect(known).toEqual([{ slug: 'main', version: '1', id: version.id }])
  expect(renamed).toEqual([{ slug: 'main', version: '1.0', id: version.id }])
  expect(unknown).toEqual([{ slug: '', version: '', id: null }])
  expect(counted.json()).toMatchObject({ devices: { running: 1, proved: 1, named: 0 } })
  expect(await examineCounts(client)).toMatchObject(COUNTED)
})

it('keeps what a device said by name where its build turns out to be the same firmware', async () => {
  const client = await givenClient(test)
  await givenDevices(client, 'a')
  await report(client, 'a', { buildId: 'b1' })
  await test.doors.intake.receive({
    workspaceId: client.workspaceId,
    deviceId: 'a',
    door: 'Ddi',
    receivedAt: AT,
    message: { kind: 'running', firmware: [{ slug: 'main', version: '2' }], unconfirmed: false },
  })
  const firmwareId = await givenFirmware(client, 'main')

  await givenVersion(client, firmwareId, { name: '1', buildId: 'b1' })

  expect(await rowsOf(client, 'a')).toEqual([{ slug: 'main', version: '2', id: null }])
})

it('refuses a build id that another version of the workspace has', async () => {
  const [client, other] = [await givenClient(test), await givenClient(test)]
  const firmwareId = await givenFirmware(client, 'main')
  await givenVersion(client, firmwareId, { name: '1', buildId: 'b1' })
  const second = await givenVersion(client, firmwareId, { name: '2' })
  const create = { name: '3', buildId: 'b1' }

  const created = await client.post(`/firmwares/${firmwareId}/versions`, create)
  const changed = await client.patch(`/firmware-versions/${second.id}`, { buildId: 'b1' })
  const elsewhere = await givenVersion(other, await givenFirmware(other, 'main'), create)

  for (const answer of [created, changed])
    expect(answer.json()).toMatchObject({
      status: 409,
      type: '/problems/firmware-version-build-id-taken',
    })
  expect(elsewhere.buildId).toBe('b1')
})

it('deletes no firmware version that a device runs, and no firmware with one', async () => {
  const client = await givenClient(test)
  await givenDevices(client, 'a')
  const firmwareId = await givenFirmware(client, 'main')
  const version = await givenVersion(client, firmwareId, { name: '1' })
  await report(client, 'a', firmware('main', '1'))

  const refused = await client.delete(`/firmware-versions/${version.id}`)
  const refusedToo = await client.delete(`/firmwares/${firmwareId}`)
  await report(client, 'a', firmware('main', '2'))
  const deleted = await client.delete(`/firmware-versions/${version.id}`)

  expect(refused.json()).toMatchObject({ status: 409, type: '/problems/firmware-version-in-use' })
  expect(refusedToo.json()).toMatchObject({ status: 409, type: '/problems/firmware-in-use' })
  expect(deleted.statusCode).toBe(204)
})

it('lets devices report while a version that they run gets another name and build id', async () => {
  const client = await givenClient(test)
  const { workspaceId } = client
  await givenDevices(client, 'a')
  const version = await givenVersion(client, await givenFirmware(client, 'main'), { name: '1' })
  await report(client, 'a', firmware('main', '1'))

  await test.ctx.db.transaction().execute(async (tx) => {
    await sql`update firmware_versions set name = '2', build_id = 'b2'
      where workspace_id = ${workspaceId} and id = ${version.id}`.execute(tx)
    // Reports that are held up for too long are refused.
    await test.doors.intake.receive({
      workspaceId,
      deviceId: 'a',
      door: 'Mqtt',
      receivedAt: new Date(AT.getTime() + 7_200_000),
      message: { kind: 'contact' },
    })
  })

  const seen = (await client.get('/devices/a')).json<{ lastSeenAt: string }>()
  expect(seen.lastSeenAt).toBe('2026-11-21T12:30:00.000Z')
})
