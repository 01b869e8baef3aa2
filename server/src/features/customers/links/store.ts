/** Addresses that others read without a key. Of tokens the hashes alone are kept. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export const DOCUMENT_KINDS = ['Vex', 'Sbom', 'Support'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

export interface NewLink {
  workspaceId: string
  id: string
  name: string
  tokenHash: Buffer | null
  customerId: string | null
  firmwareId: string | null
  lineId: string | null
  firmwareVersionId: string | null
  documents: DocumentKind[] | null
  createdAt: Date
  createdByEmail: string | null
  endsAt: Date | null
}

export async function insertLink(tx: Tx, row: NewLink): Promise<void> {
  await tx.insertInto('sharedLinks').values(row).execute()
}

export interface CustomerLinkRow {
  id: string
  name: string
  createdAt: Date
  createdByEmail: string | null
  endsAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  uses: number
}

/** The newest first, those that were revoked or have ended, too. */
export async function listCustomerLinks(
  db: Db,
  workspaceId: string,
  customerId: string,
): Promise<CustomerLinkRow[]> {
  const { rows } = await sql<CustomerLinkRow>`
    select id, name, created_at, created_by_email, ends_at, revoked_at, last_used_at, uses::int as uses
    from shared_links
    where workspace_id = ${workspaceId} and customer_id = ${customerId}
    order by created_at desc, id desc`.execute(db)
  return rows
}

interface Named {
  id: string
  name: string
}

export interface StandingAddressRow extends CustomerLinkRow {
  firmware: Named
  line: Named | null
  firmwareVersion: Named | null
  documents: DocumentKind[]
  isPublic: boolean
}

/** The newest first; with an id, that one alone. */
export async function listStandingAddresses(
  db: Db,
  workspaceId: string,
  id?: string,
): Promise<StandingAddressRow[]> {
  const { rows } = await sql<StandingAddressRow>`
    select link.id, link.name, link.created_at, link.created_by_email, link.ends_at, link.revoked_at, link.last_used_at,
      link.uses::int as uses, link.documents, link.token_hash is null as is_public,
      json_build_object('id', firmware.id, 'name', firmware.name) as firmware,
      case when line.id is not null then json_build_object('id', line.id, 'name', line.name) end as line,
      case when version.id is not null then json_build_object('id', version.id, 'name', version.name) end as firmware_version
    from shared_links as link
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = link.firmware_id
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = link.line_id
    left join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = link.firmware_version_id
    where link.workspace_id = ${workspaceId} and ${id === undefined ? sql`true` : sql`link.id = ${id}`}
    order by link.created_at desc, link.id desc`.execute(db)
  return rows
}

/** Links of a customer; null: standing addresses. Those that work count. */
export async function countWorkingLinks(
  tx: Tx,
  workspaceId: string,
  { customerId, now }: { customerId: string | null; now: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from shared_links
    where workspace_id = ${workspaceId} and customer_id is not distinct from ${customerId}::uuid
      and revoked_at is null and (ends_at is null or ends_at > ${now})`.execute(tx)
  return rows[0]?.count ?? 0
}

/** undefined: there is no such link, or it was revoked before. */
export async function revokeLink(
  tx: Tx,
  {
    workspaceId,
    id,
    customerId,
    at,
  }: { workspaceId: string; id: string; customerId: string | null; at: Date },
): Promise<{ name: string } | undefined> {
  const { rows } = await sql<{ name: string }>`
    update shared_links set revoked_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and customer_id is not distinct from ${customerId}::uuid
      and revoked_at is null
    returning name`.execute(tx)
  return rows[0]
}

export interface WorkingCustomerLink {
  id: string
  name: string
  endsAt: Date
  customerId: string
  customerName: string
}

export async function findCustomerLink(
  db: Db,
  { workspaceId, tokenHash, now }: { workspaceId: string; tokenHash: Buffer; now: Date },
): Promise<WorkingCustomerLink | undefined> {
  const { rows } = await sql<WorkingCustomerLink>`
    select link.id, link.name, link.ends_at, customer.id as customer_id, customer.name as customer_name
    from shared_links as link
    join customers as customer on customer.workspace_id = ${workspaceId} and customer.id = link.customer_id
    where link.workspace_id = ${workspaceId} and link.token_hash = ${tokenHash}
      and link.revoked_at is null and link.ends_at > ${now}`.execute(db)
  return rows[0]
}

export interface WorkingAddress {
  id: string
  name: string
  isPublic: boolean
  endsAt: Date | null
  firmwareId: string
  lineId: string | null
  firmwareVersionId: string | null
  documents: DocumentKind[]
}

/** A public address works with any token, and without one. */
export async function findAddress(
  db: Db,
  {
    workspaceId,
    id,
    tokenHash,
    now,
  }: { workspaceId: string; id: string; tokenHash: Buffer | null; now: Date },
): Promise<WorkingAddress | undefined> {
  const { rows } = await sql<WorkingAddress>`
    select id, name, token_hash is null as is_public, ends_at, firmware_id, line_id, firmware_version_id, documents
    from shared_links
    where workspace_id = ${workspaceId} and id = ${id} and firmware_id is not null
      and (token_hash is null or token_hash = ${tokenHash}::bytea)
      and revoked_at is null and (ends_at is null or ends_at > ${now})`.execute(db)
  return rows[0]
}

export interface CountedUse {
  /** Uses that the audit log has not told of, with this one. */
  untold: number
  isDue: boolean
}

/** Counts the use, and says whether the audit log is to tell of it: it does once in a while, of all uses since. */
export async function countUse(
  tx: Tx,
  {
    workspaceId,
    id,
    now,
    toldBefore,
  }: { workspaceId: string; id: string; now: Date; toldBefore: Date },
): Promise<CountedUse | undefined> {
  const { rows } = await sql<CountedUse>`
    with before as (
      select told_uses, (told_at is null or told_at <= ${toldBefore}) as is_due
      from shared_links where workspace_id = ${workspaceId} and id = ${id} for no key update
    )
    update shared_links as link set uses = link.uses + 1, last_used_at = ${now},
      told_uses = case when before.is_due then link.uses + 1 else link.told_uses end,
      told_at = case when before.is_due then ${now} else link.told_at end
    from before
    where link.workspace_id = ${workspaceId} and link.id = ${id}
    returning (link.uses - before.told_uses)::int as untold, before.is_due`.execute(tx)
  return rows[0]
}
