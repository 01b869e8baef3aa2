/** What a deletion reads follows what goes, so that others who write in the workspace wait as shortly as can be. */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenFirmwareVersion } from '../../../../test/given-inventory.ts'
import { givenManyFindings } from '../../../../test/given-many-findings.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { deleteFindingFacts, updateFindingFacts } from '../service.ts'

const MATCHES = { ofKernel: 4_000, packages: 101, foreign: 5_000 }
const ALL = MATCHES.ofKernel + MATCHES.packages - 1

/** What the transaction has read so far of what the workspace keeps, and of the matches and decisions behind it. */
async function readBlocks(tx: Tx): Promise<number> {
  const { rows } = await sql<{ blocks: number }>`
    select sum(pg_stat_get_xact_blocks_fetched(part.oid))::int as blocks
    from pg_class as part
    where part.relname ~ '^(workspace_|package_matches|finding_decisions|firmware_version_packages)'
      and part.relkind in ('r', 'i')`.execute(tx)
  return rows[0]?.blocks ?? 0
}

let service: TestApp
let version: { workspaceId: string; firmwareVersionId: string }
beforeEach(async () => {
  service = await startTestApp()
  const { workspaceId } = await service.givenWorkspace()
  version = {
    workspaceId,
    firmwareVersionId: await givenFirmwareVersion(service.ctx, workspaceId),
  }
  await givenManyFindings(service.ctx.db, { ...version, ...MATCHES })
})

const blocksOf = (work: (tx: Tx) => Promise<unknown>) =>
  service.ctx.db.transaction().execute(async (tx) => {
    const before = await readBlocks(tx)
    await work(tx)
    return (await readBlocks(tx)) - before
  })

async function countKept(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from workspace_matches) + (select count(*) from workspace_component_vulnerabilities)
      + (select count(*) from workspace_decisions) as count`.execute(service.ctx.db)
  return Number(rows[0]?.count)
}

it('reads a few blocks for each match of a version that is deleted', async () => {
  const { workspaceId, firmwareVersionId } = version

  const blocks = await blocksOf((tx) =>
    deleteFindingFacts(service.ctx, tx, { workspaceId, firmwareVersionIds: [firmwareVersionId] }),
  )

  expect(blocks / ALL).toBeLessThan(25)
  expect(await countKept()).toBe(0)
})

it('reads a few blocks for each match of an SBOM that is deleted', async () => {
  const { ctx } = service

  const blocks = await blocksOf(async (tx) => {
    await sql`delete from sboms`.execute(tx)
    await updateFindingFacts(ctx, tx, { ...version, cause: 'SbomDeleted' })
  })

  expect(blocks / ALL).toBeLessThan(25)
  expect(await countKept()).toBe(0)
})

it('reads a few blocks for each match of a version whose packages another one holds', async () => {
  const { ctx } = service
  const { workspaceId, firmwareVersionId } = version
  const other = { workspaceId, firmwareVersionId: await givenFirmwareVersion(ctx, workspaceId) }
  await ctx.db.transaction().execute(async (tx) => {
    const sbomId = newId()
    await sql`
      insert into sboms
        (workspace_id, id, firmware_version_id, file_name, parsing_state, size_bytes, sha256, created_at)
      values (${workspaceId}, ${sbomId}, ${other.firmwareVersionId}, 'b.json', 'Succeeded', 1, 'b', now())`.execute(
      tx,
    )
    await sql`
      insert into sbom_components
        (workspace_id, sbom_id, node, id, package_name, version, cpes, licenses, hashes, package_id)
      select workspace_id, ${sbomId}, node, gen_random_uuid(), package_name, version, cpes, licenses, hashes, package_id
      from sbom_components`.execute(tx)
    await updateFindingFacts(ctx, tx, { ...other, cause: 'SbomParsed' })
  })
  const before = await countKept()

  const blocks = await blocksOf((tx) =>
    deleteFindingFacts(ctx, tx, { workspaceId, firmwareVersionIds: [firmwareVersionId] }),
  )

  expect(blocks / ALL).toBeLessThan(75)
  // The matches stay; those that were decided in the deleted version alone are no longer decided.
  expect(await countKept()).toBe(before - MATCHES.ofKernel / 2)
})
