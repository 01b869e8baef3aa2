/** Accepts the files of an upload: their rows and the jobs that parse them, in one transaction. */
import { formatCountOf } from '../../../formats/counts.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { recordAudit } from '../../audit/index.ts'
import { holdFirmwareVersion, lockFirmwareVersion } from '../../firmware/index.ts'
import { takeAll } from '../../quotas/index.ts'
import type { Replacement } from '../replacement/rules.ts'
import { settleUploads, type VersionScope } from '../replacement/service.ts'
import { type ParsingState, SbomStored, SbomUploaded, SmallSbomUploaded } from '../schemas.ts'
import * as store from '../store.ts'

export interface StoredFile {
  id: string
  key: string
  fileName: string
  sizeBytes: number
  sha256: string
}

interface Upload extends VersionScope {
  actor: Actor
  files: readonly StoredFile[]
  replace: Replacement | undefined
}

const MEBIBYTE = 1024 * 1024

type WaitingLimits = Pick<AppContext['config']['sboms'], 'waitingFiles' | 'waitingBytes'>

export async function refuseTooManyWaiting(
  db: Db,
  { waitingFiles, waitingBytes }: WaitingLimits,
  workspaceId: string,
): Promise<void> {
  const { files, bytes } = await store.countWaiting(db, workspaceId)
  if (files < waitingFiles && bytes < waitingBytes) return
  throw new AppError(
    'rateLimited',
    'too-many-sboms-wait',
    `${formatCountOf(files, 'SBOM')} of this workspace (${Math.ceil(bytes / MEBIBYTE)} MiB) ${files === 1 ? 'waits' : 'wait'} to be parsed; nothing was stored. Go on when fewer wait.`,
  )
}

/** Beyond it, a file may hold up others for long. */
const SMALL_BYTES = 2 * MEBIBYTE

/** Workspaces take turns: the more of a workspace waits already, the later its file comes. */
export async function enqueueParsing(
  ctx: Pick<AppContext, 'queue'>,
  tx: Tx,
  file: {
    workspaceId: string
    sbomId: string
    sizeBytes: number
    isSmall?: boolean
    isLastTry?: boolean
  },
): Promise<void> {
  const { sizeBytes, isSmall = sizeBytes <= SMALL_BYTES, isLastTry = false, ...ids } = file
  const { files, bytes } = await store.countWaiting(tx, ids.workspaceId)
  const priority = -(files - 1) - Math.floor((bytes - sizeBytes) / MEBIBYTE)
  if (isSmall) await ctx.queue.enqueue(tx, SmallSbomUploaded, ids, { priority })
  else await ctx.queue.enqueue(tx, SbomUploaded, { ...ids, isLastTry }, { priority })
}

/** Thrown to start again: the version has one of the files already. */
class FileIsThere extends Error {
  override readonly name = 'FileIsThere'
}

/**
 * New files change no inventory. So they do not wait for changes of the version's, which may take seconds: uploads that
 * wait have all connections of their workspace.
 */
export async function acceptUpload(ctx: AppContext, upload: Upload) {
  const accept = (isLocked: boolean) =>
    ctx.db.transaction().execute((tx) => acceptFiles(ctx, tx, { ...upload, isLocked }))
  try {
    return await accept(false)
  } catch (error) {
    if (!(error instanceof FileIsThere)) throw error
    return accept(true)
  }
}

async function acceptFiles(ctx: AppContext, tx: Tx, upload: Upload & { isLocked: boolean }) {
  const { workspaceId, firmwareVersionId, files, replace, isLocked } = upload
  const lock = isLocked ? lockFirmwareVersion : holdFirmwareVersion
  // The version was deleted during the upload.
  if (!(await lock(tx, workspaceId, firmwareVersionId)))
    throw notFound('firmware version', firmwareVersionId)
  // Others that arrived at the same time may have been accepted meanwhile.
  await refuseTooManyWaiting(tx, ctx.config.sboms, workspaceId)
  const createdAt = ctx.now()
  const accepted = new Map<string, AcceptedFile>()
  // In this order: else two uploads of the same files would wait for each other.
  for (const file of files.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)))
    accepted.set(file.id, await acceptFile(ctx, tx, { ...upload, file, createdAt }))
  const sboms = files.flatMap((file) => accepted.get(file.id) ?? [])
  const scope = { workspaceId, firmwareVersionId }
  const others = await numberUpload(tx, scope, sboms)
  if (replace !== undefined) {
    // Files that are here already need not be read: they replace others at once.
    const known = sboms.filter(({ parsingState }) => parsingState === 'Succeeded')
    const finished = known.map(({ id }) => ({ sbomId: id }))
    await settleUploads(ctx, tx, scope, finished)
  }
  const amount = sboms.reduce((sum, { newBytes }) => sum + newBytes, 0)
  await takeAll(ctx, tx, { workspaceId, quota: 'storedBytes', amount })
  const warnings = replace === undefined ? sameNameWarnings(files, others) : []
  return { sboms: sboms.map(({ id, parsingState }) => ({ id, parsingState })), warnings }
}

