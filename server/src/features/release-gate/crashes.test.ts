/** What the release gate says of crashes that devices of a first cohort reported. */
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { givenSyncingDevice } from '../../../test/given-device-sync.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { assessGate } from './service.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

const assess = (firmwareVersionId: string) =>
  assessGate(test.ctx, { workspaceId: client.workspaceId, firmwareVersionIds: [firmwareVersionId] })

it('stops a version with new crashes or ones that cannot be compared, where it is asked to', async () => {
  const { id } = (await client.post('/firmwares', { slug: 'gateway' })).json<{ id: string }>()
  const versions: string[] = []
  for (const name of ['1.0.0', '1.1.0']) {
    const made = await client.post(`/firmwares/${id}/versions`, { name, buildId: `b-${name}` })
    versions.push(made.json<{ id: string }>().id)
  }
  const [, next = ''] = versions
  const crash = async (version: string, ...crashes: object[]) => {
    const device = await givenSyncingDevice(test, client.workspaceId)
    const firmware = [{ slug: 'gateway', version }]
    await device.sync({ session: { runId: 'r', firmware }, crashes })
  }
  await crash('1.0.0', { reason: 'watchdog' }, { reason: 'HardFault', pc: 1 })
  await crash('1.1.0', { reason: 'watchdog' }, { reason: 'HardFault', pc: 2 }, { reason: 'assert' })
  await client.patch('/settings', { releaseGate: 'Block' })
  expect(await assess(next)).toMatchObject({ blocked: false })

  const changed = await client.patch('/settings', { gateNewCrashes: true })

  expect(changed.json()).toMatchObject({ gateNewCrashes: true })
  const gate = await assess(next)
  expect(gate).toMatchObject({ blocked: true, crashes: { count: 2 } })
  const named = gate.crashes?.failing.map(({ title, novelty, buildId }) => [
    title,
    novelty,
    buildId,
  ])
  expect(named?.toSorted()).toEqual([
    ['HardFault at 0x2 of b-1.1.0', 'Unknown', 'b-1.1.0'],
    ['assert', 'New', null],
  ])

  for (const { crashGroupId } of gate.crashes?.failing ?? [])
    await client.post(`/crash-groups/${crashGroupId}/close`, { fixedInVersionId: next })
  expect(await assess(next)).toMatchObject({ blocked: false, crashes: { count: 0 } })
})

it('says on how many devices it stands that there is no new crash, and when nobody can tell', async () => {
  client = await givenClient(test)
  const { id } = (await client.post('/firmwares', { slug: 'gateway' })).json<{ id: string }>()
  const versions: string[] = []
  for (const name of ['1.0.0', '1.1.0', '1.2.0']) {
    const made = await client.post(`/firmwares/${id}/versions`, { name })
    versions.push(made.json<{ id: string }>().id)
  }
  const boot = async (version: string, more: object = {}, attributes: object = {}) => {
    const device = await givenSyncingDevice(test, client.workspaceId)
    const firmware = [{ slug: 'gateway', version }]
    await device.sync({ session: { runId: 'r', firmware, attributes }, ...more })
  }
  await boot('1.0.0')
  await boot('1.1.0', { crashes: [{ reason: 'assert' }] })
  await boot('1.2.0')
  await boot('1.2.0', {}, { reportsCrashes: true })
  await client.patch('/settings', { releaseGate: 'Block', gateNewCrashes: true })

  const { crashes, blocked } = await assessGate(test.ctx, {
    workspaceId: client.workspaceId,
    firmwareVersionIds: versions,
  })

  expect(blocked).toBe(true)
  expect(crashes).toMatchObject({
    count: 1,
    failing: [{ novelty: 'Unknown', unknownBecause: 'NotMeasured', buildId: null }],
  })
  const counts = crashes?.versions.map((one) => [
    one.versionName,
    one.reportingDeviceCount,
    one.otherDeviceCount,
  ])
  expect(counts?.toSorted()).toEqual([
    ['gateway 1.0.0', 0, 1],
    ['gateway 1.1.0', 1, 0],
    ['gateway 1.2.0', 1, 1],
  ])
})
