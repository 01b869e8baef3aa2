/** What upstream's records can tell of a distribution's build, and its records of builds that it did not make. */
import type { AffectedStatement } from '../../formats/advisories/model.ts'
import {
  hasOwnRecords,
  isOfLaterUpstream,
  type PackageIdentity,
  type PackagePair,
} from '../../formats/identity.ts'

/** Keys by which a distribution's own records name its packages. */
const DISTRIBUTED = /^purl:(?:deb|rpm|apk)\//
/** As the table of names calls it. */
const KERNEL = 'Linux kernel'

/** Upstream's records say nothing of what a distribution has repaired. `unknown`: no record of its release is stored. */
export function listDistributionDoubts(
  { key, alias, origin }: PackagePair,
  { distro }: PackageIdentity,
  unknown: string | undefined,
): string[] {
  if (DISTRIBUTED.test(key)) return []
  if (unknown !== undefined) return [`no records of ${unknown} are loaded`]
  const isItsKernel = alias === KERNEL && origin === 'distribution' && hasOwnRecords(distro)
  return isItsKernel ? [doubtOfKernel(distro?.ecosystem ?? '')] : []
}

/** Distributions keep one version of the kernel and take over thousands of repairs, of which upstream's ranges know nothing. */
function doubtOfKernel(ecosystem: string): string {
  return `${ecosystem} lists of its kernel only what it repaired, and its VEX, where loaded, the rest; upstream’s ranges know nothing of its repairs`
}

/** Whether the statement is about repairs of the version that a release has, and the build is of a later one. */
export function isOfElsewhere(
  { distro }: PackageIdentity,
  { distro: stated, versions }: AffectedStatement,
  version: string,
): boolean {
  if (stated === undefined || distro === undefined) return false
  const fixes = versions.flatMap(({ fixed }) => fixed ?? [])
  return isOfLaterUpstream(version, distro, fixes)
}
