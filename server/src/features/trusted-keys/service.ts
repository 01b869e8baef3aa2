/** Which public keys and certificates a workspace trusts to sign images. */
import { createHash, type X509Certificate } from 'node:crypto'
import {
  type CertificateFacts,
  readCertificateFacts,
  recallCertificateFacts,
} from '../../formats/images/certificate-chain.ts'
import type { TrustedKey } from '../../formats/images/judge-image.ts'
import {
  KeyFault,
  type KeysAtHand,
  nameAlgorithm,
  type ReadKey,
  readKeptKey,
  readKey,
} from '../../formats/images/public-keys.ts'
import { findTestKeyName } from '../../formats/images/test-keys.ts'
import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { SbomKeysChanged, StatementKeysChanged, TrustedKeysChanged } from './schemas.ts'
import * as store from './store.ts'

const MOST_KEYS = 200

interface OneKey {
  workspaceId: string
  trustedKeyId: string
}

const describe = (row: store.TrustedKeyRow) => ({
  ...row,
  testKey: findTestKeyName(row.fingerprint) ?? null,
})

export async function listTrustedKeys(db: Db, { workspaceId }: { workspaceId: string }) {
  return { trustedKeys: (await store.listTrustedKeys(db, workspaceId)).map(describe) }
}

export async function getTrustedKey(db: Db, { workspaceId, trustedKeyId }: OneKey) {
  const row = isUuid(trustedKeyId)
    ? await store.findTrustedKey(db, workspaceId, trustedKeyId)
    : undefined
  if (!row) throw notFound('trusted key', trustedKeyId)
  return describe(row)
}

/** As verdicts about images need them. */
export async function readTrustedKeys(db: Db, workspaceId: string): Promise<TrustedKey[]> {
  const rows = await store.listTrustedKeys(db, workspaceId)
  return rows.map(({ id, name, fingerprint, kind, pem }) => ({
    id,
    name,
    fingerprint,
    certificate: kind === 'Certificate' ? readPemCertificate(pem) : undefined,
  }))
}

/** As it is kept, the text has one certificate and nothing else. */
const readPemCertificate = (pem: string): CertificateFacts =>
  recallCertificateFacts(pem.replaceAll(/-----[A-Z ]+-----|\s/g, ''))

/** What signatures are checked with. `ids`: which keys these are. */
export async function listKeysAtHand(
  db: Db,
  workspaceId: string,
): Promise<KeysAtHand & { ids: string }> {
  const rows = await store.listTrustedKeys(db, workspaceId)
  const read = rows.map(({ pem }) => readKeptKey(pem))
  return {
    publicKeys: read.map(({ publicKey }, index) => {
      const minisignKeyId = rows[index]?.minisignKeyId ?? null
      return minisignKeyId === null ? publicKey : { ...publicKey, minisignKeyId }
    }),
    certificates: read.flatMap((key) => (key.kind === 'Certificate' ? [key.certificate.raw] : [])),
    ids: rows
      .map(({ id }) => id)
      .toSorted()
      .join(' '),
  }
}

interface StatedNames {
  name: string
  purpose?: string | null
}

export async function createTrustedKey(
  ctx: AppContext,
  input: StatedNames & { workspaceId: string; key: string; actor: Actor },
) {
  const { workspaceId, actor } = input
  const named = readNames(input)
  const { fields, digest } = describeRead(readStated(input.key))
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockTrustedKeys(tx, workspaceId)
    const present = await store.listTrustedKeys(tx, workspaceId)
    if (present.length >= MOST_KEYS)
      throw new AppError(
        'conflict',
        'too-many-trusted-keys',
        `The workspace trusts ${MOST_KEYS} keys; more are not taken.`,
      )
    await refuseTaken(tx, workspaceId, { digest, name: named.name })
    const [id, at] = [newId(), ctx.now()]
    const made = { createdAt: at, createdByEmail: actor.email ?? null, updatedAt: at }
    await store.insertTrustedKey(tx, { workspaceId, id, ...named, ...fields, digest, ...made })
    const after = tell({ ...named, ...fields })
    await audit(ctx, tx, { workspaceId, actor, id, action: 'trusted-key.create', after })
    await ctx.queue.enqueue(tx, TrustedKeysChanged, { workspaceId })
    await ctx.queue.enqueue(tx, StatementKeysChanged, { workspaceId })
    await ctx.queue.enqueue(tx, SbomKeysChanged, { workspaceId })
    return getTrustedKey(tx, { workspaceId, trustedKeyId: id })
  })
}

