/** A workspace of which the database's statistics know nothing costs no more than others. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFirmwareVersion, givenSbom } from '../../../test/given-inventory.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { hasCitus, readBelieved } from '../../platform/db/planning.ts'
import { matchFirmwareVersion, updateFindingFacts } from './service.ts'
import { findNamed } from './workspace-list/match-sets-store.ts'

const PACKAGES = 1_000
const SBOMS = 200

const componentsOf = (name: string) =>
  Array.from({ length: PACKAGES }, (_, index) => ({
    packageName: `${name}-${index}`,
    version: '1.0',
    cpes: [`cpe:2.3:a:example:${name}-${index}:1.0:*:*:*:*:*:*:*`],
  }))

/** What the transaction has read so far of the tables that say what versions hold. */
async function readBlocks(tx: Tx): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select sum(pg_stat_get_xact_blocks_fetched(part.oid))::int as blocks
    from pg_class as part
    where part.relname ~ '^(firmware_version_packages|workspace_packages|sboms|sbom_components)' and part.relkind in ('r', 'i')`.execute(
    tx,
  )
  return rows[0]?.blocks ?? 0
}

/** How many keys of packages the transaction has read one after another, without an index. */
async function readRowsOfKeys(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select sum(pg_stat_get_xact_tuples_returned(part.oid))::int as count
    from pg_class as part where part.relname ~ '^package_keys' and part.relkind = 'r'`.execute(tx)
  return rows[0]?.count ?? 0
}

let service: TestApp
let workspaceId: string
let firmwareVersionId: string
beforeAll(async () => {
  service = await startTestApp()
  const { ctx, givenWorkspace } = service
  const hold = async (holder: string, name: string) => {
    const version = {
      workspaceId: holder,
      firmwareVersionId: await givenFirmwareVersion(ctx, holder),
    }
    await givenSbom(ctx, { ...version, components: componentsOf(name) })
    return version.firmwareVersionId
  }
  const known = await givenWorkspace()
  await hold(known.workspaceId, 'known')
  await sql`analyze`.execute(ctx.db)
  workspaceId = (await givenWorkspace()).workspaceId
  firmwareVersionId = await hold(workspaceId, 'new')
  await hold(workspaceId, 'more')
})

it('reads a few blocks for each package of an SBOM, however many the workspace holds', async () => {
  const { ctx } = service
  const blocks = await ctx.db.transaction().execute(async (tx) => {
    const setState = (parsingState: 'InProgress' | 'Succeeded') =>
      tx
        .updateTable('sboms')
        .set({ parsingState })
        .where('workspaceId', '=', workspaceId)
        .where('firmwareVersionId', '=', firmwareVersionId)
        .execute()
    const change = { workspaceId, firmwareVersionId, cause: 'SbomParsed' as const }
    await setState('InProgress')
    await updateFindingFacts(ctx, tx, change)
    const before = await readBlocks(tx)
    await setState('Succeeded')
    await updateFindingFacts(ctx, tx, change)
    return (await readBlocks(tx)) - before
  })
  expect(blocks / PACKAGES).toBeLessThan(100)
})

it('reads a few blocks for each package of a version that got many SBOMs, before statistics are there', async () => {
  const { ctx, givenWorkspace } = await startTestApp()
  const { workspaceId: holder } = await givenWorkspace()
  const versionId = await givenFirmwareVersion(ctx, holder)
  const change = { workspaceId: holder, firmwareVersionId: versionId, cause: 'SbomParsed' as const }
  for (const component of componentsOf('one').slice(0, SBOMS))
    await givenSbom(ctx, { ...change, components: [component] })
  await ctx.db.transaction().execute((tx) => updateFindingFacts(ctx, tx, change))

  const blocks = await ctx.db.transaction().execute(async (tx) => {
    const before = await readBlocks(tx)
    await updateFindingFacts(ctx, tx, change)
    return (await readBlocks(tx)) - before
  })

  expect(blocks / SBOMS).toBeLessThan(100)
})

it('is known to the planner once its SBOM is matched', async ({ skip }) => {
  const { ctx } = service
  skip(await hasCitus(ctx.db), 'on several nodes each shard has statistics of its own')
  const believed = () => readBelieved(ctx.db, workspaceId, 'firmware_version_packages')
  expect(await believed()).toBeLessThan(10)

  await matchFirmwareVersion(ctx, { workspaceId, firmwareVersionId })

  expect(await believed()).toBeGreaterThan(PACKAGES)
})

it('looks for a name in its own packages, not in those of all workspaces', async () => {
  const { named, rows } = await service.ctx.db.transaction().execute(async (tx) => ({
    named: await findNamed(tx, { workspaceId, fewMatches: 100 }, [{ contains: 'new-99' }]),
    rows: await readRowsOfKeys(tx),
  }))

  expect(named.packageIds).toHaveLength(11)
  expect(rows).toBe(0)
})
