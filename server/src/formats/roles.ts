/** The roles of members, from the highest to the lowest. */
export const ROLES = ['Owner', 'Admin', 'Engineer', 'Viewer'] as const
export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text)
}
