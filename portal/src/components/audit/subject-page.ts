/** The page of what an entry of the audit log is about. */
import type { AuditLogEntry } from '@plimsoll/api-client'
import type { ToOptions } from '@tanstack/react-router'
import { findAuditLog, findVulnerabilityPage } from '../addresses.ts'

type Subject = Pick<AuditLogEntry['subjects'][number], 'type' | 'id'>

/** Where it has none of its own, the page that lists it; where nothing lists it, what the log has about it. */
export function findSubjectPage(
  workspaceId: string,
  { type, id }: Subject,
  others: readonly Subject[],
): ToOptions {
  return PAGES[type](workspaceId, id, others)
}

type FindPage = (workspaceId: string, id: string, others: readonly Subject[]) => ToOptions

const findSettings =
  (part: string): FindPage =>
  (workspaceId) => ({ to: '/w/$workspaceId/settings/$part', params: { workspaceId, part } })

const findAlerts =
  (tab: 'rules' | 'targets'): FindPage =>
  (workspaceId) => ({ to: '/w/$workspaceId/alerts', params: { workspaceId }, search: { tab } })

/** Its address has the cohort, which an entry names beside it. */
const findDeployment: FindPage = (workspaceId, deploymentId, others) => {
  const cohort = others.find(({ type }) => type === 'deployment-cohort')
  if (!cohort) return findAuditLog(workspaceId, `deployment:${deploymentId}`)
  return {
    to: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
    params: { workspaceId, deploymentCohortId: cohort.id, deploymentId },
  }
}

const PAGES: Readonly<Record<Subject['type'], FindPage>> = {
  'alert-incident': (workspaceId, incidentId) => ({
    to: '/w/$workspaceId/alerts/incidents/$incidentId',
    params: { workspaceId, incidentId },
  }),
  'alert-rule': findAlerts('rules'),
  'api-key': findSettings('api-keys'),
  case: (workspaceId, caseId) => ({
    to: '/w/$workspaceId/cases/$caseId',
    params: { workspaceId, caseId },
  }),
  'crash-group': (workspaceId, crashGroupId) => ({
    to: '/w/$workspaceId/crashes/$crashGroupId',
    params: { workspaceId, crashGroupId },
  }),
  customer: (workspaceId, customerId) => ({
    to: '/w/$workspaceId/customers/$customerId',
    params: { workspaceId, customerId },
  }),
  deployment: findDeployment,
  'deployment-cohort': (workspaceId, deploymentCohortId) => ({
    to: '/w/$workspaceId/deployments/$deploymentCohortId',
    params: { workspaceId, deploymentCohortId },
  }),
  device: (workspaceId, deviceId) => ({
    to: '/w/$workspaceId/devices/$deviceId',
    params: { workspaceId, deviceId },
  }),
  'device-issuer': findSettings('api-keys'),
  'device-key': findSettings('api-keys'),
  firmware: (workspaceId, firmwareId) => ({
    to: '/w/$workspaceId/firmware/$firmwareId',
    params: { workspaceId, firmwareId },
  }),
  'firmware-version': (workspaceId, versionId) => ({
    to: '/w/$workspaceId/versions/$versionId',
    params: { workspaceId, versionId },
  }),
  member: findSettings('members'),
  'notification-target': findAlerts('targets'),
  'package-override': (workspaceId, id) => findAuditLog(workspaceId, `package-override:${id}`),
  'disclosure-report': (workspaceId, reportId) => ({
    to: '/w/$workspaceId/disclosure-reports/$reportId',
    params: { workspaceId, reportId },
  }),
  'security-advisory': (workspaceId, id) => findAuditLog(workspaceId, `security-advisory:${id}`),
  'product-line': (workspaceId, id) => findAuditLog(workspaceId, `product-line:${id}`),
  'upstream-report': (workspaceId, id) => findAuditLog(workspaceId, `upstream-report:${id}`),
  'standing-address': (workspaceId) => ({
    to: '/w/$workspaceId/customers',
    params: { workspaceId },
  }),
  'supplier-feed': (workspaceId) => ({
    to: '/w/$workspaceId/settings/suppliers',
    params: { workspaceId },
  }),
  vulnerability: (workspaceId, cveId) => findVulnerabilityPage(workspaceId, cveId),
  webhook: findAlerts('targets'),
}
