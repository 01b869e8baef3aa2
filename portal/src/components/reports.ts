/** Reports to print: pages that the service writes, which open in a tab of their own. */

/** undefined: now. */
const addInstant = (path: string, asOf: string | undefined) =>
  asOf === undefined ? path : `${path}?${new URLSearchParams({ asOf }).toString()}`

export const buildVersionReport = (workspaceId: string, versionId: string, asOf?: string): string =>
  addInstant(`/workspaces/${workspaceId}/firmware-versions/${versionId}/report`, asOf)

export const buildVulnerabilityReport = (
  workspaceId: string,
  cveId: string,
  asOf?: string,
): string =>
  addInstant(`/workspaces/${workspaceId}/vulnerabilities/${encodeURIComponent(cveId)}/report`, asOf)

export const buildDossier = (workspaceId: string, versionId: string): string =>
  `/workspaces/${workspaceId}/firmware-versions/${versionId}/dossier`

/** `quarter`: "2026-Q3". Without a line: of the workspace. */
export const buildQuarterlyReport = (
  workspaceId: string,
  { quarter, productLineId }: { quarter: string; productLineId?: string | undefined },
  as: 'page' | 'table',
): string => {
  const query = new URLSearchParams({
    quarter,
    ...(productLineId !== undefined && { productLineId }),
  })
  return `/workspaces/${workspaceId}/quarterly-report${as === 'table' ? '/export' : ''}?${query.toString()}`
}

interface Period {
  from?: string | undefined
  to?: string | undefined
}

/** Without a begin: since there are decisions. */
export function buildDecisionsReport(workspaceId: string, { from, to }: Period): string {
  const query = new URLSearchParams({
    from: from ?? new Date(0).toISOString(),
    ...(to !== undefined && { to }),
  })
  return `/workspaces/${workspaceId}/decisions/report?${query.toString()}`
}

export function openReport(address: string): void {
  globalThis.open(address, '_blank', 'noopener')
}
