import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { RoleKey } from '../roles/store.ts'
import type { VersionKey } from '../store.ts'

export interface AddressRow {
  id: string
  /** As stored: encrypted, if the operator has a key. */
  secret: Buffer
  role: string
  baseVersionId: string | null
  createdAt: Date
  createdByEmail: string | null
  endsAt: Date
  uses: number
  lastUsedAt: Date | null
}

const COLUMNS = [
  'id',
  'secret',
  'role',
  'baseVersionId',
  'createdAt',
  'createdByEmail',
  'endsAt',
  'uses',
  'lastUsedAt',
] as const

/** The newest first, those that have ended, too. */
export async function listAddresses(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
): Promise<AddressRow[]> {
  return db
    .selectFrom('artifactAddresses')
    .select(COLUMNS)
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function insertAddress(
  tx: Tx,
  row: RoleKey & Pick<AddressRow, 'id' | 'secret' | 'createdAt' | 'createdByEmail' | 'endsAt'>,
): Promise<void> {
  await tx.insertInto('artifactAddresses').values(row).execute()
}

export async function deleteAddress(
  tx: Tx,
  { workspaceId, firmwareVersionId, id }: VersionKey & { id: string },
): Promise<AddressRow | undefined> {
  return tx
    .deleteFrom('artifactAddresses')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst()
}

export interface AddressedFile {
  workspaceId: string
  firmwareVersionId: string
  blobId: string
  fileName: string
  sizeBytes: number
  sha256: string
  /** Of the address, as stored. */
  secret: Buffer
}

/** The file that stands at an address now. undefined: the address has ended, or nothing was uploaded there. */
export async function findAddressed(
  db: Db,
  { workspaceId, id, now }: { workspaceId: string; id: string; now: Date },
): Promise<AddressedFile | undefined> {
  const { rows } = await sql<AddressedFile>`
    select address.workspace_id, address.secret, file.firmware_version_id, file.blob_id, file.file_name, file.size_bytes, file.sha256
    from artifact_addresses as address
    cross join lateral (
      select firmware_version_id, blob_id, file_name, size_bytes, sha256 from firmware_artifacts
      where workspace_id = ${workspaceId} and firmware_version_id = address.firmware_version_id and address.role = 'image'
      union all
      select firmware_version_id, blob_id, file_name, size_bytes, sha256 from firmware_role_artifacts
      where workspace_id = ${workspaceId} and firmware_version_id = address.firmware_version_id and role = address.role
        and base_version_id is not distinct from address.base_version_id) as file
    where address.workspace_id = ${workspaceId} and address.id = ${id} and address.ends_at > ${now}`.execute(
    db,
  )
  return rows[0]
}

export async function addUses(
  db: Db,
  { workspaceId, id, uses, now }: { workspaceId: string; id: string; uses: number; now: Date },
): Promise<void> {
  await sql`
    update artifact_addresses set uses = uses + ${uses}, last_used_at = greatest(last_used_at, ${now})
    where workspace_id = ${workspaceId} and id = ${id}`.execute(db)
}
