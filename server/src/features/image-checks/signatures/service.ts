/** Keeps signatures that stand beside artifacts, and has the artifacts checked with them. */
import {
  parseDetachedSignature,
  SignatureFault,
} from '../../../formats/images/detached-signature.ts'
import { readName } from '../../../formats/one-line-name.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { ArtifactStored, IMAGE } from '../../artifacts/index.ts'
import { type AuditAction, recordAudit } from '../../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../../firmware/index.ts'
import * as store from './store.ts'

const MOST_SIGNATURES = 10

interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

export async function listArtifactSignatures(db: Db, asked: VersionKey) {
  const { id } = await getFirmwareVersion(db, asked.workspaceId, asked.firmwareVersionId)
  const rows = await store.listSignatures(db, { ...asked, firmwareVersionId: id })
  return { signatures: rows.map(describe) }
}

function describe({
  id,
  role,
  baseVersionId,
  fileName,
  content,
  createdAt,
  createdByEmail,
}: store.SignatureRow & store.SignedFile) {
  const read = parseDetachedSignature(content)
  const { kind } = read
  const keyId = read.kind === 'minisign' ? read.keyId : null
  return { id, role, baseVersionId, fileName, kind, keyId, createdAt, createdByEmail }
}

export async function addArtifactSignature(
  ctx: AppContext,
  input: VersionKey &
    Partial<store.SignedFile> & { fileName: string; signature: string; actor: Actor },
) {
  const { workspaceId, actor, role = IMAGE, baseVersionId = null } = input
  const content = readSignature(input.signature)
  const fileName = readName(input.fileName, '/fileName')
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const file = { role, baseVersionId: await readBase(ctx.db, workspaceId, baseVersionId) }
  return ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, id)
    const blobId = await store.findBlobId(tx, { ...version, ...file })
    if (blobId === undefined)
      throw new AppError(
        'notFound',
        'artifact-not-found',
        'This firmware version has no such artifact. Upload it before its signature.',
      )
    const all = await store.listSignatures(tx, version)
    const present = all.filter((one) => one.blobId === blobId)
    const same = present.find((one) => one.content === content)
    if (same) return describe(same)
    if (present.length >= MOST_SIGNATURES) throw tooMany()
    const row = {
      id: newId(),
      blobId,
      fileName,
      content,
      createdAt: ctx.now(),
      createdByEmail: actor.email ?? null,
    }
    await store.insertSignature(tx, { ...version, ...row })
    await audit(ctx, tx, {
      version,
      actor,
      action: 'artifact-signature.create',
      after: { fileName },
    })
    await ctx.queue.enqueue(tx, ArtifactStored, { ...version, blobId })
    return describe({ ...row, ...file })
  })
}

/** An id that is no id gets the answer of a version that is not there. */
const readBase = async (db: Db, workspaceId: string, baseVersionId: string | null) =>
  baseVersionId === null ? null : (await getFirmwareVersion(db, workspaceId, baseVersionId)).id

function readSignature(text: string): string {
  try {
    parseDetachedSignature(text)
    return text.trim()
  } catch (error) {
    if (error instanceof SignatureFault) throw invalid(error.message, '/signature')
    throw error
  }
}

const tooMany = () =>
  new AppError(
    'conflict',
    'too-many-artifact-signatures',
    `An artifact has at most ${MOST_SIGNATURES} signatures beside it. Delete one first.`,
  )

export async function deleteArtifactSignature(
  ctx: AppContext,
  input: VersionKey & { signatureId: string; actor: Actor },
): Promise<void> {
  const { workspaceId, signatureId, actor } = input
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, id)
    const present = await store.listSignatures(tx, version)
    const found = present.find((one) => one.id === signatureId)
    if (!found) throw notFound('artifact signature', signatureId)
    const { fileName, blobId } = found
    await store.deleteSignature(tx, { workspaceId, id: found.id })
    const before = { fileName }
    await audit(ctx, tx, { version, actor, action: 'artifact-signature.delete', before })
    await ctx.queue.enqueue(tx, ArtifactStored, { ...version, blobId })
  })
}

interface Audited {
  version: VersionKey
  actor: Actor
  action: AuditAction
  before?: object
  after?: object
}

const audit = (ctx: AppContext, tx: Tx, { version, ...entry }: Audited) =>
  recordAudit(ctx, tx, {
    ...entry,
    workspaceId: version.workspaceId,
    resourceType: 'firmware-version',
    resourceId: version.firmwareVersionId,
  })
