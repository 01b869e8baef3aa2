/** A finding as the API shows it in answers about deployments. */
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
