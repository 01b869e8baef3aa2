import type { CohortTakers, VulnerabilityFix } from '@plimsoll/api-client'

interface BestFix {
  fix: VulnerabilityFix
  cohort: CohortTakers
}

/** The cohort in which most devices can take a fix now that is not on its way to them. */
export function findBest(fixes: readonly VulnerabilityFix[]): BestFix | undefined {
  const all = fixes.flatMap((fix) => {
    if (!fix.hasArtifact) return []
    return fix.cohorts.flatMap((cohort) =>
      cohort.isUnderWay || cohort.readyDeviceCount === 0 ? [] : [{ fix, cohort }],
    )
  })
  return all.toSorted((a, b) => b.cohort.readyDeviceCount - a.cohort.readyDeviceCount)[0]
}