interface UploadedFile extends Upload {
  isLocked: boolean
  file: StoredFile
  createdAt: Date
}

interface AcceptedFile {
  id: string
  parsingState: ParsingState
  /** Whether the file belongs to this upload; else it belongs to an earlier one and stays as it is. */
  isNumbered: boolean
  newBytes: number
}

async function acceptFile(ctx: AppContext, tx: Tx, uploaded: UploadedFile): Promise<AcceptedFile> {
  const { workspaceId, firmwareVersionId, file, createdAt, isLocked, replace } = uploaded
  const { id, fileName, sizeBytes, sha256 } = file
  const own = { id, firmwareVersionId, fileName, sizeBytes, sha256, createdAt }
  const upload = { uploadNumber: 0, replaces: replace ?? null }
  const sbom = await store.insertSbom(tx, { workspaceId, ...own, ...upload })
  if (sbom.isNew) {
    await ctx.queue.enqueue(tx, SbomStored, { workspaceId, sbomId: sbom.id })
    await letParse(ctx, tx, { ...uploaded, sbomId: sbom.id, action: 'sbom.upload' })
    return { ...sbom, isNumbered: true, newBytes: sizeBytes }
  }
  if (!isLocked) throw new FileIsThere()
  return { ...(await acceptAgain(ctx, tx, { ...uploaded, sbom })), newBytes: 0 }
}

/** The same bytes were uploaded before. */
async function acceptAgain(
  ctx: AppContext,
  tx: Tx,
  uploaded: UploadedFile & { sbom: { id: string; parsingState: ParsingState } },
) {
  const { workspaceId, file, replace, sbom } = uploaded
  const isFailed = sbom.parsingState === 'Failed'
  if (!isFailed && replace === undefined) return { ...sbom, isNumbered: false }
  const upload = { fileName: file.fileName, replaces: replace ?? null }
  await store.updateUpload(tx, { workspaceId, sbomId: sbom.id, ...upload })
  if (!isFailed) return { ...sbom, isNumbered: true }
  await store.updateSbomAsInProgress(tx, workspaceId, sbom.id)
  await letParse(ctx, tx, { ...uploaded, sbomId: sbom.id, action: 'sbom.reparse' })
  return { id: sbom.id, parsingState: 'InProgress' as const, isNumbered: true }
}

async function letParse(
  ctx: AppContext,
  tx: Tx,
  uploaded: UploadedFile & { sbomId: string; action: 'sbom.upload' | 'sbom.reparse' },
): Promise<void> {
  const { workspaceId, firmwareVersionId, actor, file, replace, sbomId, action } = uploaded
  const { fileName, sizeBytes, sha256 } = file
  await enqueueParsing(ctx, tx, { workspaceId, sbomId, sizeBytes })
  const entry = { workspaceId, actor, resourceType: 'sbom', resourceId: sbomId }
  const after = { firmwareVersionId, fileName, sizeBytes, sha256, replace }
  await recordAudit(ctx, tx, { ...entry, action, after })
}

/** Uploads of a version have an order. Answers the other SBOMs of the version. */
async function numberUpload(tx: Tx, version: VersionScope, sboms: readonly AcceptedFile[]) {
  // Last, as other uploads of the version wait from here on.
  await store.lockUploadNumbers(tx, version.firmwareVersionId)
  const ids = new Set(sboms.map(({ id }) => id))
  const others = (await store.listNames(tx, version)).filter(({ id }) => !ids.has(id))
  const numbered = sboms.filter(({ isNumbered }) => isNumbered).map(({ id }) => id)
  await store.updateUploadNumber(tx, version, numbered)
  return others
}

/** A version that moves, such as a branch, would add up: its earlier builds go on counting. */
function sameNameWarnings(
  files: readonly StoredFile[],
  others: readonly { fileName: string }[],
): string[] {
  const taken = new Set(others.map(({ fileName }) => fileName))
  const names = new Set(files.map(({ fileName }) => fileName))
  return [...names.intersection(taken)].map(
    (name) =>
      `The version has another SBOM named ${JSON.stringify(name)}. Both count, unless the new document is a later version of the old one. To replace it, upload with replace=file.`,
  )
}
