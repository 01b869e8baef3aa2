/** What the doctor finds wrong with ends of support, and mends. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFolder } from '../../../test/given-feeds.ts'
import { givenVersion } from '../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { supportCycle, supportList, supportProduct } from '../../../test/given-support.ts'
import { importFeeds } from '../advisories/index.ts'
import { supportChecks } from './checks-service.ts'
import { deriveChangedProducts } from './derivation-service.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
})

const OPTIONS = { readsFiles: false, isDeep: true, onProgress: () => undefined }

async function examine() {
  const [check] = supportChecks
  if (!check?.repair) throw new Error('the check of ends of support is gone')
  const found = await check.find(test.ctx, OPTIONS)
  await check.repair(test.ctx, OPTIONS)
  return [found.faults, (await check.find(test.ctx, OPTIONS)).faults]
}

it('names products whose packages were not derived, and packages of another cycle than follows, and derives them', async () => {
  const cpes = ['cpe:2.3:a:acme:sdk:3.0.1:*:*:*:*:*:*:*']
  await givenVersion(test.ctx, client.workspaceId, [{ packageName: 'sdk', version: '3.0.1', cpes }])
  const identifiers = ['cpe:2.3:a:acme:sdk']
  const product = supportProduct('acme-sdk', [supportCycle('3.0', '2030-01-01')], { identifiers })
  await importFeeds(test.ctx, { path: givenFolder({ 'full.json': supportList([product]) }) })
  await sql`delete from pgboss.job where name = 'advisories.support-products-changed'`.execute(
    test.ctx.db,
  )

  const first = await examine()
  await sql`update package_support set cycle = '2.0'`.execute(test.ctx.db)
  const second = await examine()
  await deriveChangedProducts(test.ctx, {})
  await sql`delete from package_support`.execute(test.ctx.db)
  const third = await examine()

  expect([first, second, third]).toEqual([
    [['packages of acme-sdk are not derived from what the source lists now'], []],
    [[expect.stringMatching(/is of acme-sdk 2\.0 .* instead of acme-sdk 3\.0 /)], []],
    [[expect.stringMatching(/is of no product instead of acme-sdk 3\.0 /)], []],
  ])
})
