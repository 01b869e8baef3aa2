/** Checks the requested artifacts of a deployment against the existing firmware versions. */
import { AppError, type FieldError } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'

export interface RequestedArtifact {
  firmwareVersionId: string
  isMain?: boolean
}

export interface PlannedArtifact {
  firmwareVersionId: string
  isMain: boolean
}

interface KnownVersion {
  id: string
  firmwareId: string
  slug: string
  name: string
}

/** The artifacts in the requested order, exactly one of them the main one. Throws for unknown or conflicting versions. */
export function planArtifacts(
  requested: readonly RequestedArtifact[],
  known: readonly KnownVersion[],
): PlannedArtifact[] {
  const byId = new Map(known.map((version) => [version.id, version]))
  const seen = new Map<string, KnownVersion>()
  const errors: FieldError[] = []
  for (const [index, { firmwareVersionId }] of requested.entries()) {
    const pointer = `/artifacts/${index}/firmwareVersionId`
    const version = byId.get(firmwareVersionId.toLowerCase())
    const other = version && seen.get(version.firmwareId)
    if (!version)
      errors.push({
        pointer,
        detail: `No firmware version has the id ${JSON.stringify(firmwareVersionId)}.`,
      })
    else if (other)
      errors.push({
        pointer,
        detail: `A device can run only one version of ${version.slug}: either ${other.name} or ${version.name}.`,
      })
    else seen.set(version.firmwareId, version)
  }
  const mains = requested.flatMap(({ isMain }, index) => (isMain === true ? [index] : []))
  for (const index of mains.slice(1))
    errors.push({
      pointer: `/artifacts/${index}/isMain`,
      detail: 'Only one artifact can be the main one.',
    })
  const [first] = errors
  if (first) throw new AppError('invalid', 'invalid-request', first.detail, errors)
  const main = mains[0] ?? 0
  return requested.map(({ firmwareVersionId }, index) => ({
    firmwareVersionId: firmwareVersionId.toLowerCase(),
    isMain: index === main,
  }))
}

/** The requested ids that are valid UUIDs. */
export function listRequestedVersionIds(requested: readonly RequestedArtifact[]): string[] {
  return requested.map(({ firmwareVersionId }) => firmwareVersionId).filter(isUuid)
}

export interface FirmwarePart {
  /** hawkBit's type of the software module. */
  part: string
}

/** Why a hawkBit client, known by its user agent, cannot install these parts, as the end of a sentence; undefined: no limitation is known (docs/guide/hawkbit.md). */
export function findClientLimitation(
  client: string | null,
  parts: readonly FirmwarePart[],
): string | undefined {
  // Zephyr's client sends no user agent. It accepts exactly one chunk, of the part bApp.
  if (client === null && (parts.length > 1 || parts.some(({ part }) => part !== 'bApp')))
    return 'send no user agent, like Zephyr\'s client, which installs exactly one artifact, of the part "bApp"'
  // RAUC's client installs the first chunk only and reports success.
  if (client?.startsWith('rauc-hawkbit') && parts.length > 1)
    return `use ${client}, which installs only one artifact`
  return undefined
}
