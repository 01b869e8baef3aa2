/**
 * Examines artifacts after their upload, and says what follows with the keys that are trusted now. What was read of the bytes is kept;
 * trust is computed when it is asked for, so that it never lags behind a key that was deleted or a certificate that ended.
 */
import { createHash } from 'node:crypto'
import { EXAMINER_VERSION } from '../../formats/images/examine-image.ts'
import { describeImage, type ImageFacts, NOTHING_STATED } from '../../formats/images/image-facts.ts'
import { describeVerdict, type TrustedKey } from '../../formats/images/judge-image.ts'
import { writePlainKeys } from '../../formats/images/public-keys.ts'
import { ChildFailure } from '../../platform/child-pool.ts'
import type { AppContext, Reactions } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { ArtifactStored, isPartRole, nameArtifactBlob } from '../artifacts/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import { listKeysAtHand, readTrustedKeys } from '../trusted-keys/index.ts'
import { listWorkspaceIds } from '../workspaces/index.ts'
import type { ImageTask } from './examiner-process.ts'
import type { ImageSource } from './image-source.ts'
import { listSignatures } from './signatures/store.ts'
import * as store from './store.ts'

export async function examineArtifact(ctx: AppContext, artifact: store.ArtifactKey): Promise<void> {
  const { db } = ctx
  const size = await store.findSize(db, artifact)
  if (size === undefined) return
  const known = await readKnown(db, artifact)
  const { checkedWith } = known
  // Each of ten signatures that came one after the other sent a message, and so does each hour until it is examined.
  if (await store.isExamined(db, artifact, { examinerVersion: EXAMINER_VERSION, checkedWith }))
    return
  const facts = await examineFile(ctx, artifact, { ...known.task, sizeBytes: size })
  await db.transaction().execute(async (tx) => {
    await save(ctx, tx, { artifact, facts, checkedWith })
    // A key or a signature that was added meanwhile found no row that awaits it.
    if ((await readKnown(tx, artifact)).checkedWith !== checkedWith)
      await ctx.queue.enqueue(tx, ArtifactStored, { ...artifact })
  })
}

/** Below the hour after which the queue takes the job for lost. */
const MOST_SECONDS = 50 * 60

/** What strangers sent is hashed and read in a process with limits. */
async function examineFile(
  ctx: AppContext,
  artifact: store.ArtifactKey,
  task: Omit<ImageTask, 'source'>,
): Promise<ImageFacts> {
  const source = await locate(ctx, nameArtifactBlob(artifact))
  try {
    return (await ctx.examiners.answer({ ...task, source }, MOST_SECONDS)) as ImageFacts
  } catch (error) {
    if (!(error instanceof ChildFailure) || error.reason === 'crash') throw error
    return describeObstacle(`The check of the file ${error.message}, and was given up.`)
  }
}

async function locate({ blobs }: AppContext, key: string): Promise<ImageSource> {
  const path = blobs.localPath(key)
  if (path !== undefined) return { path }
  const link = await blobs.signedUrl(key, { fileName: 'image', expiresInSeconds: MOST_SECONDS })
  if (link === undefined) throw new Error('The file store has neither a file nor a link.')
  return { link }
}

const describeObstacle = (obstacle: string): ImageFacts =>
  describeImage('NotKnown', { obstacle, hashes: [] })

/** What an artifact is checked with beside its bytes. `checkedWith`: which keys and signatures these are. */
async function readKnown(db: Db, artifact: store.ArtifactKey) {
  const { ids, ...keys } = await listKeysAtHand(db, artifact.workspaceId)
  const beside = (await listSignatures(db, artifact)).filter(
    ({ blobId }) => blobId === artifact.blobId,
  )
  return {
    task: { ...writePlainKeys(keys), beside: beside.map(({ content }) => content) },
    checkedWith: createHash('sha256')
      .update([ids, ...beside.map(({ id }) => id)].join(' '))
      .digest('hex'),
  }
}

interface Examined {
  artifact: store.ArtifactKey
  facts: ImageFacts
  checkedWith: string | null
}

async function save(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { artifact, facts, checkedWith }: Examined,
): Promise<void> {
  if (!(await lockFirmwareVersion(tx, artifact.workspaceId, artifact.firmwareVersionId))) return
  await store.saveFacts(tx, artifact, {
    facts,
    awaitsKey: facts.signatures.some(({ outcome }) => outcome === 'NoKey'),
    examinerVersion: EXAMINER_VERSION,
    examinedAt: ctx.now(),
    checkedWith,
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
  const facts = describeObstacle('The stored file could not be read in several attempts.')
  await ctx.db.transaction().execute((tx) => save(ctx, tx, { artifact, facts, checkedWith: null }))
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
  { role, baseVersion, fileName, sizeBytes, sha256, facts, examinedAt }: store.ExaminedRow,
  { name, trusted, now }: { name: string; trusted: readonly TrustedKey[]; now: Date },
) {
  const file = { role, baseVersion, fileName, sha256, examinedAt }
  if (!facts)
    return {
      ...file,
      state: 'Checking' as const,
      reason: explainChecking(sizeBytes),
      testKey: null,
      format: null,
      variant: null,
      statement: { ...NOTHING_STATED, hardware: [] },
      isNamedVersion: null,
      signatures: [],
      notes: [],
    }
  // A part, such as a boot loader, has a version of its own.
  const expected = isPartRole(role) ? undefined : name
  return { ...file, ...describeVerdict(facts, { name: expected, trusted, now }) }
}

/** So that nobody takes a long check for one that hangs. */
const explainChecking = (sizeBytes: number) =>
  sizeBytes < GIBIBYTE / 4
    ? 'The file is checked in the background, usually within seconds.'
    : `The file is checked in the background. All of its ${(sizeBytes / GIBIBYTE).toFixed(1)} GiB are read, which takes some minutes, and longer while other files wait.`

const GIBIBYTE = 1024 ** 3
