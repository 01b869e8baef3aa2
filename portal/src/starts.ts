/**
 * Pages that links name which know no workspace (`/?to=devices`), as those of the service's problem pages: each is opened in the
 * first workspace of the person. The service has the same names (server/src/portal/problem-links.ts).
 */
export const STARTS = {
  overview: '/w/$workspaceId',
  setup: '/w/$workspaceId/setup',
  devices: '/w/$workspaceId/devices',
  deployments: '/w/$workspaceId/deployments',
  findings: '/w/$workspaceId/findings',
  'standing-decisions': '/w/$workspaceId/standing-decisions',
  firmware: '/w/$workspaceId/firmware',
  alerts: '/w/$workspaceId/alerts',
  settings: '/w/$workspaceId/settings/$part',
  you: '/w/$workspaceId/you',
} as const

export type Start = keyof typeof STARTS

export const isStart = (name: string | undefined): name is Start =>
  name !== undefined && Object.hasOwn(STARTS, name)
