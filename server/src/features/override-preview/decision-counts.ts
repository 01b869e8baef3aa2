import type { FindingChange } from './finding-changes.ts'

export interface Decision {
  firmwareVersionId: string
  packageId: string
  vulnerabilityId: string
  isAssessed: boolean
  isIgnored: boolean
}

type Finding = Pick<FindingChange<string>, 'packageId' | 'vulnerabilityId' | 'firmwareVersionIds'>

/** How many of the findings somebody decided about. */
export function countDecisions(findings: readonly Finding[], decisions: readonly Decision[]) {
  const byFinding = Map.groupBy(decisions, formatKey)
  const decided = findings.flatMap((finding) => {
    const own = byFinding.get(formatKey(finding)) ?? []
    if (own.length === 0) return []
    const versions = new Set(finding.firmwareVersionIds.flat())
    return own.filter(({ firmwareVersionId }) => versions.has(firmwareVersionId))
  })
  return {
    assessed: decided.filter(({ isAssessed }) => isAssessed).length,
    ignored: decided.filter(({ isIgnored }) => isIgnored).length,
  }
}

function formatKey({ packageId, vulnerabilityId }: Pick<Finding, 'packageId' | 'vulnerabilityId'>) {
  return `${packageId} ${vulnerabilityId}`
}
