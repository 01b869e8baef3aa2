/** ENISA's list of exploited vulnerabilities, as it is published and with the faults it may have. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type FeedServer, startFeedServer } from '../../../test/feed-server.ts'
import {
  cveRecord,
  forgetKnowledge,
  givenFolder,
  type ImportContext,
  openImportContext,
} from '../../../test/given-feeds.ts'
import { feedConfig } from '../../../test/given-publishers.ts'
import type { Config } from '../../config/config.ts'
import { importFeeds, writeBundle } from '../advisories/index.ts'
import { syncSource } from './sync-service.ts'

let server: FeedServer
let imports: ImportContext
let ctx: ImportContext & { config: Config }
const closers: (() => Promise<void>)[] = []

beforeAll(async () => {
  const opened = await openImportContext()
  imports = opened.ctx
  closers.push(opened.close)
})
beforeEach(async () => {
  server = await startFeedServer()
  closers.push(server.close)
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-sync-'))
  ctx = { ...imports, config: feedConfig(server, dataDir) }
  await forgetKnowledge(ctx.db)
  await sql`truncate vulnerability_source_parts, advisory_parts`.execute(ctx.db)
})
afterAll(async () => {
  for (const close of closers) await close()
})

const sync = () =>
  syncSource(ctx, { source: 'euvd', isByHand: true, signal: new AbortController().signal })

const entry = (number: number, sources = ['eukev_kev'], dateAdded = '2026-09-01') => ({
  cveId: `CVE-2026-${number}`,
  euvdId: `EUVD-2026-${number}`,
  dateAdded,
  sources,
})

async function stored() {
  const { rows } = await sql<{ cveId: string; dateAdded: string }>`
    select cve_id, date_added::text as date_added from eu_exploited_entries order by cve_id`.execute(
    ctx.db,
  )
  return rows.map(({ cveId, dateAdded }) => `${cveId} ${dateAdded}`)
}

it('is the list of the EU, without what only CISA lists', async () => {
  const both = entry(1002, ['cisa_kev', 'eukev_kev'], '2026-09-02')
  server.put('/euvd.json', [entry(1001), both, entry(1003, ['cisa_kev'])])

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 2 })
  expect(await stored()).toEqual(['CVE-2026-1001 2026-09-01', 'CVE-2026-1002 2026-09-02'])

  server.put('/euvd.json', [entry(1001), entry(1004, ['eukev_kev'], '2026-09-03')])
  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 1 })
  expect(await stored()).toEqual(['CVE-2026-1001 2026-09-01', 'CVE-2026-1004 2026-09-03'])

  expect(await sync()).toMatchObject({ state: 'Succeeded', added: 0, changed: 0 })
  expect(server.requests.at(-1)?.status).toBe(304)
})

it('names vulnerabilities by its own ids, whichever source came first', async () => {
  const aliases = async () => {
    const { rows } = await sql<{ alias: string; vulnerabilityId: string }>`
      select alias, vulnerability_id from vulnerability_aliases where alias like 'EUVD-%' order by alias`.execute(
      ctx.db,
    )
    return rows.map(({ alias, vulnerabilityId }) => `${alias} ${vulnerabilityId}`)
  }
  const importRecord = (id: string) =>
    importFeeds(ctx, { path: givenFolder({ [`cve/${id}.json`]: cveRecord({ id }) }) })
  await importRecord('CVE-2026-1001')
  server.put('/euvd.json', [entry(1001), entry(1002)])

  await sync()
  expect(await aliases()).toEqual(['EUVD-2026-1001 CVE-2026-1001'])
  await importRecord('CVE-2026-1002')
  expect(await aliases()).toEqual(['EUVD-2026-1001 CVE-2026-1001', 'EUVD-2026-1002 CVE-2026-1002'])
  server.put('/euvd.json', [entry(1002)])
  await sync()

  expect(await aliases()).toEqual(['EUVD-2026-1002 CVE-2026-1002'])
})

it('keeps every entry where one cannot be read', async () => {
  server.put('/euvd.json', [entry(1001), entry(1002)])
  await sync()
  server.put('/euvd.json', [entry(1001), { ...entry(1003), dateAdded: '2026-13-01' }])

  expect(await sync()).toMatchObject({ state: 'Succeeded' })

  expect(await stored()).toEqual(['CVE-2026-1001 2026-09-01', 'CVE-2026-1002 2026-09-01'])
})

it.each([
  ['is cut off', (text: string) => text.slice(0, -40)],
  ['is the page of a proxy', () => '<html>Sign in</html>'],
  ['shrank', () => JSON.stringify([entry(1001)])],
])('is refused where it %s', async (_, damage) => {
  const list = Array.from({ length: 20 }, (__, index) => entry(1001 + index))
  server.put('/euvd.json', list)
  await sync()
  server.put('/euvd.json', damage(JSON.stringify(list)))

  expect(await sync()).toMatchObject({ state: 'Failed' })
  expect(await stored()).toHaveLength(20)
})

it('is imported by hand, and goes along in a bundle', async () => {
  const path = givenFolder({ 'dump.json': JSON.stringify([entry(1001), entry(1002)]) })

  const [imported] = await importFeeds(ctx, { path })
  expect(imported).toMatchObject({ source: 'euvd', added: 2 })
  const bundle = join(mkdtempSync(join(tmpdir(), 'plimsoll-bundle-')), 'knowledge.plimsoll')
  await writeBundle(ctx, bundle)
  await forgetKnowledge(ctx.db)
  await importFeeds(ctx, { path: bundle })

  expect(await stored()).toEqual(['CVE-2026-1001 2026-09-01', 'CVE-2026-1002 2026-09-01'])
})
