/**
 * Examines artifacts after their upload, and says what follows with the keys that are trusted now. What was read of the bytes is kept;
 * trust is computed when it is asked for, so that it never lags behind a key that was deleted or a certificate that ended.
 */
import { parseDetachedSignature } from '../../formats/images/detached-signature.ts'
import { EXAMINER_VERSION, examineImage } from '../../formats/images/examine-image.ts'
import type { ImageBytes } from '../../formats/images/image-bytes.ts'
import { describeImage, type ImageFacts, NOTHING_STATED } from '../../formats/images/image-facts.ts'
import { describeVerdict, type TrustedKey } from '../../formats/images/judge-image.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { AppContext, Reactions } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { ArtifactStored, nameArtifactBlob } from '../artifacts/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import { listKeysAtHand, readTrustedKeys } from '../trusted-keys/index.ts'
import { listWorkspaceIds } from '../workspaces/index.ts'
import { listSignatures } from './signatures/store.ts'
import * as store from './store.ts'

export async function examineArtifact(ctx: AppContext, artifact: store.ArtifactKey): Promise<void> {
  const { db } = ctx
  const size = await store.findSize(db, artifact)
  if (size === undefined) return
  const known = await readKnown(db, artifact)
  const image = openImage(ctx.blobs, nameArtifactBlob(artifact), size)
  const facts = await examineImage(image, known.keys, known.detached)
  await db.transaction().execute(async (tx) => {
    await save(ctx, { tx, artifact, facts })
    // A key or a signature that was added meanwhile found no row that awaits it.
    if ((await readKnown(tx, artifact)).ids !== known.ids)
      await ctx.queue.enqueue(tx, ArtifactStored, { ...artifact })
  })
}

/** What an artifact is checked with beside its bytes. `ids`: which keys and signatures these are. */
async function readKnown(db: Db, artifact: store.ArtifactKey) {
  const { ids, ...keys } = await listKeysAtHand(db, artifact.workspaceId)
  const beside = (await listSignatures(db, artifact)).filter(
    ({ blobId }) => blobId === artifact.blobId,
  )
  return {
    keys,
    detached: beside.map(({ content }) => parseDetachedSignature(content)),
    ids: [ids, ...beside.map(({ id }) => id)].join(' '),
  }
}

async function save(
  ctx: Pick<AppContext, 'now'>,
  {
    tx,
    artifact,
    facts,
  }: { tx: Parameters<typeof store.saveFacts>[0]; artifact: store.ArtifactKey; facts: ImageFacts },
): Promise<void> {
  if (!(await lockFirmwareVersion(tx, artifact.workspaceId, artifact.firmwareVersionId))) return
  await store.saveFacts(tx, artifact, {
    facts,
    awaitsKey: facts.signatures.some(({ outcome }) => outcome === 'NoKey'),
    examinerVersion: EXAMINER_VERSION,
    examinedAt: ctx.now(),
  })
}

/** What was read of bytes goes with them. */
export const forgetGoneBytes: Reactions['artifactsChanged'] = (_ctx, tx, version) =>
  store.forgetGone(tx, version)

/** The rows of deltas go with the versions that they begin with. */
export const forgetBytesOfDeltas: Reactions['versionsDeleting'] = (_ctx, tx, versions) =>
  store.forgetDeltasOf(tx, versions)

/** Its file could not be read in all attempts. The next upload of the artifact, or the next version of the service, tries again. */
export async function giveUpExamining(ctx: AppContext, artifact: store.ArtifactKey): Promise<void> {
  const facts = describeImage('NotKnown', {
    obstacle: 'The stored file could not be read in several attempts.',
    hashes: [],
  })
  await ctx.db.transaction().execute((tx) => save(ctx, { tx, artifact, facts }))
}

/** Examines again what a new key may have signed. */
export async function examineAwaiting(
  ctx: AppContext,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  for (const artifact of await store.listAwaiting(ctx.db, workspaceId)) await enqueue(ctx, artifact)
}

const MOST_AT_ONCE = 1_000

/** At start and hourly: artifacts from before this version, and those whose message was lost. */
export async function enqueueUnexamined(ctx: AppContext): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(ctx.db)) {
    const asked = { workspaceId, examinerVersion: EXAMINER_VERSION, limit: MOST_AT_ONCE }
    for (const artifact of await store.listUnexamined(ctx.db, asked)) await enqueue(ctx, artifact)
  }
}

const enqueue = (ctx: AppContext, artifact: store.ArtifactKey) =>
  ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, ArtifactStored, { ...artifact }))

function openImage(blobs: BlobStore, key: string, size: number): ImageBytes {
  const stream = async function* (start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start >= end) return
    const source = await blobs.get(key, { start, end: end - 1 })
    for await (const chunk of source as AsyncIterable<Uint8Array>) yield chunk
  }
  return {
    size,
    stream,
    read: async (offset, length) => {
      const pieces: Uint8Array[] = []
      for await (const piece of stream(offset, Math.min(size, offset + length))) pieces.push(piece)
      return Buffer.concat(pieces)
    },
  }
}

type Reading = Pick<AppContext, 'db' | 'now'>

export async function listVerifications(
  ctx: Reading,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
) {
  const { id, name } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const rows = await store.listExamined(ctx.db, { workspaceId, firmwareVersionIds: [id] })
  const trusted = await readTrustedKeys(ctx.db, workspaceId)
  return { verifications: rows.map((row) => judgeRow(row, { name, trusted, now: ctx.now() })) }
}

export function judgeRow(
  { role, baseVersion, fileName, sha256, facts, examinedAt }: store.ExaminedRow,
  { name, trusted, now }: { name: string; trusted: readonly TrustedKey[]; now: Date },
) {
  const file = { role, baseVersion, fileName, sha256, examinedAt }
  if (!facts)
    return {
      ...file,
      state: 'Checking' as const,
      reason: 'The file is checked in the background, usually within seconds.',
      testKey: null,
      format: null,
      variant: null,
      statement: { ...NOTHING_STATED, hardware: [] },
      isNamedVersion: null,
      signatures: [],
      notes: [],
    }
  return { ...file, ...describeVerdict(facts, { name, trusted, now }) }
}
