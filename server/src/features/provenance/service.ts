/**
 * Keeps statements about files of firmware versions. What was read of them and which key signed is kept; trust is computed when it is
 * asked for, as with images.
 */
import { createHash } from 'node:crypto'
import { checkDsse, DsseFault } from '../../formats/dsse.ts'
import { describeImage } from '../../formats/images/image-facts.ts'
import { judgeImage, type TrustedKey } from '../../formats/images/judge-image.ts'
import { limitTries } from '../../formats/images/key-tries.ts'
import type { KeysAtHand } from '../../formats/images/public-keys.ts'
import { readName } from '../../formats/one-line-name.ts'
import { parseUploadedStatement, StatementFault } from '../../formats/provenance/statement.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import { listKeysAtHand, readTrustedKeys } from '../trusted-keys/index.ts'
import { MOST_STATEMENT_BYTES, type STATEMENT_STATES } from './schemas.ts'
import * as store from './store.ts'

const MOST_STATEMENTS = 20
const SHOWN_SUBJECTS = 20

interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

type Reading = Pick<AppContext, 'db' | 'now'>

export async function listStatements(ctx: Reading, asked: VersionKey) {
  const { workspaceId } = asked
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, asked.firmwareVersionId)
  const rows = await store.listStatements(ctx.db, { workspaceId, firmwareVersionIds: [id] })
  const trusted = await readTrustedKeys(ctx.db, workspaceId)
  return { statements: rows.map((row) => describe(row, trusted, ctx.now())) }
}

function describe(row: store.StatementRow, trusted: readonly TrustedKey[], now: Date) {
  const { id, fileName, sha256, sizeBytes, facts, createdAt, createdByEmail } = row
  const { kind, predicateType, subjects, build, sbomDigest } = facts
  return {
    id,
    fileName,
    sha256,
    sizeBytes,
    kind,
    predicateType,
    build,
    subjects: subjects.slice(0, SHOWN_SUBJECTS),
    subjectCount: subjects.length,
    holdsSbom: sbomDigest !== null,
    ...judgeStatement(facts, trusted, now),
    createdAt,
    createdByEmail,
  }
}

type StatementState = (typeof STATEMENT_STATES)[number]

/** With the keys that are trusted now. */
export function judgeStatement(
  { signatures }: Pick<store.KeptFacts, 'signatures'>,
  trusted: readonly TrustedKey[],
  now: Date,
): { state: StatementState; reason: string; keyName: string | null } {
  if (signatures.length === 0)
    return { state: 'NotSigned', reason: 'Nobody has signed it.', keyName: null }
  const judged = judgeImage(describeImage('NotKnown', { signatures }), trusted, now)
  const keyName = judged.signatures.find(({ trustedKey }) => trustedKey)?.trustedKey?.name ?? null
  const { state, reason } = judged
  if (state === 'Verified') return { state, reason, keyName }
  const isTold = state === 'Broken' || state === 'NotChecked'
  return { state: isTold ? state : 'Untrusted', reason, keyName: null }
}

export async function addStatement(
  ctx: AppContext,
  input: VersionKey & { fileName: string; statement: string; actor: Actor },
) {
  const { workspaceId, actor } = input
  const content = Buffer.from(input.statement)
  if (content.length > MOST_STATEMENT_BYTES)
    throw new AppError('tooLarge', 'statement-too-large', 'A statement has at most 8 MiB.')
  const fileName = readName(input.fileName, '/fileName')
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const keys = await listKeysAtHand(ctx.db, workspaceId)
  const facts = await readFacts(content, keys)
  const trusted = await readTrustedKeys(ctx.db, workspaceId)
  const broken = facts.signatures.find(({ outcome }) => outcome === 'Invalid')
  if (broken) throw invalid(broken.detail ?? 'A signature is not valid.', '/statement')
  return ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    const present = await store.listStatements(tx, {
      workspaceId,
      firmwareVersionIds: [firmwareVersionId],
    })
    const sha256 = createHash('sha256').update(content).digest('hex')
    const same = present.find((one) => one.sha256 === sha256)
    if (same) return describe(same, trusted, ctx.now())
    if (present.length >= MOST_STATEMENTS) throw tooMany()
    const row = {
      id: newId(),
      firmwareVersionId,
      fileName,
      sha256,
      facts,
      sizeBytes: content.length,
      createdAt: ctx.now(),
      createdByEmail: actor.email ?? null,
    }
    await store.insertStatement(tx, { workspaceId, ...row, content, awaitsKey: awaitsKey(facts) })
    await audit(ctx, tx, {
      version: { workspaceId, firmwareVersionId },
      actor,
      action: 'provenance-statement.create',
      after: { fileName },
    })
    return describe(row, trusted, ctx.now())
  })
}

const awaitsKey = ({ signatures }: store.KeptFacts) =>
  signatures.some(({ outcome }) => outcome === 'NoKey')

async function readFacts(content: Buffer, keys: KeysAtHand): Promise<store.KeptFacts> {
  try {
    const { facts, envelope, certificates } = parseUploadedStatement(content)
    return {
      ...facts,
      signatures: envelope
        ? await checkDsse(envelope, limitTries(keys, 'statements'), certificates)
        : [],
    }
  } catch (error) {
    if (error instanceof StatementFault || error instanceof DsseFault)
      throw invalid(error.message, '/statement')
    throw error
  }
}

const tooMany = () =>
  new AppError(
    'conflict',
    'too-many-provenance-statements',
    `A firmware version has at most ${MOST_STATEMENTS} statements. Delete one first.`,
  )

export async function readStatementText(db: Db, asked: VersionKey & { statementId: string }) {
  const { workspaceId, statementId } = asked
  const { id: firmwareVersionId } = await getFirmwareVersion(
    db,
    workspaceId,
    asked.firmwareVersionId,
  )
  const key = { workspaceId, firmwareVersionId, id: statementId }
  const found = isUuid(statementId) ? await store.findContent(db, key) : undefined
  if (!found) throw notFound('provenance statement', statementId)
  return { fileName: found.fileName, statement: found.content.toString() }
}

export async function deleteStatement(
  ctx: AppContext,
  input: VersionKey & { statementId: string; actor: Actor },
): Promise<void> {
  const { workspaceId, statementId, actor } = input
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    const key = { workspaceId, firmwareVersionId, id: statementId }
    const found = isUuid(statementId) ? await store.findContent(tx, key) : undefined
    if (!found) throw notFound('provenance statement', statementId)
    await store.deleteStatement(tx, key)
    await audit(ctx, tx, {
      version: { workspaceId, firmwareVersionId },
      actor,
      action: 'provenance-statement.delete',
      before: { fileName: found.fileName },
    })
  })
}

/** Checks again what a new key may have signed. */
export async function checkAwaiting(
  ctx: AppContext,
  { workspaceId }: { workspaceId: string },
): Promise<void> {
  const keys = await listKeysAtHand(ctx.db, workspaceId)
  for (const { id, firmwareVersionId } of await store.listAwaiting(ctx.db, workspaceId)) {
    const key = { workspaceId, firmwareVersionId, id }
    const found = await store.findContent(ctx.db, key)
    if (!found) continue
    const facts = await readFacts(found.content, keys)
    await store.updateFacts(ctx.db, key, { facts, awaitsKey: awaitsKey(facts) })
  }
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
