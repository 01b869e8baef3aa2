/** Rules about versions whose devices crash on too many of their days. */
import fc from 'fast-check'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenSyncingDevice, type SyncingDevice } from '../../../test/given-device-sync.ts'
import { givenCohort } from '../../../test/given-fleet.ts'
import {
  firingSeries,
  HOUR,
  MINUTE,
  statuses,
  underClock,
} from '../../../test/given-non-metric-rules.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import type { CrashRateCondition } from '../alert-rules/index.ts'
import { listCrashRates, maintainCrashes } from '../crashes/index.ts'

const DAY = 24 * HOUR

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
beforeAll(async () => {
  test = await startTestApp()
})
beforeEach(async () => {
  clock = underClock(test, Date.now())
  client = await givenClient(test)
})

async function givenVersions(...names: string[]): Promise<string[]> {
  const made = await client.post('/firmwares', { slug: 'gateway', name: 'Gateway' })
  const { id } = made.json<{ id: string }>()
  const ids: string[] = []
  for (const name of names)
    ids.push((await client.post(`/firmwares/${id}/versions`, { name })).json<{ id: string }>().id)
  return ids
}

const boot = (device: SyncingDevice, version: string, reportsCrashes = true) =>
  device.sync({
    session: {
      runId: crypto.randomUUID(),
      firmware: [{ slug: 'gateway', version }],
      attributes: { reportsCrashes },
    },
  })

const crash = (device: SyncingDevice) => device.sync({ crashes: [{ reason: 'assert' }] })

const ruleOf = (condition: Partial<CrashRateCondition> = {}) =>
  clock.rule(client.workspaceId, {
    type: 'CrashRate',
    condition: {
      thresholdPercent: 20,
      windowDays: 2,
      minimumDeviceDays: 4,
      deploymentCohortId: null,
      firmwareIds: [],
      ...condition,
    },
  })

const statusOf = async (rule: string) => (await statuses(test, rule))[0]

it('says nothing of too few days, fires above the share, and stops when the days have passed', async () => {
  const [version = ''] = await givenVersions('1.0.0')
  const devices: SyncingDevice[] = []
  for (let at = 0; at < 4; at++) devices.push(await givenSyncingDevice(test, client.workspaceId))
  const [first, ...others] = devices as [SyncingDevice, ...SyncingDevice[]]
  const rule = await ruleOf()
  await boot(first, '1.0.0')
  // In a loop: it is one day of one device.
  for (let round = 0; round < 5; round++) await crash(first)

  await clock.evaluateAfter(MINUTE)
  expect(await firingSeries(test, rule)).toEqual([])
  expect(await statusOf(rule)).toBe('NoData')

  for (const device of others) await boot(device, '1.0.0')
  await clock.evaluateAfter(MINUTE)
  expect(await firingSeries(test, rule)).toEqual([
    { series: version, label: 'Gateway 1.0.0: crashed on 1 of 4 days of devices', value: 25 },
  ])

  clock.pass(2 * DAY)
  for (const device of devices) await boot(device, '1.0.0')
  await clock.evaluateAfter(MINUTE)
  expect(await firingSeries(test, rule)).toEqual([])
  expect(await statusOf(rule)).toBe('Ok')
})

it('counts devices of its cohort and firmware alone, and none that does not report crashes', async () => {
  await givenVersions('1.0.0')
  const crashing = await givenSyncingDevice(test, client.workspaceId)
  const silent = await givenSyncingDevice(test, client.workspaceId)
  const cohort = await givenCohort(client)
  const placed = { deviceIds: [crashing.deviceId] }
  await client.put(`/deployment-cohorts/${cohort}/devices`, placed)
  const other = (await client.post('/firmwares', { slug: 'other' })).json<{ id: string }>()
  await boot(silent, '1.0.0', false)
  const unmeasured = await ruleOf()
  await clock.evaluateAfter(MINUTE)
  const said = (await client.get(`/alert-rules/${unmeasured}`)).json<{ warnings?: string[] }>()
  const status = await statusOf(unmeasured)
  await boot(crashing, '1.0.0')
  await crash(crashing)
  const one = { minimumDeviceDays: 1 }
  const rules = [
    await ruleOf(one),
    await ruleOf({ ...one, deploymentCohortId: cohort }),
    await ruleOf({ ...one, firmwareIds: [other.id] }),
  ]

  await clock.evaluateAfter(MINUTE)

  expect(status).toBe('NoData')
  expect(said.warnings?.join(' ')).toContain('reports crashes')
  const fired = await Promise.all(rules.map((rule) => firingSeries(test, rule)))
  expect(fired.map((series) => series.map(({ value }) => value))).toEqual([[100], [100], []])
})

const VERSIONS = ['1.0.0', '1.1.0'] as const

const plans = fc.array(
  // A day: what each device does on it.
  fc.array(
    fc.record({
      version: fc.option(fc.constantFrom(...VERSIONS), { nil: undefined }),
      crashes: fc.nat(2),
      isMarked: fc.boolean(),
    }),
    { minLength: 3, maxLength: 3 },
  ),
  { minLength: 1, maxLength: 4 },
)

it('counts as a plain model does, whenever days are marked', async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 1, max: 3 }), async (days, windowDays) => {
      clock = underClock(test, Date.UTC(2026, 7, 22, 10))
      client = await givenClient(test)
      const ids = await givenVersions(...VERSIONS)
      const devices: SyncingDevice[] = []
      for (let at = 0; at < 3; at++)
        devices.push(await givenSyncingDevice(test, client.workspaceId))
      const seen = new Set<string>()
      const crashed = new Set<string>()
      for (const [day, acts] of days.entries()) {
        for (const [at, { version, crashes, isMarked }] of acts.entries()) {
          const device = devices[at]
          if (!device || version === undefined) continue
          await boot(device, version)
          clock.pass(MINUTE)
          for (let count = 0; count < crashes; count++) await crash(device)
          const mark = `${day}/${version}/${at}`
          if (crashes > 0) crashed.add(mark)
          seen.add(mark)
          if (isMarked) await maintainCrashes(test.ctx)
        }
        // What is not marked of the last day is counted when it is asked for.
        if (day === days.length - 1) break
        await maintainCrashes(test.ctx)
        clock.pass(DAY)
      }
      const last = days.length - 1
      const isWithin = (mark: string) => Number(mark.split('/')[0]) > last - windowDays
      const countOf = (marks: Set<string>, version: string) =>
        [...marks].filter((mark) => isWithin(mark) && mark.split('/')[1] === version).length

      const filter = { workspaceId: client.workspaceId, firmwareIds: [], cohortId: null }
      const window = { to: test.ctx.now(), days: windowDays }
      const rates = await listCrashRates(test.ctx.db, filter, window)

      const expected = VERSIONS.flatMap((version, at) => {
        const deviceDays = countOf(seen, version)
        const crashedDeviceDays = countOf(crashed, version)
        return deviceDays > 0 ? [{ id: ids[at], deviceDays, crashedDeviceDays }] : []
      })
      const found = rates.map(({ firmwareVersionId: id, deviceDays, crashedDeviceDays }) => ({
        id,
        deviceDays,
        crashedDeviceDays,
      }))
      const order = (one: { id: string | undefined }, other: { id: string | undefined }) =>
        (one.id ?? '').localeCompare(other.id ?? '')
      expect(found.toSorted(order)).toEqual(expected.toSorted(order))
    }),
    { numRuns: propertyRuns(8) },
  )
})
