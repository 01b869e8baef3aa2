/** Addresses that many pages lead to, each made in one place. */
import type { PhasesName } from '../searches.ts'

/** The page that answers all about a vulnerability, which every CVE leads to. */
export function findVulnerabilityPage(workspaceId: string, cveId: string) {
  return {
    to: '/w/$workspaceId/vulnerabilities/$cveId',
    params: { workspaceId, cveId },
  } as const
}

/** The audit log; of one subject with all that was ever done with it. */
export function findAuditLog(workspaceId: string, subject?: string) {
  return {
    to: '/w/$workspaceId/settings/audit-log',
    params: { workspaceId },
    search: { subject },
  } as const
}

export interface PlannedDeployment {
  /** Without it the form names who can take the version. */
  cohortId?: string | undefined
  versionId?: string | undefined
  /** How many devices there are, which decides how carefully it begins. */
  deviceCount?: number | undefined
}

/** A share of fewer devices than these is hardly one. */
const FEW_DEVICES = 10

/** The form of a deployment with what is known already: cohort, version, phases. */
export function findDeploymentForm(
  workspaceId: string,
  { cohortId, versionId, deviceCount }: PlannedDeployment,
) {
  const phases: PhasesName = (deviceCount ?? FEW_DEVICES) < FEW_DEVICES ? 'all' : 'careful'
  return {
    to: '/w/$workspaceId/deployments/new',
    params: { workspaceId },
    search: { cohort: cohortId, version: versionId, phases },
  } as const
}
