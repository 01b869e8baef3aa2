/**
 * Examines how SBOMs are signed, after their upload, and says what follows with the keys that are trusted now. What was read of the
 * bytes is kept; trust is computed when it is asked for (decision 120).
 */
import { SignatureFault } from '../../formats/images/detached-signature.ts'
import { writePlainKeys } from '../../formats/images/public-keys.ts'
import {
  readSignatureBeside,
  SBOM_EXAMINER_VERSION,
  type SbomSignatureFacts,
} from '../../formats/sbom-signatures/examine-sbom.ts'
import { judgeSbom } from '../../formats/sbom-signatures/judge-sbom.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { TrustedKey } from '../../formats/images/judge-image.ts'
import type { Actor } from '../../platform/actor.ts'
import { withLocalFiles } from '../../platform/blobs/local-files.ts'
import { ChildFailure } from '../../platform/child-pool.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import type { UnmetDemand } from '../image-checks/index.ts'
import { getSbom, nameSbomBlob, SbomStored, type SignatureTask } from '../sboms/index.ts'
import { listKeysAtHand, readTrustedKeys } from '../trusted-keys/index.ts'
import { listWorkspaceIds } from '../workspaces/index.ts'
import * as store from './store.ts'

type SbomKey = store.SbomKey

export async function examineSignatures(ctx: AppContext, key: SbomKey): Promise<void> {
  const { workspaceId, sbomId } = key
  const sbom = await getSbom(ctx, workspaceId, sbomId).catch(ignoreMissing)
  if (!sbom) return
  const known = await readKnown(ctx.db, key)
  const { firmwareVersionId } = sbom
  const blob = nameSbomBlob({ workspaceId, firmwareVersionId, sbomId })
  const facts = await withLocalFiles(ctx.blobs, [blob], ([signatureOf = '']) =>
    examineFile(ctx, { ...known.task, signatureOf }),
  )
  await ctx.db.transaction().execute(async (tx) => {
    await save(ctx, tx, { key, facts })
    // A key or a signature that was added meanwhile found no row that awaits it.
    if ((await readKnown(tx, key)).ids !== known.ids) await ctx.queue.enqueue(tx, SbomStored, key)
  })
}

/** It was deleted or replaced meanwhile. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof AppError && error.kind === 'notFound') return undefined
  throw error
}

/** What strangers sent is read in a process with limits. */
async function examineFile(ctx: AppContext, task: SignatureTask): Promise<SbomSignatureFacts> {
  try {
    const answer = await ctx.parsers.answer(task, ctx.config.sboms.parseSeconds)
    return answer as SbomSignatureFacts
  } catch (error) {
    if (!(error instanceof ChildFailure) || error.reason === 'crash') throw error
    return describeObstacle('The document is too large for its signatures to be checked.')
  }
}

const describeObstacle = (obstacle: string): SbomSignatureFacts => ({
  signatures: [],
  fault: null,
  obstacle,
})

/** What an SBOM is checked with beside its bytes. `ids`: which keys and signatures these are. */
async function readKnown(
  db: Db,
  { workspaceId, sbomId }: SbomKey,
): Promise<{ task: Omit<SignatureTask, 'signatureOf'>; ids: string }> {
  const { ids, ...keys } = await listKeysAtHand(db, workspaceId)
  const beside = await store.listBeside(db, workspaceId, [sbomId])
  return {
    task: { ...writePlainKeys(keys), beside: beside.map(({ content }) => content) },
    ids: [ids, ...beside.map(({ id }) => id)].join(' '),
  }
}

const save = (
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { key, facts }: { key: SbomKey; facts: SbomSignatureFacts },
) =>
  store.saveFacts(tx, key, {
    facts,
    awaitsKey: facts.signatures.some(({ outcome }) => outcome === 'NoKey'),
    examinerVersion: SBOM_EXAMINER_VERSION,
    examinedAt: ctx.now(),
  })

/** Its file could not be read in all attempts. The next version of the service tries again. */
export async function giveUpExamining(ctx: AppContext, key: SbomKey): Promise<void> {
  const facts = describeObstacle('The stored file could not be read in several attempts.')
  await ctx.db.transaction().execute((tx) => save(ctx, tx, { key, facts }))
}

/** Examines again what a new key may have signed. */
export async function examineAwaiting(
  ctx: AppContext,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  for (const key of await store.listAwaiting(ctx.db, workspaceId)) await enqueue(ctx, key)
}

const MOST_AT_ONCE = 1_000

/** At start and hourly: SBOMs from before this version, and those whose message was lost. */
export async function enqueueUnexaminedSboms(ctx: AppContext): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(ctx.db)) {
    const asked = { workspaceId, examinerVersion: SBOM_EXAMINER_VERSION, limit: MOST_AT_ONCE }
    for (const key of await store.listUnexamined(ctx.db, asked)) await enqueue(ctx, key)
  }
}

const enqueue = (ctx: AppContext, key: SbomKey) =>
  ctx.db.transaction().execute((tx) => ctx.queue.enqueue(tx, SbomStored, { ...key }))

type Reading = Pick<AppContext, 'db' | 'now'>

export async function listSbomVerifications(
  ctx: Reading,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
) {
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const rows = await store.listExamined(ctx.db, { workspaceId, firmwareVersionIds: [id] })
  const trusted = await readTrustedKeys(ctx.db, workspaceId)
  const ids = rows.map(({ sbomId }) => sbomId)
  const beside = await store.listBeside(ctx.db, workspaceId, ids)
  return {
    verifications: rows.map(({ sbomId, fileName, examinedAt, facts }) => ({
      sbomId,
      fileName,
      examinedAt,
      ...judgeFacts(facts, trusted, ctx.now()),
      beside: beside.filter((one) => one.sbomId === sbomId).map(describeBeside),
    })),
  }
}

