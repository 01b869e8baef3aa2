/** The pages by address. What a page shows is in its address: filters, sort, selection. */
import { createRoute, lazyRouteComponent as lazy, redirect } from '@tanstack/react-router'
import { forgotten, link, root, signIn, start, terminal } from './outer-routes.tsx'
import * as searches from './searches.ts'
import { workspace } from './workspace-route.ts'

const page = <Path extends string>(path: Path) => ({
  getParentRoute: () => workspace,
  path,
})

const overview = createRoute({
  ...page('/'),
  validateSearch: searches.OVERVIEW.parse,
  component: lazy(() => import('./features/overview/overview-page.tsx'), 'OverviewPage'),
})
const setup = createRoute({
  ...page('/setup'),
  validateSearch: searches.SETUP.parse,
  component: lazy(() => import('./features/setup/setup-page.tsx'), 'SetupPage'),
})
const findings = createRoute({
  ...page('/findings'),
  validateSearch: searches.FINDINGS.parse,
  component: lazy(() => import('./features/findings/findings-page.tsx'), 'FindingsPage'),
})
const finding = createRoute({
  ...page('/findings/$findingId'),
  validateSearch: searches.FINDING.parse,
  staticData: { hasPast: true },
  component: lazy(() => import('./features/findings/finding-page.tsx'), 'FindingPage'),
})
const vulnerability = createRoute({
  ...page('/vulnerabilities/$cveId'),
  validateSearch: searches.VULNERABILITY.parse,
  staticData: { hasPast: true },
  component: lazy(
    () => import('./features/findings/vulnerability/vulnerability-page.tsx'),
    'VulnerabilityPage',
  ),
})
const standing = createRoute({
  ...page('/standing-decisions'),
  component: lazy(() => import('./features/standing-decisions/standing-page.tsx'), 'StandingPage'),
})
const proposals = createRoute({
  ...page('/proposals'),
  validateSearch: searches.PROPOSALS.parse,
  component: lazy(() => import('./features/findings/proposals-page.tsx'), 'ProposalsPage'),
})
const acceptances = createRoute({
  ...page('/accepted-risks'),
  validateSearch: searches.ACCEPTANCES.parse,
  component: lazy(() => import('./features/acceptances/acceptances-page.tsx'), 'AcceptancesPage'),
})
const cases = createRoute({
  ...page('/cases'),
  validateSearch: searches.CASES.parse,
  component: lazy(() => import('./features/cases/cases-page.tsx'), 'CasesPage'),
})
const oneCase = createRoute({
  ...page('/cases/$caseId'),
  component: lazy(() => import('./features/cases/case-page.tsx'), 'CasePage'),
})
const draft = createRoute({
  ...page('/cases/$caseId/drafts/$stage'),
  component: lazy(() => import('./features/cases/draft-page.tsx'), 'DraftPage'),
})
const disclosureReports = createRoute({
  ...page('/disclosure-reports'),
  validateSearch: searches.DISCLOSURE_REPORTS.parse,
  component: lazy(
    () => import('./features/cases/disclosure/reports-page.tsx'),
    'DisclosureReportsPage',
  ),
})
const disclosureReport = createRoute({
  ...page('/disclosure-reports/$reportId'),
  component: lazy(
    () => import('./features/cases/disclosure/report-page.tsx'),
    'DisclosureReportPage',
  ),
})
const advisories = createRoute({
  ...page('/advisories'),
  validateSearch: searches.ADVISORIES.parse,
  component: lazy(() => import('./features/advisories/advisories-page.tsx'), 'AdvisoriesPage'),
})
const advisoryPage = lazy(() => import('./features/advisories/advisory-page.tsx'), 'AdvisoryPage')
const advisory = createRoute({ ...page('/advisories/$advisoryId'), component: advisoryPage })
const obligationsPage = lazy(() => import('./features/obligations/map-page.tsx'), 'ObligationsPage')
const obligations = createRoute({ ...page('/obligations'), component: obligationsPage })
const productLines = createRoute({
  ...page('/product-lines'),
  component: lazy(() => import('./features/product-lines/lines-page.tsx'), 'ProductLinesPage'),
})
const productLine = createRoute({
  ...page('/product-lines/$productLineId'),
  validateSearch: searches.PRODUCT_LINE.parse,
  component: lazy(() => import('./features/product-lines/line-page.tsx'), 'ProductLinePage'),
})
const customersPage = lazy(() => import('./features/customers/customers-page.tsx'), 'CustomersPage')
const customers = createRoute({ ...page('/customers'), component: customersPage })
const customer = createRoute({
  ...page('/customers/$customerId'),
  component: lazy(() => import('./features/customers/customer-page.tsx'), 'CustomerPage'),
})
const firmwares = createRoute({
  ...page('/firmware'),
  validateSearch: searches.FIRMWARES.parse,
  component: lazy(() => import('./features/firmware/firmwares-page.tsx'), 'FirmwaresPage'),
})
const firmware = createRoute({
  ...page('/firmware/$firmwareId'),
  component: lazy(() => import('./features/firmware/firmware-page.tsx'), 'FirmwarePage'),
})
const version = createRoute({
  ...page('/versions/$versionId'),
  validateSearch: searches.VERSION.parse,
  staticData: { hasPast: true },
  component: lazy(() => import('./features/firmware/version-page.tsx'), 'VersionPage'),
})
const devices = createRoute({
  ...page('/devices'),
  validateSearch: searches.DEVICES.parse,
  component: lazy(() => import('./features/devices/devices-page.tsx'), 'DevicesPage'),
})
const device = createRoute({
  ...page('/devices/$deviceId'),
  validateSearch: searches.DEVICE.parse,
  component: lazy(() => import('./features/devices/device-page.tsx'), 'DevicePage'),
})
const crashes = createRoute({
  ...page('/crashes'),
  validateSearch: searches.CRASHES.parse,
  component: lazy(() => import('./features/crashes/crashes-page.tsx'), 'CrashesPage'),
})
const crash = createRoute({
  ...page('/crashes/$crashGroupId'),
  component: lazy(() => import('./features/crashes/crash-page.tsx'), 'CrashPage'),
})
const exposure = createRoute({
  ...page('/exposure'),
  validateSearch: searches.EXPOSURE.parse,
  component: lazy(() => import('./features/exposure/exposure-page.tsx'), 'ExposurePage'),
})
const figures = createRoute({
  ...page('/figures'),
  validateSearch: searches.FIGURES.parse,
  component: lazy(() => import('./features/figures/figures-page.tsx'), 'FiguresPage'),
})
const deployments = createRoute({
  ...page('/deployments'),
  validateSearch: searches.DEPLOYMENTS.parse,
  component: lazy(() => import('./features/deployments/deployments-page.tsx'), 'DeploymentsPage'),
})
const newDeployment = createRoute({
  ...page('/deployments/new'),
  validateSearch: searches.NEW_DEPLOYMENT.parse,
  component: lazy(
    () => import('./features/deployments/new-deployment-page.tsx'),
    'NewDeploymentPage',
  ),
})
const whatIf = createRoute({
  ...page('/deployments/what-if'),
  validateSearch: searches.WHAT_IF.parse,
  component: lazy(() => import('./features/deployments/what-if-page.tsx'), 'WhatIfPage'),
})
const cohort = createRoute({
  ...page('/deployments/$deploymentCohortId'),
  component: lazy(() => import('./features/deployments/cohort-page.tsx'), 'CohortPage'),
})
const deployment = createRoute({
  ...page('/deployments/$deploymentCohortId/$deploymentId'),
  validateSearch: searches.DEPLOYMENT.parse,
  component: lazy(() => import('./features/deployments/deployment-page.tsx'), 'DeploymentPage'),
})
const alerts = createRoute({
  ...page('/alerts'),
  validateSearch: searches.ALERTS.parse,
  // Mails and links of before incidents and rules had addresses of their own have this one.
  beforeLoad: ({ params, search: { tab, incident: incidentId, rule: ruleId, metric } }) => {
    if (ruleId !== undefined)
      redirect({
        to: rule.to,
        params: { ...params, ruleId },
        search: { metric },
        replace: true,
        throw: true,
      })
    if (incidentId === undefined || tab === 'deliveries') return
    redirect({ to: incident.to, params: { ...params, incidentId }, replace: true, throw: true })
  },
  component: lazy(() => import('./features/alerts/alerts-page.tsx'), 'AlertsPage'),
})
const rule = createRoute({
  ...page('/alerts/rules/$ruleId'),
  validateSearch: searches.RULE.parse,
  component: lazy(() => import('./features/alerts/rule-page.tsx'), 'RulePage'),
})
const incident = createRoute({
  ...page('/alerts/incidents/$incidentId'),
  component: lazy(() => import('./features/alerts/incident-page.tsx'), 'IncidentPage'),
})
const settingsPage = lazy(() => import('./features/settings/settings-page.tsx'), 'SettingsPage')
const settings = createRoute({ ...page('/settings'), component: settingsPage })
const auditLog = createRoute({
  ...page('/settings/audit-log'),
  validateSearch: searches.AUDIT_LOG.parse,
  component: lazy(() => import('./features/audit/audit-page.tsx'), 'AuditPage'),
})
const ssvc = createRoute({
  ...page('/settings/ssvc'),
  component: lazy(() => import('./features/ssvc/ssvc-page.tsx'), 'SsvcPage'),
})
const owners = createRoute({
  ...page('/settings/owners'),
  component: lazy(() => import('./features/owners/owners-page.tsx'), 'OwnersPage'),
})
const suppliers = createRoute({
  ...page('/settings/suppliers'),
  validateSearch: searches.SUPPLIERS.parse,
  component: lazy(() => import('./features/suppliers/suppliers-page.tsx'), 'SuppliersPage'),
})
const publisher = createRoute({
  ...page('/settings/advisories'),
  component: lazy(() => import('./features/advisories/publisher-page.tsx'), 'PublisherPage'),
})
const settingsPart = createRoute({
  ...page('/settings/$part'),
  validateSearch: searches.SETTINGS.parse,
  component: settingsPage,
})
const you = createRoute({
  ...page('/you'),
  component: lazy(() => import('./features/settings/you-page.tsx'), 'YouPage'),
})

export const routeTree = root.addChildren([
  start,
  signIn,
  link,
  forgotten,
  terminal,
  workspace.addChildren([
    overview,
    setup,
    findings,
    finding,
    vulnerability,
    standing,
    acceptances,
    proposals,
    cases,
    oneCase,
    draft,
    disclosureReports,
    disclosureReport,
    advisories,
    advisory,
    obligations,
    productLines,
    productLine,
    customers,
    customer,
    firmwares,
    firmware,
    version,
    devices,
    device,
    crashes,
    crash,
    exposure,
    figures,
    deployments,
    newDeployment,
    whatIf,
    cohort,
    deployment,
    alerts,
    incident,
    rule,
    settings,
    auditLog,
    ssvc,
    owners,
    suppliers,
    publisher,
    settingsPart,
    you,
  ]),
])

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page can show a past day. */
    hasPast?: true
  }
}
