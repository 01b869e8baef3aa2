/** What members may do. The documentation and the portal show these words. */
import type { Role } from '../../formats/roles.ts'
import { type Scope, SCOPES } from './scopes.ts'

/** Only owners and admins change these. */
const ADMINISTRATION: ReadonlySet<Scope> = new Set([
  'Workspace settings: write',
  'Workspace members: write',
  'Cases: decide',
  'Customers: write',
])

const READING = SCOPES.filter((scope) => scope.endsWith(': read'))

interface RoleMeaning {
  role: Role
  description: string
  scopes: readonly Scope[]
}

export const ROLE_MEANINGS: readonly RoleMeaning[] = [
  {
    role: 'Owner',
    description: 'Does everything, and alone makes, lowers and removes owners.',
    scopes: SCOPES,
  },
  {
    role: 'Admin',
    description:
      'Does all the work of engineers; dismisses, closes and corrects cases; manages customers and what leaves the house for them, settings, members below owners, invitations and API keys.',
    scopes: SCOPES,
  },
  {
    role: 'Engineer',
    description:
      'Uploads SBOMs, decides findings, deploys firmware, manages devices, device keys and alerts, starts clocks of cases and records reports.',
    scopes: SCOPES.filter((scope) => !ADMINISTRATION.has(scope)),
  },
  { role: 'Viewer', description: 'Sees everything and changes nothing.', scopes: READING },
]

export function listScopes(role: Role): readonly Scope[] {
  return ROLE_MEANINGS.find((one) => one.role === role)?.scopes ?? []
}

/** Whether a member of this role may give the other role to somebody, or take it away. */
export function canManageRole(role: Role, other: Role): boolean {
  return role === 'Owner' || (role === 'Admin' && other !== 'Owner')
}
