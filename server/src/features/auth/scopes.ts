/** What a principal may do. The names are part of the API. */
export const SCOPES = [
  'Workspace settings: read',
  'Workspace settings: write',
  'Workspace members: read',
  'Workspace members: write',
  'Firmware: read',
  'Firmware: write',
  'SBOMs: read',
  'SBOMs: write',
  'Vulnerabilities: read',
  'Vulnerabilities: write',
  'Vulnerabilities: propose',
  'Deployments: read',
  'Deployments: write',
  'Devices: read',
  'Devices: write',
  'Alerts: read',
  'Alerts: write',
  'Cases: read',
  'Cases: write',
  'Cases: decide',
  'Customers: read',
  'Customers: write',
] as const
export type Scope = (typeof SCOPES)[number]

export function isScope(text: string): text is Scope {
  return SCOPES.some((scope) => scope === text)
}
