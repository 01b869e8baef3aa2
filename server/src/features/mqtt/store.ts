import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

/** The connections whose device was deleted, whose key was revoked, or whose certificate is not in force. */
export async function listRefusedConnections(
  db: Db,
  workspaceId: string,
  {
    now,
    connections,
  }: { now: Date; connections: readonly { id: string; deviceId: string; keyId: string }[] },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select connection.id
    from json_to_recordset(${JSON.stringify(connections)}::json)
      as connection (id uuid, "deviceId" text, "keyId" uuid)
    where not exists (
        select from devices
        where devices.workspace_id = ${workspaceId} and devices.id = connection."deviceId"
      )
      or not exists (
        select from device_keys as key
        left join device_issuers as issuer
          on issuer.workspace_id = ${workspaceId} and issuer.id = key.issuer_id
        where key.workspace_id = ${workspaceId} and key.id = connection."keyId" and key.revoked_at is null
          and (key.issuer_id is null or (
            key.expires_at > ${now} and issuer.not_after > ${now}
            and (issuer.accepts_after_crl_end or coalesce(issuer.crl_next_update > ${now}, true))))
      )`.execute(db)
  return rows.map(({ id }) => id)
}

/** The ids after `after`, in order. */
export async function listDeviceIds(
  db: Db,
  workspaceId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('devices')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}
