/** The commands that change findings: new facts of a firmware version, matching of its packages, decisions. */
import type { AppContext, InventoryChange } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { matchNewPackages } from '../matching/index.ts'
import { recountFirmwareVersion } from './counters-store.ts'
import { type DecisionRow, lockPackagesShared, writeDecisions } from './decisions-store.ts'
import { SbomsRelinked } from './schemas.ts'
import * as store from './store.ts'
import {
  dropDecisionsOfVersions,
  keepDecisionsOfVersion,
  keepHeldPackages,
  lockKeptOf,
} from './workspace-list/kept-store.ts'

/**
 * Updates which packages a firmware version holds, in the transaction that changes its SBOMs. The caller has locked the
 * version, so that changes of one version do not overlap. Its old and new packages are shared until the counters are
 * written, so that their matches do not change meanwhile.
 */
export async function updateFindingFacts(
  ctx: AppContext,
  tx: Tx,
  change: InventoryChange,
): Promise<void> {
  const { workspaceId, firmwareVersionId } = change
  await lockPackagesShared(tx, await store.listInvolvedPackageIds(tx, change))
  await lockKeptOf(tx, workspaceId)
  const at = ctx.now()
  const changes = await store.replaceInventory(tx, { ...change, at })
  await keepDecisionsOfVersion(tx, { workspaceId, firmwareVersionId, at, changes })
  await ctx.reactions.findingsBegun(ctx, tx, { workspaceId, firmwareVersionId, at })
  await recountFirmwareVersion(tx, { workspaceId, firmwareVersionId, at })
  await keepHeldPackages(tx, { workspaceId, at, changes })
  // A parsed SBOM enqueues a message of its own. All other changes may have given components other packages.
  if (change.cause !== 'SbomParsed')
    await ctx.queue.enqueue(tx, SbomsRelinked, { workspaceId, firmwareVersionId })
}

/** Ends the findings of versions that are about to be deleted. They are locked, and their packages are shared. */
export async function deleteFindingFacts(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  versions: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  await lockKeptOf(tx, versions.workspaceId)
  await dropDecisionsOfVersions(tx, versions)
  const changes = await store.deleteInventories(tx, versions)
  await keepHeldPackages(tx, { workspaceId: versions.workspaceId, at: now(), changes })
}

/** Matches the packages of the SBOM's version: linking the new SBOM may have changed the packages of the others. */
export async function matchParsedSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const firmwareVersionId = await store.findFirmwareVersionOfSbom(ctx.db, workspaceId, sbomId)
  // The SBOM was deleted meanwhile.
  if (firmwareVersionId === undefined) return
  await matchFirmwareVersion(ctx, { workspaceId, firmwareVersionId })
}

/** Matches the version's unmatched packages, and marks SBOMs whose packages are all matched. */
export async function matchFirmwareVersion(
  ctx: AppContext,
  version: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  await matchNewPackages(ctx, await store.listUnmatchedPackageIds(ctx.db, version))
  await store.updateEvaluatedSboms(ctx.db, { ...version, at: ctx.now() })
}

export type Decision = Omit<DecisionRow, 'id'>

/** Locks the findings and records decisions on them. The last decision wins; each has an entry in the timeline. */
export async function recordDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, decisions }: { workspaceId: string; decisions: readonly Decision[] },
): Promise<void> {
  const idsOf = (name: 'firmwareVersionId' | 'packageId') =>
    [...new Set(decisions.map((decision) => decision[name]))].toSorted()
  for (const id of idsOf('firmwareVersionId')) await lockFirmwareVersion(tx, workspaceId, id)
  await lockPackagesShared(tx, idsOf('packageId'))
  await recordLockedDecisions(ctx, tx, { workspaceId, decisions })
}

/** Records decisions for a caller that holds the locks. */
export async function recordLockedDecisions(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, decisions }: { workspaceId: string; decisions: readonly Decision[] },
): Promise<void> {
  const rows = decisions.map((decision) => ({ id: newId(), ...decision }))
  await writeDecisions(tx, { workspaceId, rows, at: now() })
}
