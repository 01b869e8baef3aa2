/** Which certificates of devices were seen, and who may issue them. */
import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { DeviceIdRule } from '../../formats/x509/certificate.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { KnownKey } from '../devices/index.ts'

/** What is known of a certificate that was seen, and of its issuer now. */
export interface KnownCertificate extends KnownKey {
  is_revoked: boolean
  issuer_id: string
  issuer_not_after: Date
  /** null: no list was uploaded, or certificates are accepted after its end. */
  refused_from: Date | null
}

/** A named statement, as that of keys. */
export async function findCertificate(
  pool: Pool,
  { workspaceId, deviceId, keyHash }: { workspaceId: string; deviceId: string; keyHash: Buffer },
): Promise<KnownCertificate | undefined> {
  const { rows } = await pool.query<KnownCertificate>({
    name: 'find-device-certificate',
    text: `select key.id, key.device_id, key.revoked_at, key.last_used_at, workspace.device_auto_registration,
             issuer.id as issuer_id, issuer.not_after as issuer_not_after,
             case when not issuer.accepts_after_crl_end then issuer.crl_next_update end as refused_from,
             exists (
               select from devices where devices.workspace_id = $1 and devices.id = $2
             ) as is_device_there,
             exists (
               select from device_revocations as revocation
               where revocation.workspace_id = $1 and revocation.issuer_id = key.issuer_id and revocation.serial = key.serial
             ) as is_revoked
           from device_keys as key
           join workspaces as workspace on workspace.id = key.workspace_id
           join device_issuers as issuer on issuer.workspace_id = key.workspace_id and issuer.id = key.issuer_id
           where key.workspace_id = $1 and key.key_hash = $3`,
    values: [workspaceId, deviceId, keyHash],
  })
  return rows[0]
}

export interface IssuerOfDevices extends DeviceIdRule {
  id: string
  certificate: Buffer
  isRevoked: boolean
  isDeviceThere: boolean
  deviceAutoRegistration: boolean
}

/** The authorities that the workspace trusts, and whether each revoked the serial number. */
export async function listIssuersOfDevices(
  db: Db,
  { workspaceId, deviceId, serial }: { workspaceId: string; deviceId: string; serial: string },
): Promise<IssuerOfDevices[]> {
  const { rows } = await sql<IssuerOfDevices>`
    select issuer.id, issuer.certificate, issuer.device_id_field, issuer.device_id_prefix, issuer.device_id_suffix,
      workspace.device_auto_registration,
      exists (select from devices where devices.workspace_id = ${workspaceId} and devices.id = ${deviceId}) as is_device_there,
      exists (
        select from device_revocations as revocation
        where revocation.workspace_id = ${workspaceId} and revocation.issuer_id = issuer.id and revocation.serial = ${serial}
      ) as is_revoked
    from device_issuers as issuer
    join workspaces as workspace on workspace.id = issuer.workspace_id
    where issuer.workspace_id = ${workspaceId}
    order by issuer.created_at, issuer.id`.execute(db)
  return rows
}
