/** Rules about licences: by the licence rules that hold, in what devices run and in the newest of each line. */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenMatchedSbom } from '../../../test/given-findings.ts'
import { firingSeries, statuses, underClock } from '../../../test/given-non-metric-rules.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import type { LicenceCondition } from '../alert-rules/index.ts'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  clock = underClock(test)
})

const ruleOf = (condition: Partial<LicenceCondition> = {}) =>
  clock.rule(client.workspaceId, {
    type: 'LicenceDenied',
    condition: {
      outcomes: ['denied'],
      onlyWhereDevicesRun: false,
      firmwareIds: [],
      ...condition,
    },
  })

const RULES = {
  allow: ['MIT'],
  deny: ['AGPL-3.0-only'],
  review: ['LGPL-2.1-only'],
  failOn: ['denied'],
}

const state = (rules: object | null) => client.put('/licence-rules', { rules })

async function givenFirmware(slug: string): Promise<string> {
  const created = await client.post('/firmwares', { slug, name: slug })
  return created.json<{ id: string }>().id
}

/** A version whose components state these licences, one each. */
async function givenVersionOf(
  firmwareId: string,
  name: string,
  ...licences: readonly string[]
): Promise<string> {
  const created = await client.post(`/firmwares/${firmwareId}/versions`, { name })
  const { id } = created.json<{ id: string }>()
  const components = licences.map((licence, at) => ({
    packageName: `part-${at}`,
    licenses: licence === '' ? [] : [licence],
  }))
  await givenMatchedSbom(
    test.ctx,
    { workspaceId: client.workspaceId, firmwareVersionId: id },
    components,
  )
  return id
}

const run = (firmwareVersionId: string, devices: number) =>
  sql`
    insert into firmware_version_device_counts (workspace_id, firmware_version_id, connected, seen_hour, devices)
    values (${client.workspaceId}, ${firmwareVersionId}, true, 1, ${devices})`.execute(test.ctx.db)

const labels = async (rule: string) =>
  (await firingSeries(test, rule)).map(({ label, value }) => `${label}: ${value}`).toSorted()

it('fires on what devices run and on the newest version, and ends once the licence may ship', async () => {
  await state(RULES)
  const gateway = await givenFirmware('gateway')
  await givenVersionOf(gateway, '1.0', 'AGPL-3.0-only')
  const running = await givenVersionOf(gateway, '1.1', 'MIT AND AGPL-3.0-only', 'AGPL-3.0-only')
  await run(running, 12)
  await givenVersionOf(gateway, '1.2', 'AGPL-3.0-only', 'AGPL-3.0-only', 'MIT', 'LGPL-2.1-only')
  const [rule, onlyRunning] = [await ruleOf(), await ruleOf({ onlyWhereDevicesRun: true })]

  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual([
    'AGPL-3.0-only (denied) of 1 component in gateway 1.1, on 12 devices: 1',
    'AGPL-3.0-only (denied) of 2 components in gateway 1.2, on 0 devices: 2',
    'MIT AND AGPL-3.0-only (denied) of 1 component in gateway 1.1, on 12 devices: 1',
  ])
  expect(await labels(onlyRunning)).toHaveLength(2)
  await givenVersionOf(gateway, '1.3', 'MIT')
  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual(await labels(onlyRunning))
  await state({ ...RULES, deny: ['GPL-3.0-only'] })
  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual([])
  expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Firing'])
})

it('fires on what is unknown, in no list or to be reviewed where it is asked to', async () => {
  await state(RULES)
  const gateway = await givenFirmware('gateway')
  await givenVersionOf(
    gateway,
    '1.0',
    '',
    '',
    'MPL-2.0',
    'LGPL-2.1-only',
    'no licence at all',
    'MIT',
  )
  const rules = [
    await ruleOf(),
    await ruleOf({ outcomes: ['unknown'] }),
    await ruleOf({ outcomes: ['review', 'notListed'] }),
  ]

  await clock.evaluateAfter()

  expect(await Promise.all(rules.map(labels))).toEqual([
    [],
    [
      'No stated licence (unknown) of 2 components in gateway 1.0, on 0 devices: 2',
      'no licence at all (unknown) of 1 component in gateway 1.0, on 0 devices: 1',
    ],
    [
      'LGPL-2.1-only (to be reviewed) of 1 component in gateway 1.0, on 0 devices: 1',
      'MPL-2.0 (in no list) of 1 component in gateway 1.0, on 0 devices: 1',
    ],
  ])
})

it('judges each firmware by its own rules, and the others by those of the workspace', async () => {
  await state(RULES)
  const [own, other] = [await givenFirmware('own'), await givenFirmware('other')]
  await client.put(`/firmwares/${own}/licence-rules`, { ownRules: { ...RULES, deny: ['MIT'] } })
  for (const firmware of [own, other]) await givenVersionOf(firmware, '1', 'MIT', 'AGPL-3.0-only')
  const [both, one] = [await ruleOf(), await ruleOf({ firmwareIds: [own] })]

  await clock.evaluateAfter()

  const ofOwn = 'MIT (denied) of 1 component in own 1, on 0 devices: 1'
  expect(await labels(one)).toEqual([ofOwn])
  expect(await labels(both)).toEqual([
    'AGPL-3.0-only (denied) of 1 component in other 1, on 0 devices: 1',
    ofOwn,
  ])
})

it('says that nothing is judged without licence rules, and warns of it', async () => {
  const gateway = await givenFirmware('gateway')
  await givenVersionOf(gateway, '1.0', 'AGPL-3.0-only')
  const rule = await ruleOf({ firmwareIds: [gateway] })
  const warnings = async () =>
    (await client.get(`/alert-rules/${rule}`)).json<{ warnings: string[] }>().warnings

  await clock.evaluateAfter()
  const [status] = await statuses(test, rule)
  const before = await warnings()
  await client.put(`/firmwares/${gateway}/licence-rules`, { ownRules: RULES })
  await clock.evaluateAfter()

  expect([status, before]).toEqual(['NoData', [expect.stringContaining('no licence rules')]])
  expect(await labels(rule)).toHaveLength(1)
  expect(await warnings()).toEqual([])
})

it('sees nothing of another workspace', async () => {
  await state(RULES)
  await givenVersionOf(await givenFirmware('theirs'), '1.0', 'AGPL-3.0-only')
  client = await givenClient(test)
  await state(RULES)
  const rule = await ruleOf()

  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual([])
  expect(await statuses(test, rule)).toEqual(['Ok'])
})
