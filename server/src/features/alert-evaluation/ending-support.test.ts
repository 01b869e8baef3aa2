/** Rules about components whose support ends: on the day, with devices, by the source and by what the workspace states. */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenVersion } from '../../../test/given-findings.ts'
import { givenFolder } from '../../../test/given-feeds.ts'
import { firingSeries, statuses, underClock } from '../../../test/given-non-metric-rules.ts'
import { supportCycle, supportList, supportProduct } from '../../../test/given-support.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { DAY_MS } from '../../formats/instants.ts'
import { importFeeds } from '../advisories/index.ts'
import type { ComponentSupportCondition } from '../alert-rules/index.ts'
import { deriveChangedProducts } from '../support/index.ts'

let test: TestApp
let client: Client
let clock: ReturnType<typeof underClock>
beforeEach(async () => {
  test ??= await startTestApp()
  client = await givenClient(test)
  clock = underClock(test)
})

const ruleOf = (condition: Partial<ComponentSupportCondition>) =>
  clock.rule(client.workspaceId, {
    type: 'ComponentSupportEnding',
    condition: { daysBefore: 30, onlyWhereDevicesRun: true, firmwareIds: [], ...condition },
  })

const dayIn = (days: number) =>
  new Date(test.ctx.now().getTime() + days * DAY_MS).toISOString().slice(0, 10)

async function givenProduct(name: string, end: string | true): Promise<void> {
  const product = supportProduct(name, [supportCycle('1', end)], {
    label: name,
    identifiers: [`cpe:2.3:a:acme:${name}`],
  })
  await importFeeds(test.ctx, {
    path: givenFolder({
      'one.json': { ...supportList([]), generated_at: undefined, result: product },
    }),
  })
  await deriveChangedProducts(test.ctx, {})
}

/** A version with the products, on so many devices. */
async function givenRunningVersion(devices: number, ...products: string[]): Promise<string> {
  const { firmwareVersionId } = await givenVersion(
    test.ctx,
    client.workspaceId,
    products.map((name) => ({
      packageName: name,
      cpes: [`cpe:2.3:a:acme:${name}:1.5:*:*:*:*:*:*:*`],
    })),
  )
  await deriveAgain(products)
  if (devices > 0)
    await sql`
      insert into firmware_version_device_counts (workspace_id, firmware_version_id, connected, seen_hour, devices)
      values (${client.workspaceId}, ${firmwareVersionId}, true, 1, ${devices})`.execute(
      test.ctx.db,
    )
  return firmwareVersionId
}

/** The builder writes facts without what reacts to them. */
async function deriveAgain(products: readonly string[]): Promise<void> {
  await sql`delete from support_product_states where product = any(${products}::text[])`.execute(
    test.ctx.db,
  )
  await deriveChangedProducts(test.ctx, {})
}

const labels = async (rule: string) =>
  (await firingSeries(test, rule)).map(({ label, value }) => `${label}: ${value}`)

it('fires from the stated days before the end on, with the devices, and ends when the date moves', async () => {
  await givenProduct('soon', dayIn(40))
  await givenProduct('later', dayIn(400))
  await givenRunningVersion(12, 'soon', 'later')
  await givenRunningVersion(0, 'soon')
  const rule = await ruleOf({})

  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual([])
  await clock.evaluateAfter(11 * DAY_MS)
  expect(await labels(rule)).toEqual(['soon 1 in Gateway 1.0, on 12 devices: 29'])
  await givenProduct('soon', dayIn(500))
  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual([])
  expect(await statuses(test, rule)).toEqual(['Ok', 'Firing', 'Ok'])
})

it('also fires where no device runs it, if asked to, and for ends on unknown days', async () => {
  await givenProduct('ended', true)
  await givenRunningVersion(0, 'ended')
  const rule = await ruleOf({ daysBefore: 0, onlyWhereDevicesRun: false })

  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual(['ended 1 in Gateway 1.0, on 0 devices: 0'])
})

it('takes the date of the workspace in place of the source’s', async () => {
  await givenProduct('own', dayIn(-10))
  await givenRunningVersion(3, 'own')
  const rule = await ruleOf({})
  const state = (endsOn: string) =>
    client.post('/support-statements', { name: 'own', endsOn }).then(({ statusCode }) => statusCode)

  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual(['own 1 in Gateway 1.0, on 3 devices: -10'])
  expect(await state(dayIn(900))).toBe(201)
  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual([])
  expect(await state(dayIn(5))).toBe(201)
  await clock.evaluateAfter()
  expect(await labels(rule)).toEqual(['own in Gateway 1.0, on 3 devices: 5'])
})

it('sees nothing of another workspace', async () => {
  await givenProduct('theirs', dayIn(5))
  await givenRunningVersion(3, 'theirs')
  client = await givenClient(test)
  const rule = await ruleOf({ onlyWhereDevicesRun: false })

  await clock.evaluateAfter()

  expect(await labels(rule)).toEqual([])
})
