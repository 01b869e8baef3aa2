/** Which packages a statement of a workspace is about. */
import { listPackageKeys, type PackageIdentity } from '../../formats/identity.ts'
import { compareVersions } from '../../formats/versions/compare.ts'

interface Choice {
  keys: readonly string[]
  versionFrom: string | null
  versionBefore: string | null
}

/** Where a package has several versions under the names, one of them suffices. A version that cannot be compared is in no range. */
export function isChosen(
  { keys, versionFrom, versionBefore }: Choice,
  { pairs }: Pick<PackageIdentity, 'pairs'>,
): boolean {
  return pairs.some(
    (pair) =>
      listPackageKeys({ pairs: [pair] }).some((key) => keys.includes(key)) &&
      isAtLeast(pair.version, versionFrom) &&
      isBefore(pair.version, versionBefore),
  )
}

function isAtLeast(version: string, from: string | null): boolean {
  if (from === null) return true
  const order = compareVersions('generic', version, from)
  return order !== undefined && order >= 0
}

function isBefore(version: string, before: string | null): boolean {
  if (before === null) return true
  const order = compareVersions('generic', version, before)
  return order !== undefined && order < 0
}
