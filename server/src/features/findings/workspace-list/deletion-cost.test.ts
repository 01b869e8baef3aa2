/** What a deletion reads follows what goes, so that others who write in the workspace wait as shortly as can be. */
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenFirmwareVersion } from '../../../../test/given-inventory.ts'
import { givenManyFindings } from '../../../../test/given-many-findings.ts'
import type { Tx } from '../../../platform/db/connect.ts'
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
