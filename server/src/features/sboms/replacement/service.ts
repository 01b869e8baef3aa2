/** SBOMs that later uploads replace: in one transaction with what replaces them, and kept for a while. */
import type { SbomStatement } from '../../../formats/sboms/model.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { recordAudit } from '../../audit/index.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import { listRetainedIds } from '../../product-lines/index.ts'
import { giveBack } from '../../quotas/index.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import { SbomLinksBroken, SbomParsed } from '../schemas.ts'
import { nameSbomBlob } from '../stored-file.ts'
import { isLaterVersion, isReplacedBy, type Replacement } from './rules.ts'
import * as store from './store.ts'

export interface VersionScope {
  workspaceId: string
  firmwareVersionId: string
}

/** An SBOM whose inventory counts from now on, with the statements of its document where it was just read. */
export interface FinishedSbom {
  sbomId: string
  statements?: readonly SbomStatement[]
}

/**
 * Called when SBOMs of a locked version were read, failed or went: lets the files of an upload count together, puts aside
 * what they replace, and changes the inventory once for each document that begins to count. Answers whether any of that
 * happened; else the inventory is as it was.
 */
export async function settleUploads(
  ctx: AppContext,
  tx: Tx,
  version: VersionScope,
  finished: readonly FinishedSbom[] = [],
): Promise<boolean> {
  const { workspaceId } = version
  const counting = new Map(finished.map((sbom) => [sbom.sbomId, sbom]))
  let archived = 0
  for (;;) {
    const sboms = await store.listSbomsOfVersion(tx, version)
    for (const sbom of await settleStaged(tx, workspaceId, sboms)) counting.set(sbom.sbomId, sbom)
    const pairs = replacedPairs(sboms, new Set(counting.keys()))
    for (const { id } of pairs) counting.delete(id)
    archived += pairs.length
    if (pairs.length === 0) break
    await archive(ctx, tx, { version, pairs, sboms })
  }
  const isChanged = archived > 0 || counting.size > 0
  if (isChanged) await changeInventory(ctx, tx, version, [...counting.values()])
  if (archived > 0) await ctx.queue.enqueue(tx, SbomLinksBroken, version)
  return isChanged
}

/** Uploads that replace all: their files count when the last one is read, or none does when one cannot be read. */
async function settleStaged(
  tx: Tx,
  workspaceId: string,
  sboms: readonly store.SbomOfVersion[],
): Promise<FinishedSbom[]> {
  const released: string[] = []
  for (const files of Map.groupBy(sboms, ({ uploadNumber }) => uploadNumber).values()) {
    const staged = files.filter(({ isStaged }) => isStaged)
    if (staged.length === 0) continue
    const ids = staged.map(({ id }) => id)
    const failed = files.find(({ parsingState }) => parsingState === 'Failed')
    if (failed) {
      const parsingError = `The file ${JSON.stringify(failed.fileName)} of the same upload could not be read, so nothing was replaced and this file does not count.`
      await store.failStaged(tx, { workspaceId, ids, parsingError })
    } else if (files.every((file) => isRead(file))) for (const id of ids) released.push(id)
  }
  return released.length === 0 ? [] : store.releaseStaged(tx, workspaceId, released)
}

const isRead = ({ parsingState, isStaged }: store.SbomOfVersion) =>
  parsingState === 'Succeeded' || isStaged

/** The SBOMs that no longer count: those that these replace, and those of these that a later version replaces. */
function replacedPairs(
  sboms: readonly store.SbomOfVersion[],
  counting: ReadonlySet<string>,
): store.ReplacedPair[] {
  const replaced = new Map<string, string>()
  const owns = sboms.filter(({ id }) => counting.has(id))
  for (const own of owns)
    for (const other of replacedWith(own, sboms)) replaced.set(other.id, own.id)
  for (const own of owns) {
    const later = sboms.find(
      (other) =>
        other.parsingState === 'Succeeded' && !replaced.has(other.id) && isLaterVersion(other, own),
    )
    if (later) replaced.set(own.id, later.id)
  }
  return [...replaced].map(([id, replacedBy]) => ({ id, replacedBy }))
}

