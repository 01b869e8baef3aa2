/** Crashes by day: days that were not measured are told apart from those without a crash. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenSyncingDevice, type SyncingDevice } from '../../../test/given-device-sync.ts'
import { HOUR, underClock } from '../../../test/given-non-metric-rules.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { maintainCrashes } from './index.ts'

const DAY = 24 * HOUR

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
beforeAll(async () => {
  test = await startTestApp()
})
beforeEach(async () => {
  clock = underClock(test)
  client = await givenClient(test)
})

async function boot(device: SyncingDevice, version: string, crashCount = 0): Promise<void> {
  const firmware = [{ slug: 'gateway', version }]
  const attributes = { reportsCrashes: true }
  await device.sync({ session: { runId: crypto.randomUUID(), firmware, attributes } })
  const crashes = Array.from({ length: crashCount }, () => ({ reason: 'assert' }))
  if (crashCount > 0) await device.sync({ crashes })
}

it('counts by group and by version, and says which days nobody could report on', async () => {
  const { id } = (await client.post('/firmwares', { slug: 'gateway' })).json<{ id: string }>()
  const versions: string[] = []
  for (const name of ['1.0.0', '1.1.0', '1.2.0'])
    versions.push(
      (await client.post(`/firmwares/${id}/versions`, { name })).json<{ id: string }>().id,
    )
  const [first, second] = [
    await givenSyncingDevice(test, client.workspaceId),
    await givenSyncingDevice(test, client.workspaceId),
  ]
  await boot(first, '1.0.0', 2)
  await boot(second, '1.0.0')
  await maintainCrashes(test.ctx)
  // Nobody is heard from on the next day.
  clock.pass(2 * DAY)
  await boot(first, '1.1.0')
  await boot(second, '1.1.0')
  await maintainCrashes(test.ctx)
  clock.pass(DAY)
  await boot(first, '1.1.0', 3)
  await boot(second, '1.1.0')

  const { crashGroups } = (await client.get('/crash-groups')).json<{
    crashGroups: { id: string; recentCounts: (number | null)[] }[]
  }>()
  const [group] = crashGroups
  expect(group?.recentCounts).toHaveLength(14)
  expect(group?.recentCounts.slice(-5)).toEqual([null, 2, null, 0, 3])
  const detail = (await client.get(`/crash-groups/${group?.id ?? ''}`)).json<{
    days: { day: string; crashCount: number; deviceCount: number; reportingDeviceCount: number }[]
  }>()
  expect(detail.days).toHaveLength(30)
  expect(detail.days.slice(-4)).toEqual([
    { day: '2026-08-22', crashCount: 2, deviceCount: 1, reportingDeviceCount: 2 },
    { day: '2026-08-23', crashCount: 0, deviceCount: 0, reportingDeviceCount: 0 },
    { day: '2026-08-24', crashCount: 0, deviceCount: 0, reportingDeviceCount: 2 },
    { day: '2026-08-25', crashCount: 3, deviceCount: 1, reportingDeviceCount: 1 },
  ])
  const of = async (version: string | undefined) =>
    (await client.get(`/firmware-versions/${version ?? ''}/crashes`)).json<{ trends: unknown }>()
      .trends
  const old = {
    firmwareVersion: { id: versions[0], name: '1.0.0' },
    days: [{ day: '2026-08-22', reportingDeviceCount: 2, crashedDeviceCount: 1, crashCount: 2 }],
  }
  expect(await of(versions[0])).toEqual([old])
  expect(await of(versions[2])).toEqual([
    {
      firmwareVersion: { id: versions[1], name: '1.1.0' },
      days: [
        { day: '2026-08-24', reportingDeviceCount: 2, crashedDeviceCount: 0, crashCount: 0 },
        // The second device is not marked yet, and counts.
        { day: '2026-08-25', reportingDeviceCount: 2, crashedDeviceCount: 1, crashCount: 3 },
      ],
    },
    old,
  ])
})
