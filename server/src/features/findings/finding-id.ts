/** A finding's id encodes firmware version, package and vulnerability. Clients must treat it as opaque. */

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