/** Nothing, as long as files of an upload for all of the version are not read. */
function replacedWith(own: store.SbomOfVersion, sboms: readonly store.SbomOfVersion[]) {
  const isWaiting =
    own.replaces === 'all' &&
    sboms.some((other) => other.uploadNumber === own.uploadNumber && !isRead(other))
  return isWaiting ? [] : sboms.filter((other) => isReplacedBy(own, other))
}

async function archive(
  ctx: AppContext,
  tx: Tx,
  {
    version: { workspaceId, firmwareVersionId },
    pairs,
    sboms,
  }: {
    version: VersionScope
    pairs: readonly store.ReplacedPair[]
    sboms: readonly store.SbomOfVersion[]
  },
): Promise<void> {
  await store.archiveSboms(tx, { workspaceId, pairs, at: ctx.now() })
  const actor = { type: 'System', id: undefined, email: undefined, requestId: undefined } as const
  for (const { id, replacedBy } of pairs) {
    const { fileName, sha256 } = sboms.find((sbom) => sbom.id === id) ?? {}
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'sbom.replace',
      resourceType: 'sbom',
      resourceId: id,
      before: { firmwareVersionId, fileName, sha256 },
      after: { replacedBy },
    })
  }
}

async function changeInventory(
  ctx: AppContext,
  tx: Tx,
  version: VersionScope,
  counting: readonly FinishedSbom[],
): Promise<void> {
  const { workspaceId } = version
  for (const [index, { sbomId, statements }] of counting.entries()) {
    const parsed = statements && { parsed: { sbomId, statements } }
    const change = { ...version, cause: 'SbomParsed', hasMore: index + 1 < counting.length }
    await ctx.reactions.inventoryChanged(ctx, tx, { ...change, ...parsed })
    await ctx.queue.enqueue(tx, SbomParsed, { workspaceId, sbomId })
  }
  if (counting.length === 0)
    await ctx.reactions.inventoryChanged(ctx, tx, { ...version, cause: 'SbomDeleted' })
}

export interface PreviewReplacement extends VersionScope {
  replace: Replacement
  fileNames: readonly string[]
  /** `serialNumber` with version of CycloneDX as a BOM-Link, or the documentNamespace of SPDX 2. */
  documents: readonly string[]
}

/** What an upload of these files would replace, as far as their names and the documents' own names tell. */
export async function previewReplacement(ctx: AppContext, input: PreviewReplacement) {
  const { replace, fileNames, documents, workspaceId } = input
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const sboms = await store.listSbomsOfVersion(ctx.db, { workspaceId, firmwareVersionId })
  const names = fileNames.length > 0 ? fileNames : ['']
  const uploads = names.flatMap((fileName) =>
    [null, ...documents].map((namespace) => ({
      id: '',
      fileName,
      namespace,
      replaces: replace,
      uploadNumber: Number.POSITIVE_INFINITY,
    })),
  )
  const replaced = sboms.filter((sbom) => uploads.some((own) => isReplacedBy(own, sbom)))
  return {
    sboms: replaced.map(({ id, fileName, parsingState, componentCount, createdAt }) => ({
      id,
      fileName,
      parsingState,
      componentCount,
      createdAt,
    })),
    remainingSbomCount: sboms.length - replaced.length,
  }
}

export async function listReplacedSboms(ctx: AppContext, input: VersionScope) {
  const { workspaceId } = input
  const version = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const scope = { workspaceId, firmwareVersionId: version.id }
  return { sboms: await store.listReplaced(ctx.db, scope) }
}

const AT_ONCE = 500

/** Deletes replaced SBOMs that were kept for as long as their workspace states. A sweep deletes files that are left. */
export async function sweepReplacedSboms(ctx: AppContext): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(ctx.db)) {
    for (;;) {
      const deleted = await ctx.db.transaction().execute(async (tx) => {
        const keptVersionIds = await listRetainedIds(ctx, tx, workspaceId)
        const chosen = { workspaceId, now: ctx.now(), limit: AT_ONCE, keptVersionIds }
        const rows = await store.deleteExpired(tx, chosen)
        const amount = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        await giveBack(tx, { workspaceId, quota: 'storedBytes', amount })
        return rows
      })
      for (const { id, firmwareVersionId } of deleted)
        await ctx.blobs.delete(nameSbomBlob({ workspaceId, firmwareVersionId, sbomId: id }))
      if (deleted.length < AT_ONCE) break
    }
  }
}
