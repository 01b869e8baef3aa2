/** Rules about crashes that no earlier version of the firmware had. */
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenSyncingDevice } from '../../../test/given-device-sync.ts'
import { firingSeries, MINUTE, statuses, underClock } from '../../../test/given-non-metric-rules.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import type { NewCrashCondition } from '../alert-rules/index.ts'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  clock = underClock(test, Date.now() + MINUTE)
})

const ruleOf = (condition: Partial<NewCrashCondition> = {}) =>
  clock.rule(client.workspaceId, {
    type: 'NewCrash',
    condition: { minimumDevices: 1, newForDays: 7, firmwareIds: [], ...condition },
  })

const labels = async (rule: string) =>
  (await firingSeries(test, rule)).map(({ label }) => label ?? '').toSorted()

async function givenVersions(): Promise<Record<'old' | 'next', string>> {
  const made = await client.post('/firmwares', { slug: 'gateway', name: 'Gateway' })
  const { id } = made.json<{ id: string }>()
  const create = async (name: string) =>
    (await client.post(`/firmwares/${id}/versions`, { name, buildId: `build-${name}` })).json<{
      id: string
    }>().id
  return { old: await create('1.0.0'), next: await create('1.1.0') }
}

async function crash(version: string, ...crashes: object[]): Promise<void> {
  const device = await givenSyncingDevice(test, client.workspaceId)
  const session = { runId: 'r', firmware: [{ slug: 'gateway', version }] }
  await device.sync({ session, crashes })
}

it('tells of crashes that are new in a version, and stops when they are closed', async () => {
  const { next } = await givenVersions()
  await crash('1.0.0', { reason: 'watchdog' })
  const rule = await ruleOf({ minimumDevices: 2 })

  await crash('1.1.0', { reason: 'watchdog' }, { reason: 'assert' })
  await clock.evaluateAfter(5 * MINUTE)
  expect(await labels(rule)).toEqual([])
  await crash('1.1.0', { reason: 'assert' })
  await clock.evaluateAfter(5 * MINUTE)
  expect(await labels(rule)).toEqual(['assert, new in Gateway 1.1.0, on 2 devices'])

  const { crashGroups } = (await client.get('/crash-groups?q=assert')).json<{
    crashGroups: { id: string }[]
  }>()
  const at = `/crash-groups/${crashGroups[0]?.id ?? ''}/close`
  expect((await client.post(at, { fixedInVersionId: next })).statusCode).toBe(200)
  await clock.evaluateAfter(5 * MINUTE)
  expect(await labels(rule)).toEqual([])
})

it('says that it cannot compare addresses, until lines show that the crash is an old one', async () => {
  await givenVersions()
  await crash('1.0.0', { reason: 'HardFault', pc: '0x1000' })
  const rule = await ruleOf()

  await crash('1.1.0', { reason: 'HardFault', pc: '0x2000' })
  await clock.evaluateAfter(5 * MINUTE)
  expect(await labels(rule)).toContain(
    'HardFault at 0x2000 of build-1.1.0, in Gateway 1.1.0, perhaps new: there are no lines for build build-1.1.0 to compare it by, on 1 device',
  )

  for (const [build, address] of [
    ['build-1.0.0', '0x1000'],
    ['build-1.1.0', '0x2000'],
  ]) {
    const frames = [{ function: 'poll', file: 'poll.c', line: 7 }]
    await client.put(`/crash-builds/${build ?? ''}/lines`, { lines: [{ address, frames }] })
  }
  await clock.evaluateAfter(5 * MINUTE)

  // What is left is of the first version, in which all is new.
  expect(await labels(rule)).toEqual([
    'HardFault at 0x1000 of build-1.0.0, new in Gateway 1.0.0, on 1 device',
  ])
})

it('has no data where no device reports crashes, and is Ok where one does and none crashed', async () => {
  await givenVersions()
  const rule = await ruleOf()
  const device = await givenSyncingDevice(test, client.workspaceId)
  const boot = (runId: string, attributes: object) =>
    device.sync({
      session: { runId, firmware: [{ slug: 'gateway', version: '1.1.0' }], attributes },
    })
  const statusOf = async () => (await statuses(test, rule))[0]
  await boot('r', {})

  await clock.evaluateAfter(5 * MINUTE)
  expect(await statusOf()).toBe('NoData')
  await boot('s', { reportsCrashes: true })
  await clock.evaluateAfter(5 * MINUTE)
  expect(await statusOf()).toBe('Ok')
})
