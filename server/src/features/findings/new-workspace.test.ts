/** A workspace of which the database's statistics know nothing costs no more than others. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { givenFirmwareVersion, givenSbom } from '../../../test/given-inventory.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { updateFindingFacts } from './service.ts'

const PACKAGES = 1_000

const componentsOf = (name: string) =>
  Array.from({ length: PACKAGES }, (_, index) => ({
    packageName: `${name}-${index}`,
    version: '1.0',
    cpes: [`cpe:2.3:a:example:${name}-${index}:1.0:*:*:*:*:*:*:*`],
  }))

/** What the transaction has read so far of the tables that keep what versions hold. */
async function readBlocks(tx: Tx): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select sum(pg_stat_get_xact_blocks_fetched(part.oid))::int as blocks
    from pg_class as part
    where part.relname ~ '^(firmware_version_packages|workspace_packages)' and part.relkind in ('r', 'i')`.execute(
    tx,
  )
  return rows[0]?.blocks ?? 0
}

it('reads a few blocks for each package of an SBOM, however many the workspace holds', async () => {
  const { ctx, givenWorkspace } = await startTestApp()
  const hold = async (workspaceId: string, name: string) => {
    const firmwareVersionId = await givenFirmwareVersion(ctx, workspaceId)
    await givenSbom(ctx, { workspaceId, firmwareVersionId, components: componentsOf(name) })
    return firmwareVersionId
  }
  const known = await givenWorkspace()
  await hold(known.workspaceId, 'known')
  await sql`analyze`.execute(ctx.db)
  const { workspaceId } = await givenWorkspace()
  const firmwareVersionId = await hold(workspaceId, 'new')
  await hold(workspaceId, 'more')

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
