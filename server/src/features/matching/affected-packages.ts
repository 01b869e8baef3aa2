/** What advisories say is affected and fixed, for people to look at. */
import type {
  AdvisorySource,
  AffectedStatement,
  VersionStatement,
} from '../../formats/advisories/model.ts'
import { compareVersions } from '../../formats/versions/compare.ts'
import { listAffectedRanges } from './affected-ranges.ts'

export interface AffectedRow {
  source: AdvisorySource
  advisoryId: string
  key: string
  statements: AffectedStatement[]
}

interface AffectedVersions {
  cpe: string | null
  versionStartIncluding: string | null
  versionStartExcluding: string | null
  versionEndIncluding: string | null
  versionEndExcluding: string | null
}

/** A limit to the shown versions: a statement may list every version of a product. */
const MOST_VERSIONS = 200

export function groupAffectedPackages(rows: readonly AffectedRow[]) {
  const packages = rows.flatMap(({ source, advisoryId, statements }) =>
    statements.flatMap((statement) => {
      const versions = listAffectedRanges(statement).flatMap(listBounds)
      if (versions.length === 0) return []
      const { purl = null, packageName = null, vendor = null } = statement
      return [
        {
          purl,
          packageName,
          vendor,
          source,
          advisoryId,
          versions: versions.slice(0, MOST_VERSIONS),
        },
      ]
    }),
  )
  return [...new Map(packages.map((one) => [JSON.stringify(one), one])).values()]
}

function listBounds(entry: VersionStatement): AffectedVersions[] {
  const cpe = entry.cpe ?? null
  const none = {
    versionStartIncluding: null,
    versionStartExcluding: null,
    versionEndIncluding: null,
    versionEndExcluding: null,
  }
  if (entry.versions)
    return entry.versions.map((version) => ({
      ...none,
      cpe,
      versionStartIncluding: version,
      versionEndIncluding: version,
    }))
  return [
    {
      cpe,
      versionStartIncluding: entry.introduced ?? null,
      versionStartExcluding: entry.introducedAfter ?? null,
      versionEndIncluding: entry.lastAffected ?? null,
      versionEndExcluding: entry.fixed ?? null,
    },
  ]
}

/** Versions later than this one that end an affected range, in ascending order. */
export function listFixedVersions(rows: readonly AffectedRow[], version: string | null): string[] {
  const statements = rows.flatMap((row) => row.statements)
  const found = new Map<string, AffectedStatement['scheme']>()
  for (const { scheme, versions } of statements) {
    const later = versions.flatMap(listFixes).filter((fix) => isLater(scheme, fix, version))
    for (const fix of later) if (!found.has(fix)) found.set(fix, scheme)
  }
  return [...found.keys()].toSorted(
    (a, b) => compareVersions(found.get(a) ?? 'generic', a, b) ?? (a < b ? -1 : 1),
  )
}

function isLater(
  scheme: AffectedStatement['scheme'],
  fix: string,
  version: string | null,
): boolean {
  return version === null || (compareVersions(scheme, fix, version) ?? -1) > 0
}

/** The kernel's records name the first releases that are no longer affected. */
function listFixes({ status, fixed, fixedIsDerived, introduced }: VersionStatement): string[] {
  if (status === 'affected') return fixed !== undefined && fixedIsDerived !== true ? [fixed] : []
  return status === 'unaffected' && introduced !== undefined && introduced !== '0'
    ? [introduced]
    : []
}
