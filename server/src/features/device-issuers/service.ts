/** Authorities whose certificates let devices in: what a workspace trusts, and what is revoked. */
import { X509Certificate } from 'node:crypto'
import { addMs } from '../../formats/instants.ts'
import { readName } from '../../formats/one-line-name.ts'
import {
  describeSubject,
  type DeviceIdRule,
  findAuthorityFault,
  findTimeFault,
  hashPublicKey,
  MalformedCertificate,
  parseCertificate,
  readSerial,
} from '../../formats/x509/certificate.ts'
import { parseRevocationList, RefusedRevocationList } from '../../formats/x509/revocation-list.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { revokeSerial, signalRecheck, takeRevocationList } from '../devices/index.ts'
import { findProofFault, nameProof } from './proof.ts'
import { decideStanding } from './standing.ts'
import * as store from './store.ts'

interface OneIssuer {
  workspaceId: string
  deviceIssuerId: string
}

type Reading = Pick<AppContext, 'now'>

const MOST_ISSUERS = 20
const MOST_REVOCATIONS = 1_000
/** By as much the clock of an authority may be ahead of ours, which uploads its list as soon as it is signed. */
const CLOCK_AHEAD_MS = 5 * 60_000

export async function listDeviceIssuers(
  ctx: Reading,
  db: Db,
  { workspaceId }: { workspaceId: string },
) {
  const now = ctx.now()
  const rows = await store.listIssuers(db, workspaceId, { now })
  return {
    proofName: nameProof(workspaceId),
    deviceIssuers: rows.map((row) => describe(row, now)),
  }
}

export async function getDeviceIssuer(ctx: Reading, db: Db, one: OneIssuer) {
  return describe(await findIssuer(ctx, db, one), ctx.now())
}

async function findIssuer(ctx: Reading, db: Db, { workspaceId, deviceIssuerId: id }: OneIssuer) {
  const [row] = isUuid(id) ? await store.listIssuers(db, workspaceId, { id, now: ctx.now() }) : []
  if (!row) throw notFound('device issuer', id)
  return row
}

function describe(row: Awaited<ReturnType<typeof store.listIssuers>>[number], now: Date) {
  const { certificate, crlNumber, crlThisUpdate, crlNextUpdate, ...others } = row
  const { listedCount, nextEnd, ...shown } = others
  const revocationList =
    crlThisUpdate && crlNextUpdate
      ? {
          number: crlNumber,
          thisUpdate: crlThisUpdate,
          nextUpdate: crlNextUpdate,
          revokedCount: listedCount,
        }
      : null
  return {
    ...shown,
    certificate: new X509Certificate(certificate).toString(),
    nextEndAt: nextEnd,
    revocationList,
    ...decideStanding({ ...row, revocationList }, now),
  }
}

interface CreateIssuer extends Partial<DeviceIdRule> {
  workspaceId: string
  name: string
  certificate: string
  proof: string
  actor: Actor
}

/** Whoever adds an authority proves to hold its key, and its key is of one workspace alone (decision 115). */
export async function createDeviceIssuer(ctx: AppContext, input: CreateIssuer) {
  const { workspaceId, actor } = input
  const { deviceIdField = 'CommonName', deviceIdPrefix = '', deviceIdSuffix = '' } = input
  const name = readName(input.name)
  const issuer = readAuthority(input.certificate, ctx.now())
  const proof = readPem(input.proof, '/proof')
  const fault = findProofFault(proof, { workspaceId, issuer })
  if (fault !== undefined) throw invalid(`The proof is refused: ${fault}.`, '/proof')
  const keyHash = hashPublicKey(issuer)
  const rule = { deviceIdField, deviceIdPrefix, deviceIdSuffix }
  const after = { name, subject: describeSubject(issuer), ...rule }
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockIssuers(tx, workspaceId)
    await refuseMore(ctx, tx, { workspaceId, keyHash })
    const id = newId()
    const times = { notBefore: issuer.validFromDate, notAfter: issuer.validToDate }
    const made = { createdAt: ctx.now(), createdByEmail: actor.email ?? null }
    await store.insertIssuer(tx, {
      workspaceId,
      id,
      keyHash,
      certificate: issuer.raw,
      acceptsAfterCrlEnd: false,
      ...after,
      ...times,
      ...made,
    })
    await audit(ctx, tx, { workspaceId, actor, id, action: 'device-issuer.create', after })
    return getDeviceIssuer(ctx, tx, { workspaceId, deviceIssuerId: id })
  })
}

