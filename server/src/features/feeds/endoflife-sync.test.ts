/** The list of products of endoflife.date, as it is published and with the faults it may have. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type FeedServer, startFeedServer } from '../../../test/feed-server.ts'
import {
  forgetKnowledge,
  givenFolder,
  type ImportContext,
  openImportContext,
} from '../../../test/given-feeds.ts'
import { feedConfig } from '../../../test/given-publishers.ts'
import { supportCycle, supportList, supportProduct } from '../../../test/given-support.ts'
import type { Config } from '../../config/config.ts'
import { importFeeds, writeBundle } from '../advisories/index.ts'
import { syncSource } from './sync-service.ts'

let server: FeedServer
let ctx: ImportContext & { config: Config }
let imports: ImportContext
const closers: (() => Promise<void>)[] = []

beforeAll(async () => {
  const opened = await openImportContext()
  imports = opened.ctx
  closers.push(opened.close)
})
beforeEach(async () => {
  server = await startFeedServer()
  closers.push(server.close)
  ctx = {
    ...imports,
    config: feedConfig(server, mkdtempSync(join(tmpdir(), 'plimsoll-sync-'))),
  }
  await forgetKnowledge(ctx.db)
  await sql`truncate vulnerability_source_parts, support_products, support_cycles`.execute(ctx.db)
})
afterAll(async () => {
  for (const close of closers) await close()
})

const sync = () =>
  syncSource(ctx, { source: 'endoflife', isByHand: true, signal: new AbortController().signal })

async function listStored() {
  const { rows } = await sql<Record<'product' | 'cycle' | 'end', string>>`
    select product, cycle, coalesce(fault, ends_on::text,
      case when has_ended then 'ended' when not has_ended then 'no end planned' else 'not stated' end) as end
    from support_cycles order by product, cycle`.execute(ctx.db)
  return rows.map(({ product, cycle, end }) => `${product} ${cycle}: ${end}`)
}

async function listGone() {
  const { rows } = await sql<{ name: string }>`
    select name from support_products where gone_at is not null order by name`.execute(ctx.db)
  return rows.map(({ name }) => name)
}

const alpha = supportProduct('alpha', [
  supportCycle('2.0', '2027-04-30'),
  supportCycle('1.9', true),
])
const beta = supportProduct('beta', [supportCycle('7', false), supportCycle('6', null)])

it('keeps what is said of each cycle, and asks again only for what changed', async () => {
  server.put('/endoflife.json', supportList([alpha, beta]))

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 2 })
  expect(await listStored()).toEqual([
    'alpha 1.9: ended',
    'alpha 2.0: 2027-04-30',
    'beta 6: not stated',
    'beta 7: no end planned',
  ])

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 0, changed: 0 })
  expect(server.requests.at(-1)?.status).toBe(304)
})

it('follows dates that move and cycles that come and go', async () => {
  server.put('/endoflife.json', supportList([alpha, beta]))
  await sync()
  const moved = supportProduct('alpha', [
    supportCycle('2.1', '2029-01-01'),
    supportCycle('2.0', '2028-04-30'),
  ])
  server.put('/endoflife.json', supportList([moved, beta], '2026-11-02T00:00:00+00:00'))

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 0, changed: 1 })
  expect(await listStored()).toEqual([
    'alpha 2.0: 2028-04-30',
    'alpha 2.1: 2029-01-01',
    'beta 6: not stated',
    'beta 7: no end planned',
  ])
})

it('keeps what a product said that is listed no more, and marks it', async () => {
  const others = ['c', 'd', 'e'].map((name) => supportProduct(name, [supportCycle('1', true)]))
  server.put('/endoflife.json', supportList([alpha, beta, ...others]))
  await sync()
  server.put('/endoflife.json', supportList([beta, ...others], '2026-11-02T00:00:00+00:00'))

  expect(await sync()).toMatchObject({ state: 'Succeeded', withdrawn: 1 })
  expect(await listGone()).toEqual(['alpha'])
  expect(await listStored()).toContain('alpha 2.0: 2027-04-30')

  server.put('/endoflife.json', supportList([alpha, beta, ...others], '2026-11-03T00:00:00+00:00'))
  await sync()
  expect(await listGone()).toEqual([])
})

it('keeps the known data where a mirror answers an older list', async () => {
  server.put('/endoflife.json', supportList([alpha, beta], '2026-11-02T00:00:00+00:00'))
  await sync()
  server.put('/endoflife.json', supportList([beta, beta], '2026-10-01T00:00:00+00:00'))

  expect(await sync()).toMatchObject({ state: 'Succeeded', changed: 0 })
  expect(await listGone()).toEqual([])
})

it('loses no product to another that cannot be read', async () => {
  server.put(
    '/endoflife.json',
    supportList([alpha, { name: '../x', releases: [] }, { label: 'x' }]),
  )

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 1 })
  const { rows } = await sql<{ skippedCount: number }>`
    select skipped_count from vulnerability_sources where source = 'endoflife'`.execute(ctx.db)
  expect(rows).toEqual([{ skippedCount: 2 }])
  expect(await listGone()).toEqual([])
})

it.each([
  ['is cut off', (text: string) => text.slice(0, -40)],
  ['is the page of a proxy', () => '<html>Sign in</html>'],
  ['shrank', () => JSON.stringify(supportList([alpha], '2026-12-01T00:00:00+00:00'))],
  ['is empty', () => ''],
])('is refused where it %s', async (_, damage) => {
  const list = supportList(
    Array.from({ length: 20 }, (__, index) =>
      supportProduct(`product-${index}`, [supportCycle('1', '2027-01-01')]),
    ),
  )
  server.put('/endoflife.json', list)
  await sync()
  server.put('/endoflife.json', damage(JSON.stringify(list)))

  expect(await sync()).toMatchObject({ state: 'Failed' })
  expect(await listStored()).toHaveLength(20)
  expect(await listGone()).toEqual([])
})

it('is imported by hand, one product or all, and goes along in a bundle', async () => {
  const one = { ...supportList([]), result: beta }
  const path = givenFolder({ 'full.json': supportList([alpha]), 'beta.json': one })

  const [imported] = await importFeeds(ctx, { path })
  expect(imported).toMatchObject({ source: 'endoflife', added: 2 })
  const before = await listStored()
  const bundle = join(mkdtempSync(join(tmpdir(), 'plimsoll-bundle-')), 'knowledge.plimsoll')
  await writeBundle(ctx, bundle)
  await forgetKnowledge(ctx.db)
  await sql`truncate support_products, support_cycles`.execute(ctx.db)
  await importFeeds(ctx, { path: bundle })

  expect(await listStored()).toEqual(before)
  expect(before).toHaveLength(4)
})

it('says which file to use in place of one that names no product', async () => {
  const path = givenFolder({ 'openssl.json': '[{"cycle":"3.0","eol":"2026-09-07"}]' })

  await expect(importFeeds(ctx, { path })).rejects.toThrow(/products\/full/)
})
