/** Real feeds: their versions one after another, in both orders, and all at once. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import {
  forgetKnowledge,
  givenFolder,
  type ImportContext,
  knowledge,
  openImportContext,
} from '../../../test/given-feeds.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { importFeeds } from './service.ts'

describeWithSharedData('real feeds', (folder) => {
  let ctx: ImportContext
  let close: () => Promise<void>

  beforeAll(async () => {
    const opened = await openImportContext()
    ;({ ctx, close } = opened)
  })
  beforeEach(() => forgetKnowledge(ctx.db))
  afterAll(() => close())

  const importPath = (path: string) => importFeeds(ctx, { path: join(folder, path) })
  const MARCH_12 = 'nvd/feeds/nvdcve-2.0-modified-2026-03-12.json.gz'
  const MARCH_15 = 'nvd/feeds/nvdcve-2.0-modified-2026-03-15.json.gz'

  it('two modified feeds of NVD give the same knowledge in either order', async () => {
    const first = [...(await importPath(MARCH_12)), ...(await importPath(MARCH_15))]
    const inOrder = await knowledge(ctx.db)
    await forgetKnowledge(ctx.db)
    const second = [...(await importPath(MARCH_15)), ...(await importPath(MARCH_12))]

    expect(first).toMatchObject([
      { records: 2642, skipped: 0, changed: 0, unchanged: 0 },
      { records: 2286, skipped: 0 },
    ])
    expect(second).toMatchObject([
      { records: 2286, skipped: 0, changed: 0, unchanged: 0 },
      { records: 2642, skipped: 0, changed: 0, unchanged: 1793 },
    ])
    expect(inOrder.advisories).toHaveLength(3135)
    expect(await knowledge(ctx.db)).toEqual(inOrder)
  })

  it('three releases of the KEV catalogue flag ever more of what NVD describes', async () => {
    await importPath(MARCH_15)
    const counts: number[] = []
    for (const release of ['2025-08-25', '2026-03', '2026-08-22']) {
      await importPath(`kev/kev-${release}.json.gz`)
      const { vulnerabilities } = await knowledge(ctx.db)
      counts.push(vulnerabilities.filter(({ isKnownExploit }) => isKnownExploit).length)
    }
    const [outdated] = await importPath('kev/kev-2026-03.json.gz')
    const { rows } = await sql<{
      count: number
    }>`select count(*)::int as count from kev_entries`.execute(ctx.db)

    expect(counts).toEqual([...new Set(counts)].toSorted((a, b) => a - b))
    expect(outdated).toMatchObject({ unchanged: 1542, withdrawn: 0 })
    expect(rows).toEqual([{ count: 1674 }])
  })

  it('EPSS scores of every CVE are one import', async () => {
    const [all] = await importPath('epss/epss-2026-08-16.csv.gz')

    expect(all).toMatchObject({ records: 360_142, added: 360_142, skipped: 0 })
  })

  it('EPSS scores that are known already change nothing', async () => {
    const whole = gunzipSync(readFileSync(join(folder, 'epss/epss-2026-08-16.csv.gz'))).toString()
    const scores = whole.split('\n').slice(0, 30_000).join('\n')
    const path = givenFolder({ 'epss.csv': `${scores}\n` })

    const [first] = await importFeeds(ctx, { path })
    const [second] = await importFeeds(ctx, { path })

    expect(first).toMatchObject({ records: 30_000, added: 30_000, skipped: 0 })
    expect(second).toMatchObject({ added: 0, changed: 0, unchanged: 30_000 })
  })

  it('all OSV databases are read, and two CVEs are never united', async () => {
    const [osv] = await importPath('osv')

    expect(osv).toMatchObject({ source: 'osv', skipped: 1 })
    const { links } = await knowledge(ctx.db)
    const { rows: advisories } = await sql<{ id: string; cveIds: string[] }>`
      select id, cve_ids from advisories`.execute(ctx.db)
    const named = new Map(advisories.map(({ id, cveIds }) => [id, cveIds]))
    const byAdvisory = Map.groupBy(links, ({ advisoryId }) => advisoryId)
    expect(byAdvisory.size).toBe(advisories.length)
    for (const [id, of] of byAdvisory)
      if (named.get(id)?.length)
        expect(of.map(({ vulnerabilityId }) => vulnerabilityId)).toEqual(named.get(id))
  })
})