function readAuthority(text: string, now: Date): X509Certificate {
  const issuer = readPem(text, '/certificate')
  const fault = findAuthorityFault(issuer) ?? findTimeFault(issuer, now)
  if (fault !== undefined) throw invalid(`The certificate is refused: ${fault}.`, '/certificate')
  return issuer
}

function readPem(text: string, pointer: string): X509Certificate {
  try {
    return parseCertificate(text)
  } catch (error) {
    if (!(error instanceof MalformedCertificate)) throw error
    throw invalid(`The certificate cannot be used: ${error.message}.`, pointer)
  }
}

async function refuseMore(
  ctx: Reading,
  tx: Tx,
  { workspaceId, keyHash }: { workspaceId: string; keyHash: Buffer },
): Promise<void> {
  const known = await store.listIssuers(tx, workspaceId, { now: ctx.now() })
  if (known.length >= MOST_ISSUERS)
    throw new AppError(
      'conflict',
      'too-many-device-issuers',
      `The workspace trusts ${MOST_ISSUERS} issuers; more are not taken.`,
    )
  const same = known.find(({ certificate }) =>
    hashPublicKey(new X509Certificate(certificate)).equals(keyHash),
  )
  if (same)
    throw new AppError(
      'conflict',
      'device-issuer-exists',
      `${JSON.stringify(same.name)} has this key already.`,
    )
  if ((await store.claimKey(tx, { workspaceId, keyHash })) !== workspaceId)
    throw new AppError(
      'conflict',
      'device-issuer-of-other-workspace',
      'Another workspace of this service trusts the issuer with this key. A key issues for one workspace alone.',
    )
}

interface AuditedChange {
  workspaceId: string
  actor: Actor
  id: string
  action: AuditAction
  before?: object
  after?: object
}

async function audit(ctx: AppContext, tx: Tx, { id, ...entry }: AuditedChange): Promise<void> {
  await recordAudit(ctx, tx, { ...entry, resourceType: 'device-issuer', resourceId: id })
}

interface Change extends OneIssuer {
  actor: Actor
}

export async function changeDeviceIssuer(
  ctx: AppContext,
  input: Change & store.IssuerFields & { precondition?: Precondition | undefined },
) {
  const { workspaceId, deviceIssuerId: id, actor, acceptsAfterCrlEnd } = input
  const after = { name: readName(input.name), acceptsAfterCrlEnd }
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockIssuers(tx, workspaceId)
    const known = await findIssuer(ctx, tx, input)
    input.precondition?.(describe(known, ctx.now()))
    await store.updateIssuer(tx, { workspaceId, id, ...after, updatedAt: ctx.now() })
    if (known.acceptsAfterCrlEnd && !acceptsAfterCrlEnd) await signalRecheck(tx, workspaceId)
    const before = { name: known.name, acceptsAfterCrlEnd: known.acceptsAfterCrlEnd }
    await audit(ctx, tx, { workspaceId, actor, id, action: 'device-issuer.update', before, after })
    return getDeviceIssuer(ctx, tx, input)
  })
}

/** Its certificates are refused from now on, and their connections end. */
export async function deleteDeviceIssuer(ctx: AppContext, input: Change): Promise<void> {
  const { workspaceId, deviceIssuerId: id, actor } = input
  await ctx.db.transaction().execute(async (tx) => {
    await store.lockIssuers(tx, workspaceId)
    const { name, subject, deviceCount } = await findIssuer(ctx, tx, input)
    await store.deleteIssuer(tx, { workspaceId, id })
    await signalRecheck(tx, workspaceId)
    const before = { name, subject, deviceCount }
    await audit(ctx, tx, { workspaceId, actor, id, action: 'device-issuer.delete', before })
  })
}

