/** What moves findings: the packages of a firmware version change, its packages are matched, somebody decides. */
import type { AppContext, InventoryChange } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { matchNewPackages } from '../matching/index.ts'
import { recountFirmwareVersion } from './counters-store.ts'
import { type DecisionRow, lockPackagesShared, writeDecisions } from './decisions-store.ts'
import { SbomsRelinked } from './schemas.ts'
import * as store from './store.ts'

/**
 * Updates the facts a firmware version's findings rest on, in the transaction that changes its SBOMs and
 * has locked the version. Changes of one version happen one after the other, and each reads what the one before has committed. All its packages, old and
 * new, are shared until the counters are written, so that no match of theirs changes meanwhile.
 */
export async function updateFindingFacts(
  ctx: AppContext,
  tx: Tx,
  change: InventoryChange,
): Promise<void> {
  const { workspaceId, firmwareVersionId } = change
  await lockPackagesShared(tx, await store.listInvolvedPackageIds(tx, change))
  const at = ctx.now()
  await store.replaceInventory(tx, { ...change, at })
  await ctx.reactions.findingsBegun(ctx, tx, { workspaceId, firmwareVersionId, at })
  await recountFirmwareVersion(tx, { workspaceId, firmwareVersionId, at })
  // A parsed SBOM has its own message; links made anew may have given components other packages.
  if (change.cause !== 'SbomParsed')
    await ctx.queue.enqueue(tx, SbomsRelinked, { workspaceId, firmwareVersionId })
}

/** Matches the version's packages: its SBOMs were linked with the new one, so that the packages of all may be new. */
export async function matchParsedSbom(
  ctx: AppContext,
  { workspaceId, sbomId }: { workspaceId: string; sbomId: string },
): Promise<void> {
  const firmwareVersionId = await store.findFirmwareVersionOfSbom(ctx.db, workspaceId, sbomId)
  // Deleted since.
  if (firmwareVersionId === undefined) return
  await matchFirmwareVersion(ctx, { workspaceId, firmwareVersionId })
}

/** Matches the version's packages that nobody has matched yet, and marks the SBOMs of which all packages are matched. */
export async function matchFirmwareVersion(
  ctx: AppContext,
  version: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  await matchNewPackages(ctx, await store.listUnmatchedPackageIds(ctx.db, version))
  await store.updateEvaluatedSboms(ctx.db, { ...version, at: ctx.now() })
}

export type Decision = Omit<DecisionRow, 'id'>

/** Decisions on one finding come one after another, the last one wins, and each has its entry in the timeline. */
export async function recordDecisions(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, decisions }: { workspaceId: string; decisions: readonly Decision[] },
): Promise<void> {
  const idsOf = (name: 'firmwareVersionId' | 'packageId') =>
    [...new Set(decisions.map((decision) => decision[name]))].toSorted()
  for (const id of idsOf('firmwareVersionId')) await lockFirmwareVersion(tx, workspaceId, id)
  await lockPackagesShared(tx, idsOf('packageId'))
  await writeLocked(ctx, tx, { workspaceId, decisions })
}

/** Records decisions for a caller that holds the locks already. */
export async function writeLocked(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, decisions }: { workspaceId: string; decisions: readonly Decision[] },
): Promise<void> {
  const rows = decisions.map((decision) => ({ id: newId(), ...decision }))
  await writeDecisions(tx, { workspaceId, rows, at: now() })
}
