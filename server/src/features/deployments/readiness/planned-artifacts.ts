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
