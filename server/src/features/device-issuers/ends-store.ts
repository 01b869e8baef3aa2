/** When authorities that issue certificates of devices end, and those certificates themselves. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface IssuerEnds {
  id: string
  name: string
  endsAt: Date
  /** Devices whose latest certificate is of this issuer, whether it has ended or not. */
  deviceCount: number
  /** Of these, whose certificate ends until the day that is asked, and the first end among them. */
  endingCount: number
  firstEndsAt: Date | null
  /** Of these, whose certificate has ended, and the latest end among them. */
  endedCount: number
  lastEndedAt: Date | null
}

/**
 * A device counts by the certificate of its own that ends last, of any issuer, so that it is over once it has shown a new one.
 * An issuer is left out that no device needs any more and whose subject has a certificate that ends later.
 */
export async function listIssuerEnds(
  db: Db,
  { workspaceId, at, until }: { workspaceId: string; at: Date; until: Date },
): Promise<IssuerEnds[]> {
  const { rows } = await sql<IssuerEnds>`
    with latest as (
      select distinct on (key.device_id) key.issuer_id, key.expires_at
      from device_keys as key
      where key.workspace_id = ${workspaceId} and key.issuer_id is not null and key.revoked_at is null
      order by key.device_id, key.expires_at desc
    ), devices as (
      select latest.issuer_id, count(*)::int as device_count,
        (count(*) filter (where latest.expires_at > ${at} and latest.expires_at <= ${until}))::int as ending_count,
        min(latest.expires_at) filter (where latest.expires_at > ${at}) as first_ends_at,
        (count(*) filter (where latest.expires_at <= ${at}))::int as ended_count,
        max(latest.expires_at) filter (where latest.expires_at <= ${at}) as last_ended_at
      from latest
      group by latest.issuer_id
    )
    select issuer.id, issuer.name, issuer.not_after as ends_at, coalesce(devices.device_count, 0) as device_count,
      coalesce(devices.ending_count, 0) as ending_count, devices.first_ends_at,
      coalesce(devices.ended_count, 0) as ended_count, devices.last_ended_at
    from device_issuers as issuer
    left join devices on devices.issuer_id = issuer.id
    where issuer.workspace_id = ${workspaceId} and (devices.device_count > 0 or not exists (
      select from device_issuers as later
      where later.workspace_id = ${workspaceId} and later.not_after > issuer.not_after and later.subject = issuer.subject))
    order by issuer.not_after, issuer.id`.execute(db)
  return rows
}

export async function hasDeviceIssuers(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom('deviceIssuers')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
