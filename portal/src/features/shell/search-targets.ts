/** What a search finds, and where each leads. */
import { findVulnerabilityPage } from '../../components/addresses.ts'
import type { SearchResult } from '@plimsoll/api-client'
import type { ToOptions } from '@tanstack/react-router'

export type Target = SearchResult | PageTarget

interface PageTarget {
  kind: 'Page'
  id: Exclude<ToOptions['to'], undefined>
  /** Which part of the settings the page opens. */
  part?: string
  title: string
  subtitle: string
}

export const PAGES: readonly PageTarget[] = [
  { kind: 'Page', id: '/w/$workspaceId', title: 'Overview', subtitle: '' },
  {
    kind: 'Page',
    id: '/w/$workspaceId/findings',
    title: 'Findings',
    subtitle: 'what to decide, worst first',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/standing-decisions',
    title: 'Standing decisions',
    subtitle: 'what also holds for findings to come',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/accepted-risks',
    title: 'Accepted risks',
    subtitle: 'what is ignored until when, and who looks after it',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/proposals',
    title: 'Proposals',
    subtitle: 'what assistants propose to decide',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/cases',
    title: 'Cases',
    subtitle: 'reports of Article 14: clocks, proposals, drills',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/disclosure-reports',
    title: 'Reports from outside',
    subtitle: 'vulnerabilities that others report, and the public page',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/advisories',
    title: 'Advisories',
    subtitle: 'what users are told: drafts, publications, revisions',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/advisories',
    title: 'How advisories are published',
    subtitle: 'public path, publisher, security.txt',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/obligations',
    title: 'Obligations',
    subtitle: 'the law point by point: what is done here, what stays with people',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/product-lines',
    title: 'Product lines',
    subtitle: 'what is placed on the market under one name',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/crashes',
    title: 'Crashes',
    subtitle: 'where devices crash, and since which version',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/customers',
    title: 'Customers',
    subtitle: 'who sees which devices, links, standing addresses of VEX and SBOM',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/figures',
    title: 'Figures',
    subtitle: 'what an auditor asks of a period: triage, fixes, updates',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/firmware',
    title: 'Firmware',
    subtitle: 'versions and their marks',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/devices',
    title: 'Devices',
    subtitle: 'what each runs, blind spots',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/deployments',
    title: 'Deployments',
    subtitle: 'cohorts and what is on its way',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/deployments/new',
    title: 'Create deployment…',
    subtitle: 'cohort, version, phases, review',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/alerts',
    title: 'Alerts',
    subtitle: 'incidents, rules, targets, deliveries',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/$part',
    part: 'members',
    title: 'Members',
    subtitle: 'invite, roles',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/$part',
    part: 'api-keys',
    title: 'API keys',
    subtitle: 'for CI pipelines',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/$part',
    part: 'sources',
    title: 'Vulnerability sources',
    subtitle: 'state and age',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/suppliers',
    title: 'Suppliers’ advisories',
    subtitle: 'feeds of this workspace: how far each is read, what it changes',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/ssvc',
    title: 'How urgent: SSVC',
    subtitle: 'products, exposure of cohorts, trees',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/owners',
    title: 'Owners',
    subtitle: 'teams, whose findings are by which rule',
  },
  {
    kind: 'Page',
    id: '/w/$workspaceId/settings/audit-log',
    title: 'Audit log',
    subtitle: 'who did what, when',
  },
]

/** For the router. What has no page of its own yet leads to the list that holds it. */
export function findAddress(workspaceId: string, target: Target): ToOptions {
  switch (target.kind) {
    case 'Page':
      return {
        to: target.id,
        params: { workspaceId, ...(target.part !== undefined && { part: target.part }) },
      }
    case 'Vulnerability':
      return findVulnerabilityPage(workspaceId, target.id)
    case 'Firmware':
      return {
        to: '/w/$workspaceId/firmware/$firmwareId',
        params: { workspaceId, firmwareId: target.id },
      }
    case 'FirmwareVersion':
      return {
        to: '/w/$workspaceId/versions/$versionId',
        params: { workspaceId, versionId: target.id },
      }
    case 'Component':
      return {
        to: '/w/$workspaceId/findings',
        params: { workspaceId },
        search: { component: target.component?.name ?? target.title },
      }
    case 'Device':
      return {
        to: '/w/$workspaceId/devices/$deviceId',
        params: { workspaceId, deviceId: target.id },
      }
    case 'DeploymentCohort':
      return {
        to: '/w/$workspaceId/deployments/$deploymentCohortId',
        params: { workspaceId, deploymentCohortId: target.id },
      }
    case 'AlertRule':
      return { to: '/w/$workspaceId/alerts', params: { workspaceId }, search: { tab: 'rules' } }
  }
}