function readStated(text: string): ReadKey {
  try {
    return readKey(text)
  } catch (error) {
    if (error instanceof KeyFault) throw invalid(error.message, '/key')
    throw error
  }
}

function describeRead(read: ReadKey): { fields: store.KeyFields; digest: string } {
  const { kind, pem, publicKey } = read
  const { fingerprint, key } = publicKey
  const shared = { kind, pem, fingerprint, algorithm: nameAlgorithm(key) }
  if (read.kind === 'PublicKey') {
    const without = { subject: null, beginsAt: null, endsAt: null }
    const { minisignKeyId } = read
    return { fields: { ...shared, minisignKeyId, ...without }, digest: fingerprint }
  }
  const { certificate } = read
  const facts = readFacts(certificate)
  return {
    fields: {
      ...shared,
      minisignKeyId: null,
      subject: certificate.subject.split('\n').join(', '),
      beginsAt: facts.begins,
      endsAt: facts.ends,
    },
    digest: createHash('sha256').update(certificate.raw).digest('hex'),
  }
}

function readFacts(certificate: X509Certificate): CertificateFacts {
  try {
    return readCertificateFacts(certificate.raw)
  } catch {
    throw invalid('The extensions of the certificate cannot be read.', '/key')
  }
}

async function refuseTaken(
  tx: Tx,
  workspaceId: string,
  asked: { digest?: string; name: string; otherThanId?: string },
): Promise<void> {
  const taken = await store.findTaken(tx, workspaceId, asked)
  if (taken === 'digest')
    throw new AppError('conflict', 'trusted-key-exists', 'The workspace trusts this key already.')
  if (taken === 'name')
    throw new AppError(
      'conflict',
      'trusted-key-name-taken',
      `Another trusted key is called ${asked.name}.`,
    )
}

export async function updateTrustedKey(
  ctx: AppContext,
  input: OneKey & StatedNames & { actor: Actor; precondition?: Precondition | undefined },
) {
  const { workspaceId, actor, precondition } = input
  const named = readNames(input)
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockTrustedKeys(tx, workspaceId)
    const before = await getTrustedKey(tx, input)
    precondition?.(before)
    const { id, name, purpose } = before
    await refuseTaken(tx, workspaceId, { name: named.name, otherThanId: id })
    await store.updateTrustedKey(tx, { workspaceId, id }, { ...named, updatedAt: ctx.now() })
    await audit(ctx, tx, {
      workspaceId,
      actor,
      id,
      action: 'trusted-key.update',
      before: { name, purpose },
      after: named,
    })
    return getTrustedKey(tx, input)
  })
}

export async function deleteTrustedKey(
  ctx: AppContext,
  input: OneKey & { actor: Actor },
): Promise<void> {
  const { workspaceId, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockTrustedKeys(tx, workspaceId)
    const row = await getTrustedKey(tx, input)
    const { id } = row
    await store.deleteTrustedKey(tx, { workspaceId, id })
    const before = { ...tell(row), pem: row.pem }
    await audit(ctx, tx, { workspaceId, actor, id, action: 'trusted-key.delete', before })
  })
}

const readNames = ({ name, purpose = null }: StatedNames): store.NamedFields => ({
  name: readName(name, '/name'),
  purpose,
})

const tell = ({
  name,
  purpose,
  kind,
  fingerprint,
  algorithm,
  subject,
}: store.NamedFields & store.KeyFields) => ({
  name,
  purpose,
  kind,
  fingerprint,
  algorithm,
  subject,
})

interface Audited {
  workspaceId: string
  actor: Actor
  id: string
  action: AuditAction
  before?: object
  after?: object
}

const audit = (ctx: AppContext, tx: Tx, { id: resourceId, ...entry }: Audited) =>
  recordAudit(ctx, tx, { ...entry, resourceType: 'trusted-key', resourceId })
