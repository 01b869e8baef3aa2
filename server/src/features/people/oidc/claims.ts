/** What a provider says of a person. */
import type { NewMembers } from '../../../config/oidc-settings.ts'
import { type Role, ROLES } from '../../../formats/roles.ts'

export interface Claims {
  issuer: string
  subject: string
  /** In lower case; undefined: the provider did not verify it. */
  verifiedEmail: string | undefined
  name: string | undefined
  groups: readonly string[]
  /** The provider has asked for several factors (RFC 8176). */
  isStrong: boolean
}

export function readClaims(claims: Readonly<Record<string, unknown>>, groupsClaim: string): Claims {
  const { iss, sub, email, email_verified: isVerified, name, amr } = claims
  return {
    issuer: readText(iss) ?? '',
    subject: readText(sub) ?? '',
    // Only the value true: texts and numbers say that a provider does something of its own.
    verifiedEmail: isVerified === true ? readText(email)?.trim().toLowerCase() : undefined,
    name: readText(name),
    groups: readTexts(claims[groupsClaim]),
    isStrong: readTexts(amr).includes('mfa'),
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function readTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** The role that somebody new gets; undefined: the person stays outside. */
export function chooseNewMemberRole(
  { domains, groupRoles, role }: NewMembers,
  { verifiedEmail = '', groups }: Pick<Claims, 'verifiedEmail' | 'groups'>,
): Role | undefined {
  const domain = verifiedEmail.slice(verifiedEmail.lastIndexOf('@') + 1)
  if (!domains.includes(domain)) return undefined
  const given = groupRoles.filter(({ group }) => groups.includes(group))
  return ROLES.find((one) => given.some((pair) => pair.role === one)) ?? role
}