/** What the list names is refused from now on, and its connections end. */
export async function uploadRevocationList(ctx: AppContext, input: Change & { crl: string }) {
  const { workspaceId, deviceIssuerId: id, actor } = input
  const { certificate } = await findIssuer(ctx, ctx.db, input)
  const list = readList(input.crl, new X509Certificate(certificate))
  const now = ctx.now()
  if (addMs(now, CLOCK_AHEAD_MS) < list.thisUpdate)
    throw invalid(
      `The list is refused: it holds from ${list.thisUpdate.toISOString()} on, and now it is ${now.toISOString()}.`,
      '/crl',
    )
  if (now >= list.nextUpdate)
    throw invalid(
      `The list is refused: it ended at ${list.nextUpdate.toISOString()}. Upload the newest one.`,
      '/crl',
    )
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockIssuers(tx, workspaceId)
    refuseOlder(list, await findIssuer(ctx, tx, input))
    const { number: crlNumber, thisUpdate: crlThisUpdate, nextUpdate: crlNextUpdate } = list
    const times = { crlNumber, crlThisUpdate, crlNextUpdate }
    await store.updateRevocationList(tx, { workspaceId, id, ...times })
    const { revoked } = list
    const taken = { workspaceId, issuerId: id, revokedAt: now, revoked }
    const marked = await takeRevocationList(tx, taken)
    const answer = {
      revokedCount: revoked.length,
      newlyRevokedCount: marked.revoked,
      restoredCount: marked.restored,
      nextUpdate: list.nextUpdate,
    }
    const entry = { workspaceId, actor, id, after: answer }
    await audit(ctx, tx, { ...entry, action: 'device-issuer.take-revocation-list' })
    return answer
  })
}

function readList(text: string, issuer: X509Certificate) {
  try {
    return parseRevocationList(text, issuer)
  } catch (error) {
    if (!(error instanceof RefusedRevocationList)) throw error
    throw invalid(`The list is refused: ${error.message}.`, '/crl')
  }
}

/** An older list would forget revocations: its authority signed it, but somebody else may bring it. */
function refuseOlder(
  { number, thisUpdate }: { number: string | null; thisUpdate: Date },
  { crlNumber, crlThisUpdate }: { crlNumber: string | null; crlThisUpdate: Date | null },
): void {
  const isOlder =
    (crlThisUpdate !== null && thisUpdate < crlThisUpdate) ||
    (number !== null && crlNumber !== null && BigInt(number) < BigInt(crlNumber))
  if (isOlder)
    throw new AppError(
      'conflict',
      'revocation-list-outdated',
      `The list of ${crlThisUpdate?.toISOString() ?? 'before'} is known already, which is newer.`,
    )
}

/** Whether the certificate was seen or not; revoking it again changes nothing. */
export async function revokeCertificate(ctx: AppContext, input: Change & { serial: string }) {
  const { workspaceId, deviceIssuerId: id, actor } = input
  const serial = readSerial(input.serial)
  if (serial === undefined)
    throw invalid(
      `${JSON.stringify(input.serial)} is not a serial number: write it in hexadecimal, as openssl x509 -serial prints it.`,
      '/serial',
    )
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockIssuers(tx, workspaceId)
    const { name } = await findIssuer(ctx, tx, input)
    const revokedAt = ctx.now()
    const row = { workspaceId, issuerId: id, serial, revokedAt }
    const { isNew, revoked } = await revokeSerial(tx, {
      ...row,
      revokedByEmail: actor.email ?? null,
    })
    const after = { serial, issuer: name }
    const entry = { workspaceId, actor, id, after }
    if (isNew) await audit(ctx, tx, { ...entry, action: 'device-issuer.revoke-certificate' })
    return { serial, seenCount: revoked }
  })
}

export async function listDeviceRevocations(ctx: Reading, db: Db, one: OneIssuer) {
  const { id: issuerId } = await findIssuer(ctx, db, one)
  const { workspaceId } = one
  const asked = { workspaceId, issuerId, limit: MOST_REVOCATIONS }
  return { revocations: await store.listRevocations(db, asked) }
}
