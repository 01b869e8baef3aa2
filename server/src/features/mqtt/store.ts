import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

interface JudgedConnection {
  id: string
  /** Its device was deleted, its key was revoked, or its certificate is not in force. */
  isRefused: boolean
  /** Of a certificate: when it, its issuer or the revocation list ends, as it is known now. */
  validUntil: Date | null
}

/** Leaves out connections by keys that go on. */
export async function judgeConnections(
  db: Db,
  workspaceId: string,
  {
    now,
    connections,
  }: { now: Date; connections: readonly { id: string; deviceId: string; keyId: string }[] },
): Promise<JudgedConnection[]> {
  const { rows } = await sql<JudgedConnection>`
    select judged.id, judged.is_refused, judged.valid_until
    from (
      select connection.id, ended.at as valid_until,
        device.id is null or key.id is null or coalesce(ended.at <= ${now}, false) as is_refused
      from json_to_recordset(${JSON.stringify(connections)}::json)
        as connection (id uuid, "deviceId" text, "keyId" uuid)
      left join devices as device
        on device.workspace_id = ${workspaceId} and device.id = connection."deviceId"
      left join device_keys as key
        on key.workspace_id = ${workspaceId} and key.id = connection."keyId" and key.revoked_at is null
      left join device_issuers as issuer
        on issuer.workspace_id = ${workspaceId} and issuer.id = key.issuer_id
      cross join lateral (
        select least(key.expires_at, issuer.not_after,
          case when not issuer.accepts_after_crl_end then issuer.crl_next_update end) as at
      ) as ended
    ) as judged
    where judged.is_refused or judged.valid_until is not null`.execute(db)
  return rows
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
