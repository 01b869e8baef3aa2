import { sql } from 'kysely'
import type { DeviceIdRule } from '../../formats/x509/certificate.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface IssuerFields {
  name: string
  acceptsAfterCrlEnd: boolean
}

interface IssuerRow extends IssuerFields, DeviceIdRule {
  id: string
  certificate: Buffer
  subject: string
  notBefore: Date
  notAfter: Date
  crlNumber: string | null
  crlThisUpdate: Date | null
  crlNextUpdate: Date | null
  listedCount: number
  revokedCount: number
  deviceCount: number
  nextEnd: Date | null
  createdAt: Date
  createdByEmail: string | null
  updatedAt: Date
}

/** By name; with an id, that one alone. Devices count whose certificates are in force. */
export async function listIssuers(
  db: Db,
  workspaceId: string,
  { id, now }: { id?: string; now: Date },
): Promise<IssuerRow[]> {
  const { rows } = await sql<IssuerRow>`
    select issuer.id, issuer.name, issuer.certificate, issuer.subject, issuer.not_before, issuer.not_after,
      issuer.device_id_field, issuer.device_id_prefix, issuer.device_id_suffix, issuer.accepts_after_crl_end,
      issuer.crl_number::text as crl_number, issuer.crl_this_update, issuer.crl_next_update,
      issuer.created_at, issuer.created_by_email, issuer.updated_at,
      revocations.listed_count, revocations.revoked_count, certificates.device_count, certificates.next_end
    from device_issuers as issuer
    cross join lateral (
      select (count(*) filter (where revocation.is_listed))::int as listed_count,
        (count(*) filter (where not revocation.is_listed))::int as revoked_count
      from device_revocations as revocation
      where revocation.workspace_id = ${workspaceId} and revocation.issuer_id = issuer.id) as revocations
    cross join lateral (
      select count(distinct key.device_id)::int as device_count, min(key.expires_at) as next_end
      from device_keys as key
      where key.workspace_id = ${workspaceId} and key.issuer_id = issuer.id
        and key.revoked_at is null and key.expires_at > ${now}) as certificates
    where issuer.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`issuer.id = ${id}`}
    order by lower(issuer.name), issuer.id`.execute(db)
  return rows
}

/** So that the number of issuers, and the revocation list of one, change one after the other. */
export async function lockIssuers(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`device-issuers ${workspaceId}`}, 0))`.execute(
    tx,
  )
}

export interface NewIssuer extends IssuerFields, DeviceIdRule {
  workspaceId: string
  id: string
  certificate: Buffer
  subject: string
  keyHash: Buffer
  notBefore: Date
  notAfter: Date
  createdAt: Date
  createdByEmail: string | null
}

export async function insertIssuer(tx: Tx, row: NewIssuer): Promise<void> {
  await tx
    .insertInto('deviceIssuers')
    .values({ ...row, updatedAt: row.createdAt })
    .execute()
}

/** Answers the workspace to which the key belongs now: this one, unless another one was first. */
export async function claimKey(
  tx: Tx,
  { workspaceId, keyHash }: { workspaceId: string; keyHash: Buffer },
): Promise<string | undefined> {
  await tx
    .insertInto('deviceIssuerKeys')
    .values({ workspaceId, keyHash })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await tx
    .selectFrom('deviceIssuerKeys')
    .select('workspaceId')
    .where('keyHash', '=', keyHash)
    .executeTakeFirst()
  return row?.workspaceId
}

export async function updateIssuer(
  tx: Tx,
  row: IssuerFields & { workspaceId: string; id: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId, id, ...fields } = row
  await tx
    .updateTable('deviceIssuers')
    .set(fields)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function updateRevocationList(
  tx: Tx,
  row: {
    workspaceId: string
    id: string
    crlNumber: string | null
    crlThisUpdate: Date
    crlNextUpdate: Date
  },
): Promise<void> {
  const { workspaceId, id, ...list } = row
  await tx
    .updateTable('deviceIssuers')
    .set(list)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Its certificates and revocations go with it, and its key belongs to no workspace any more. */
export async function deleteIssuer(
  tx: Tx,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  const rows = await tx
    .deleteFrom('deviceIssuers')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .returning('keyHash')
    .execute()
  for (const { keyHash } of rows)
    await tx
      .deleteFrom('deviceIssuerKeys')
      .where('keyHash', '=', keyHash)
      .where('workspaceId', '=', workspaceId)
      .execute()
}

export interface ListedRevocation {
  serial: string
  isListed: boolean
  revokedAt: Date
  revokedByEmail: string | null
  deviceId: string | null
}

/** The newest first. */
export async function listRevocations(
  db: Db,
  { workspaceId, issuerId, limit }: { workspaceId: string; issuerId: string; limit: number },
): Promise<ListedRevocation[]> {
  const { rows } = await sql<ListedRevocation>`
    select revocation.serial, revocation.is_listed, revocation.revoked_at, revocation.revoked_by_email,
      (select min(key.device_id) from device_keys as key
        where key.workspace_id = ${workspaceId} and key.issuer_id = ${issuerId} and key.serial = revocation.serial) as device_id
    from device_revocations as revocation
    where revocation.workspace_id = ${workspaceId} and revocation.issuer_id = ${issuerId}
    order by revocation.revoked_at desc, revocation.serial
    limit ${limit}`.execute(db)
  return rows
}
