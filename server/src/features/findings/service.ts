/** The commands that change findings: new facts of a firmware version, matching of its packages, decisions. */
import { type AppContext, preferOthers } from '../../platform/context.ts'
import { announce } from '../../platform/db/announcements.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { lockPackages } from '../../platform/db/package-locks.ts'
import { noticeWorkspace, planForAnyWorkspace } from '../../platform/db/planning.ts'
import { newId } from '../../platform/ids.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { type MatchChanges, matchNewPackages } from '../matching/index.ts'
import { SbomParsed, updateEvaluatedSboms, type InventoryChange } from '../sboms/index.ts'
import {
  type ChangedMatches,
  listChangedWorkspaces,
  recountFirmwareVersion,
  updateCountersOfComponents,
  updateCountersOfMatches,
} from './counters-store.ts'
import { type DecisionRow, writeDecisions } from './decisions-store.ts'
import { SbomsRelinked } from './schemas.ts'
import * as store from './store.ts'
import { deleteVersionNumbers, moveVersion } from './workspace-list/version-numbers-store.ts'
import { dropDecisionsOfVersions, keepDecisionsOfVersion } from './workspace-list/states-store.ts'
import {
  countHeldVersions,
  keepChangedMatches,
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
  await planForAnyWorkspace(tx)
  await lockPackages(tx, await store.listInvolvedPackageIds(tx, change), 'shared')
  await lockKeptOf(tx, workspaceId)
  const at = ctx.now()
  const changes = await store.replaceInventory(tx, { ...change, at })
  const counts = await countHeldVersions(tx, { workspaceId, at, changes })
  await moveVersion(tx, change, changes)
  await keepDecisionsOfVersion(tx, { workspaceId, firmwareVersionId, at, changes }, counts)
  await ctx.reactions.findingsBegun(ctx, tx, { workspaceId, firmwareVersionId, at })
  await recountFirmwareVersion(tx, { workspaceId, firmwareVersionId, at })
  await keepHeldPackages(tx, { workspaceId, at, changes }, counts)
  await announce(tx, workspaceId, ['findings', 'sboms', 'firmware'])
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
  const held = { workspaceId: versions.workspaceId, at: now(), changes }
  await deleteVersionNumbers(tx, versions, changes)
  await keepHeldPackages(tx, held, await countHeldVersions(tx, held))
}

/** As long as the packages of one SBOM are matched before those of others that wait. */
const TURN_MS = 3_000

/** Matches the packages of the SBOM's version: linking the new SBOM may have changed the packages of the others. */
export async function matchParsedSbom(
  ctx: AppContext,
  parsed: { workspaceId: string; sbomId: string; changes?: number },
): Promise<void> {
  const { workspaceId, sbomId, changes = 0 } = parsed
  const firmwareVersionId = await store.findFirmwareVersionOfSbom(ctx.db, workspaceId, sbomId)
  // The SBOM was deleted meanwhile.
  if (firmwareVersionId === undefined) return
  const turn = { mostMs: TURN_MS, before: changes }
  const matched = await matchFirmwareVersion(ctx, { workspaceId, firmwareVersionId }, turn)
  if (matched.isDone) return
  const rest = { workspaceId, sbomId, changes: matched.changes }
  await ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, SbomParsed, rest, AFTER_OTHERS))
}

/** The same when other SBOMs of the version were linked again. */
export async function matchRelinkedSboms(
  ctx: AppContext,
  version: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  const { isDone } = await matchFirmwareVersion(ctx, version, { mostMs: TURN_MS })
  if (isDone) return
  await ctx.db
    .transaction()
    .execute((tx) => ctx.queue.enqueue(tx, SbomsRelinked, version, AFTER_OTHERS))
}

const AFTER_OTHERS = { priority: -1 }

/** It takes seconds to match so many packages. */
const MANY_PACKAGES = 5_000

/** Matches the version's unmatched packages, and marks SBOMs whose packages are all matched. */
export async function matchFirmwareVersion(
  ctx: AppContext,
  version: { workspaceId: string; firmwareVersionId: string },
  turn: { mostMs?: number; before?: number } = {},
): Promise<{ isDone: boolean; changes: number }> {
  const packageIds = await ctx.db.transaction().execute(async (tx) => {
    await planForAnyWorkspace(tx)
    return store.listUnmatchedPackageIds(tx, version)
  })
  const isLong = packageIds.length > MANY_PACKAGES
  const matched = await matchNewPackages(isLong ? preferOthers(ctx) : ctx, packageIds, turn)
  if (!matched.isDone) return matched
  await ctx.db.transaction().execute(async (tx) => {
    await planForAnyWorkspace(tx)
    await updateEvaluatedSboms(tx, { ...version, at: ctx.now() })
  })
  await noticeWorkspace(ctx.db, version.workspaceId, READ_BY_LISTS)
  return matched
}

/** What lists join: grown by the SBOM that was matched. */
const READ_BY_LISTS = [
  'sbom_components',
  'sbom_graph_nodes',
  'firmware_version_packages',
  'finding_decisions',
  'workspace_packages',
  'workspace_package_versions',
  'workspace_matches',
  'workspace_component_vulnerabilities',
  'workspace_decisions',
]

/** Updates the findings of all workspaces that hold packages whose matches changed. The packages are locked exclusively. */
export async function changeFindings(
  ctx: AppContext,
  tx: Tx,
  { at, ...matches }: MatchChanges & { at: Date },
): Promise<void> {
  // Each workspace wholly before the next, in order of id: so all who lock rows of several do it in one order.
  for (const changed of await listChangedWorkspaces(tx, matches)) {
    const { workspaceId, changes, judged } = changed
    await lockKeptOf(tx, workspaceId)
    if (judged.length > 0) await updateCountersOfComponents(tx, { workspaceId, judged })
    if (changes.length > 0) await changeMatches(ctx, tx, { workspaceId, changes, at })
    await announce(tx, workspaceId, ['findings'])
  }
}

async function changeMatches(
  ctx: AppContext,
  tx: Tx,
  { at, ...changed }: ChangedMatches & { at: Date },
): Promise<void> {
  await updateCountersOfMatches(tx, { ...changed, at })
  await ctx.reactions.matchesMoving(ctx, tx, changed)
  const begun = changed.changes.filter(({ oldConfidence }) => oldConfidence === null)
  if (begun.length > 0)
    await ctx.reactions.findingsBegun(ctx, tx, {
      workspaceId: changed.workspaceId,
      packageIds: begun.map(({ packageId }) => packageId),
      vulnerabilityIds: begun.map(({ vulnerabilityId }) => vulnerabilityId),
    })
  // Last, as changes of inventories lock these rows after all others too.
  await keepChangedMatches(tx, changed)
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
  await lockPackages(tx, idsOf('packageId'), 'shared')
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
