/** The addresses of the portal's pages, by what they speak of (portal/src/routes.tsx). Mails, pages and the CLI link to them. */
const PAGES = {
  overview: '',
  finding: '/findings/{findingId}',
  vulnerability: '/vulnerabilities/{cveId}',
  acceptances: '/accepted-risks',
  firmware: '/firmware/{firmwareId}',
  firmwareVersion: '/versions/{firmwareVersionId}',
  device: '/devices/{deviceId}',
  deploymentCohort: '/deployments/{deploymentCohortId}',
  deployment: '/deployments/{deploymentCohortId}/{deploymentId}',
  incident: '/alerts/incidents/{incidentId}',
  case: '/cases/{caseId}',
  productLine: '/product-lines/{productLineId}',
  disclosureReports: '/disclosure-reports',
  disclosureReport: '/disclosure-reports/{reportId}',
  sources: '/settings/sources',
  trustedKeys: '/settings/trusted-keys',
  apiKeys: '/settings/api-keys',
  you: '/you',
} as const

type Pages = typeof PAGES
export type PortalPage = keyof Pages
type NamesIn<Template> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never
type IdsOf<Page extends PortalPage> = Record<NamesIn<Pages[Page]>, string>

export const PORTAL_PAGES = Object.keys(PAGES) as PortalPage[]

/** The path of a page below the public URL: `/w/0198…/devices/pump-1`. */
export function formatPortalPath<Page extends PortalPage>(
  page: Page,
  { workspaceId, ...ids }: IdsOf<Page> & { workspaceId: string },
): string {
  const values: Record<string, string> = ids
  const path = PAGES[page].replaceAll(/\{(\w+)\}/g, (_text, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  )
  return `/w/${encodeURIComponent(workspaceId)}${path}`
}

/** The address of each page as a URI template (RFC 6570, level 1): `https://…/w/0198…/devices/{deviceId}`. */
export function listPortalTemplates(
  publicUrl: string,
  workspaceId: string,
): Record<PortalPage, string> {
  const entries = PORTAL_PAGES.map((page) => [page, `${publicUrl}/w/${workspaceId}${PAGES[page]}`])
  return Object.fromEntries(entries) as Record<PortalPage, string>
}

/** The page of what a route's parameters name, the innermost first: that of the deployment rather than of its cohort. */
export function findPortalPath(params: Readonly<Record<string, string>>): string | undefined {
  const { workspaceId } = params
  if (workspaceId === undefined) return undefined
  const named = OF_PARAMS.find((page) =>
    listNames(page).every((name) => params[name] !== undefined),
  )
  if (named === undefined) return undefined
  return formatPortalPath(named, { ...NO_IDS, ...params, workspaceId })
}

const OF_PARAMS = [
  'deployment',
  'deploymentCohort',
  'finding',
  'firmwareVersion',
  'firmware',
  'device',
  'incident',
  'case',
  'productLine',
  'disclosureReport',
] as const satisfies readonly PortalPage[]

const NO_IDS = {
  caseId: '',
  findingId: '',
  firmwareId: '',
  firmwareVersionId: '',
  deviceId: '',
  deploymentCohortId: '',
  deploymentId: '',
  incidentId: '',
  productLineId: '',
  reportId: '',
}

const listNames = (page: PortalPage) =>
  [...PAGES[page].matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
