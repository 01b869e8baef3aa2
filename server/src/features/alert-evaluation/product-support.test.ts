/** Rules about the support of product lines, release lines and firmware, by the days that people have stated. */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { firingSeries, statuses, underClock } from '../../../test/given-non-metric-rules.ts'
import { confirmByLink, givenTarget } from '../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { addMs, DAY_MS } from '../../formats/instants.ts'
import { formatDay } from '../../formats/support/states.ts'
import type { SupportEndingCondition } from '../alert-rules/index.ts'
import type { Notice } from '../notifications/index.ts'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  clock = underClock(test)
})

const ruleOf = (condition: Partial<SupportEndingCondition> = {}) =>
  clock.rule(client.workspaceId, {
    type: 'SupportEnding',
    condition: { daysBefore: 180, onlyWhereDevicesRun: false, ...condition },
  })

const dayIn = (days: number) => formatDay(addMs(test.ctx.now(), days * DAY_MS))

async function givenFirmware(slug: string, supportEndsOn: string | null): Promise<string> {
  const created = await client.post('/firmwares', { slug, name: slug, supportEndsOn })
  return created.json<{ id: string }>().id
}

/** A device that runs a version of each firmware. */
async function runAll(deviceId: string, firmwareIds: readonly string[]): Promise<void> {
  for (const firmwareId of firmwareIds) {
    const created = await client.post(`/firmwares/${firmwareId}/versions`, { name: deviceId })
    const { id } = created.json<{ id: string }>()
    const { slug } = (await client.get(`/firmwares/${firmwareId}`)).json<{ slug: string }>()
    await client.post('/devices', { id: deviceId })
    await sql`
      insert into device_firmwares (workspace_id, device_id, slug, version, firmware_version_id, since)
      values (${client.workspaceId}, ${deviceId}, ${slug}, ${deviceId}, ${id}, now())`.execute(
      test.ctx.db,
    )
  }
}

const givenLine = (firmwareIds: readonly string[], supportEndsIn: string | null) =>
  client.post('/product-lines', { name: 'Pump', manufacturer: 'Acme', firmwareIds, supportEndsIn })

const labels = async (rule: string) =>
  (await firingSeries(test, rule)).map(({ label }) => label ?? '').toSorted()

it('is firing for firmware and product lines that end in time, and says on how many devices', async () => {
  const near = await givenFirmware('near', dayIn(180))
  const far = await givenFirmware('far', dayIn(181))
  await givenFirmware('open', null)
  await givenLine([near, far], dayIn(-60).slice(0, 7))
  await runAll('d1', [near, far])
  await runAll('d2', [near])
  const rule = await ruleOf()
  const ended = await ruleOf({ daysBefore: 0 })

  await clock.evaluateAfter()

  const [line = '', firmware = ''] = (await labels(rule)).toReversed()
  expect(firmware).toBe(`firmware near, out of support from ${dayIn(180)}, on 2 devices`)
  expect(line).toBe('product line Pump, out of support since 2026-07-01, on 2 devices')
  expect(await labels(ended)).toEqual([line])
})

it('counts the devices of a release line by its own versions alone', async () => {
  const id = await givenFirmware('gateway', null)
  const lines = [{ name: '2.x', patterns: ['^2'], supportEndsOn: dayIn(3) }]
  expect((await client.put(`/firmwares/${id}/lines`, { lines })).statusCode).toBe(200)
  await runAll('2.0', [id])
  await runAll('3.0', [id])
  const rule = await ruleOf()

  await clock.evaluateAfter()

  expect(await firingSeries(test, rule)).toMatchObject([
    {
      label: `release line 2.x of gateway, out of support from ${dayIn(3)}, on 1 device`,
      value: 3,
    },
  ])
})

async function tellings(): Promise<string[]> {
  const rows = await test.ctx.db
    .selectFrom('notifications')
    .select('notice')
    .where('workspaceId', '=', client.workspaceId)
    .where('kind', '=', 'Incident')
    .orderBy('createdAt')
    .execute()
  return rows.map(({ notice }) => {
    const { event, items } = notice as unknown as Notice
    return `${event}: ${items.map(({ label }) => label).join('; ')}`
  })
}

it('tells before the end and again once it is over, and nothing in between', async () => {
  const target = await givenTarget(client, ['product@acme.example'])
  await confirmByLink(test, client.workspaceId, 'product@acme.example')
  const body = { name: 'Support', type: 'SupportEnding', evaluationFrequency: '1d' }
  const made = await client.post('/alert-rules', {
    ...body,
    condition: { daysBefore: 30 },
    targets: [{ id: target.id }],
  })
  expect(made.statusCode).toBe(201)
  const end = dayIn(40)
  await givenFirmware('gateway', end)

  for (let day = 0; day < 45; day += 1) await clock.evaluateAfter(DAY_MS)

  expect(await tellings()).toEqual([
    `Fired: firmware gateway, out of support from ${end}, on 0 devices`,
    `StillFiring: firmware gateway, out of support since ${end}, on 0 devices`,
  ])
})

it('ends once a later day is promised', async () => {
  const id = await givenFirmware('gateway', dayIn(10))
  const rule = await ruleOf()
  await clock.evaluateAfter()
  expect(await labels(rule)).toHaveLength(1)

  await client.patch(`/firmwares/${id}`, { supportEndsOn: dayIn(900) })
  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual([])
})

it('leaves out what no device runs, where that is asked', async () => {
  const idle = await givenFirmware('idle', dayIn(10))
  const rule = await ruleOf({ onlyWhereDevicesRun: true })
  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual([])

  await runAll('d1', [idle])
  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual([
    `firmware idle, out of support from ${dayIn(10)}, on 1 device`,
  ])
})

it('has no data and warns where nobody has stated an end, and sees nothing of other workspaces', async () => {
  await givenFirmware('open', null)
  const other = await givenClient(test)
  await other.post('/firmwares', { slug: 'theirs', name: 'theirs', supportEndsOn: dayIn(1) })
  const rule = await ruleOf()

  await clock.evaluateAfter()

  expect(await statuses(test, rule)).toEqual(['NoData'])
  expect(await labels(rule)).toEqual([])
  const warned = async () =>
    (await client.get(`/alert-rules/${rule}`)).json<{ warnings: string[] }>().warnings
  expect((await warned()).join()).toContain('never firing')
  await givenFirmware('stated', dayIn(900))
  expect(await warned()).toEqual([])
})
