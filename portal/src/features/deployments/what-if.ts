/** Cohorts and the versions that they might run, in the address: `?runs=cohort:version,cohort:version`. */

export interface SupposedVersion {
  cohortId: string
  versionId: string
}

export function parseSupposed(runs: string | undefined): SupposedVersion[] {
  return (runs ?? '').split(',').flatMap((pair) => {
    const [cohortId, versionId] = pair.split(':')
    return cohortId && versionId ? [{ cohortId, versionId }] : []
  })
}

export function formatSupposed(supposed: readonly SupposedVersion[]): string | undefined {
  if (supposed.length === 0) return undefined
  return supposed.map(({ cohortId, versionId }) => `${cohortId}:${versionId}`).join(',')
}

/** A cohort may run versions of several firmwares. */
export function listChanges(supposed: readonly SupposedVersion[]) {
  return [...Map.groupBy(supposed, ({ cohortId }) => cohortId)].map(([cohortId, those]) => ({
    deploymentCohortId: cohortId,
    firmwareVersionIds: those.map(({ versionId }) => versionId),
  }))
}
