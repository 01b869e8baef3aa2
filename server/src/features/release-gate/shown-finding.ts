/** A finding as the API shows it in answers about deployments. */
import type { Acceptance } from '../../formats/acceptances.ts'
import { encodeFindingId } from '../../formats/finding-id.ts'
import type { Severity } from '../../formats/advisories/model.ts'

interface OfVersion {
  packageId: string
  vulnerabilityId: string
  name: string
  severity: Severity
  cvssScore: number | null
  isKnownExploit: boolean
  componentName: string
  componentVersion: string | null
}

export function describeFinding(firmwareVersionId: string, finding: OfVersion) {
  const { packageId, vulnerabilityId, name, severity, cvssScore, isKnownExploit } = finding
  const { componentName, componentVersion } = finding
  return {
    id: encodeFindingId({ firmwareVersionId, packageId, vulnerabilityId }),
    firmwareVersionId,
    cveId: vulnerabilityId,
    name,
    severity,
    cvssScore,
    isKnownCisaExploit: isKnownExploit,
    componentName,
    componentVersion,
  }
}

export function describeAccepted({
  acceptance,
  ...finding
}: OfVersion & { firmwareVersionId: string; acceptance: Acceptance | null }) {
  return {
    ...describeFinding(finding.firmwareVersionId, finding),
    reason: acceptance?.reason ?? null,
    ownerEmail: acceptance?.owner?.email ?? null,
    until: acceptance?.until ?? null,
  }
}
