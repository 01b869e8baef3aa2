/** A finding as the API shows it in answers about deployments. */
import type { Severity } from '../../formats/advisories/model.ts'
import { encodeFindingId } from '../findings/index.ts'

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