const SIGN_IT = 'Sign it with a trusted key, inside or beside the document.'

/** SBOMs of the versions that no trusted key signed, and versions without one, as the release gate tells it. */
export async function listUnsignedSboms(
  ctx: Reading,
  asked: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<UnmetDemand[]> {
  const { workspaceId, firmwareVersionIds } = asked
  const rows = await store.listExamined(ctx.db, asked)
  const trusted = await readTrustedKeys(ctx.db, workspaceId)
  const unmet: UnmetDemand[] = []
  for (const firmwareVersionId of firmwareVersionIds) {
    const { name: versionName } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
    const own = rows.filter((row) => row.firmwareVersionId === firmwareVersionId)
    const told = { firmwareVersionId, versionName, demand: 'SbomSigned' as const }
    if (own.length === 0)
      unmet.push({ ...told, fileName: null, detail: 'The version has no SBOM. Upload one first.' })
    for (const { fileName, facts } of own) {
      const { state, reason } = judgeFacts(facts, trusted, ctx.now())
      if (state !== 'Verified') unmet.push({ ...told, fileName, detail: `${reason} ${SIGN_IT}` })
    }
  }
  return unmet
}

type SbomProof = { state: 'Verified'; keyName: string } | { state: 'Broken' | 'NotProving' }

/** What the signatures of the versions' SBOMs prove now, by the SBOM's id. */
export async function readSbomSignatures(
  ctx: Reading,
  asked: { workspaceId: string; firmwareVersionIds: readonly string[] },
) {
  const rows = await store.listExamined(ctx.db, asked)
  const trusted = await readTrustedKeys(ctx.db, asked.workspaceId)
  return new Map(
    rows.map(({ sbomId, facts }): [string, SbomProof] => {
      const { state, signatures } = judgeFacts(facts, trusted, ctx.now())
      const key = signatures.find(({ trustedKey }) => trustedKey !== null)?.trustedKey
      if (state === 'Verified' && key) return [sbomId, { state, keyName: key.name }]
      return [sbomId, { state: state === 'Broken' ? state : 'NotProving' }]
    }),
  )
}

function judgeFacts(facts: SbomSignatureFacts | null, trusted: readonly TrustedKey[], now: Date) {
  if (facts) {
    const { signatures, ...verdict } = judgeSbom(facts, trusted, now)
    return { ...verdict, signatures: signatures.map(({ testKey: _testKey, ...one }) => one) }
  }
  const reason = 'Its signatures are checked in the background, usually within seconds.'
  return { state: 'Checking' as const, reason, signatures: [] }
}

function describeBeside({ id, fileName, content, createdAt, createdByEmail }: store.BesideRow) {
  const { kind, keyId } = readSignatureBeside(content)
  return { id, fileName, kind, keyId, createdAt, createdByEmail }
}

const MOST_BESIDE = 10

export async function addSbomSignature(
  ctx: AppContext,
  input: SbomKey & { fileName: string; signature: string; actor: Actor },
) {
  const { workspaceId, sbomId, actor } = input
  const { id, firmwareVersionId } = await getSbom(ctx, workspaceId, sbomId)
  const content = readSignature(input.signature)
  const fileName = readName(input.fileName, '/fileName')
  return ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    await getSbom({ db: tx }, workspaceId, id)
    const present = await store.listBeside(tx, workspaceId, [id])
    const same = present.find((one) => one.content === content)
    if (same) return describeBeside(same)
    if (present.length >= MOST_BESIDE) throw tooMany()
    const made = { createdAt: ctx.now(), createdByEmail: actor.email ?? null }
    const row = { id: newId(), sbomId: id, fileName, content, ...made }
    await store.insertBeside(tx, { workspaceId, ...row })
    const entry = { workspaceId, sbomId: id, actor }
    await audit(ctx, tx, { ...entry, action: 'sbom-signature.create', after: { fileName } })
    await ctx.queue.enqueue(tx, SbomStored, { workspaceId, sbomId: id })
    return describeBeside(row)
  })
}

function readSignature(text: string): string {
  try {
    return readSignatureBeside(text).content
  } catch (error) {
    if (error instanceof SignatureFault) throw invalid(error.message, '/signature')
    throw error
  }
}

const tooMany = () =>
  new AppError(
    'conflict',
    'too-many-sbom-signatures',
    `An SBOM has at most ${MOST_BESIDE} signatures beside it. Delete one first.`,
  )

export async function deleteSbomSignature(
  ctx: AppContext,
  input: SbomKey & { signatureId: string; actor: Actor },
): Promise<void> {
  const { workspaceId, signatureId, actor } = input
  const { id, firmwareVersionId } = await getSbom(ctx, workspaceId, input.sbomId)
  await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    const present = await store.listBeside(tx, workspaceId, [id])
    const found = present.find((one) => one.id === signatureId)
    if (!found) throw notFound('SBOM signature', signatureId)
    await store.deleteBeside(tx, { workspaceId, id: found.id })
    const before = { fileName: found.fileName }
    const entry = { workspaceId, sbomId: id, actor }
    await audit(ctx, tx, { ...entry, action: 'sbom-signature.delete', before })
    await ctx.queue.enqueue(tx, SbomStored, { workspaceId, sbomId: id })
  })
}

interface Audited extends SbomKey {
  actor: Actor
  action: AuditAction
  before?: object
  after?: object
}

const audit = (ctx: AppContext, tx: Tx, { sbomId, ...entry }: Audited) =>
  recordAudit(ctx, tx, { ...entry, resourceType: 'sbom', resourceId: sbomId })
