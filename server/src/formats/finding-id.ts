/** A finding's id encodes firmware version, package and vulnerability, in TypeScript and as SQL. Clients must treat it as opaque. */

export interface FindingKey {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
}

const UUID_BYTES = 16
/** Ids of vulnerabilities have at most 150 bytes. */
const MOST_BYTES = 2 * UUID_BYTES + 150

export function encodeFindingId({
  firmwareVersionId,
  packageId,
  vulnerabilityId,
}: FindingKey): string {
  const bytes = [parseUuid(firmwareVersionId), parseUuid(packageId), Buffer.from(vulnerabilityId)]
  return Buffer.concat(bytes).toString('base64url')
}

/** undefined: the text is not the id of a finding. */
export function decodeFindingId(id: string): FindingKey | undefined {
  if (!/^[\w-]+$/.test(id)) return undefined
  const bytes = Buffer.from(id, 'base64url')
  if (bytes.length <= 2 * UUID_BYTES || bytes.length > MOST_BYTES) return undefined
  // Accept only the exact text that encodeFindingId writes.
  const vulnerabilityId = bytes.toString('utf8', 2 * UUID_BYTES)
  if (!/^[\x21-\x7e]+$/.test(vulnerabilityId) || bytes.toString('base64url') !== id)
    return undefined
  return {
    firmwareVersionId: uuidAt(bytes, 0),
    packageId: uuidAt(bytes, UUID_BYTES),
    vulnerabilityId,
  }
}

function parseUuid(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidAt(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + UUID_BYTES)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** `encodeFindingId` as SQL: of expressions for the three parts. */
export function encodeFindingIdSql(finding: Record<keyof FindingKey, string>): string {
  const { firmwareVersionId, packageId, vulnerabilityId } = finding
  const bytes = `uuid_send(${firmwareVersionId}) || uuid_send(${packageId})
    || convert_to(${vulnerabilityId}, 'UTF8')`
  // PostgreSQL breaks base64 into lines, and knows no base64url before version 19.
  return String.raw`translate(encode(${bytes}, 'base64'), E'+/=\n', '-_')`
}

/** The three columns that a valid id encodes, as SQL. */
export function decodeFindingIdSql(id: string): string {
  const padding = `repeat('=', (4 - length(${id}) % 4) % 4)`
  const bytes = `decode(translate(${id}, '-_', '+/') || ${padding}, 'base64')`
  return `encode(substring(${bytes} from 1 for 16), 'hex')::uuid as firmware_version_id,
    encode(substring(${bytes} from 17 for 16), 'hex')::uuid as package_id,
    convert_from(substring(${bytes} from 33), 'UTF8') collate "C" as vulnerability_id`
}
