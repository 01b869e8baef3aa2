/** OpenID providers with which people sign in. */
import { isRole, type Role, ROLES } from '../formats/roles.ts'
import type { AllowedHost } from '../platform/http-client/index.ts'
import { isLoopbackHost } from '../platform/loopback.ts'
import { readAllowedHosts } from './allowed-hosts.ts'
import type { SettingsReader } from './reader.ts'

export interface OidcProvider {
  /** In addresses. */
  id: string
  /** The text of the button. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string | undefined
  scopes: string
  groupsClaim: string
  /** Hosts of its endpoints that may have private addresses, as the issuer itself may. */
  allowedHosts: readonly AllowedHost[]
  /** Who becomes a member at the first sign-in; undefined: nobody does. */
  newMembers: NewMembers | undefined
}

export interface NewMembers {
  workspaceId: string
  /** Domains of e-mail addresses. */
  domains: readonly string[]
  groupRoles: readonly { group: string; role: Role }[]
  /** The role of people without one of these groups; undefined: they stay outside. */
  role: Role | undefined
}

export const OIDC_HOSTS = 'PLIMSOLL_OIDC_ALLOWED_HOSTS'

export function readOidcProviders(reader: SettingsReader): OidcProvider[] {
  const allowedHosts = readAllowedHosts(reader, OIDC_HOSTS)
  return reader.list('PLIMSOLL_OIDC_PROVIDERS').flatMap((id) => {
    if (/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(id))
      return [readProvider(reader, id, allowedHosts)]
    reader.faults.push(
      `PLIMSOLL_OIDC_PROVIDERS: ${id} cannot be an id; use up to 32 of a–z, 0–9 and -.`,
    )
    return []
  })
}

function readProvider(
  reader: SettingsReader,
  id: string,
  allowedHosts: readonly AllowedHost[],
): OidcProvider {
  const prefix = `PLIMSOLL_OIDC_${id.toUpperCase().replaceAll('-', '_')}`
  const required = (name: string) => {
    const text = reader.text(`${prefix}_${name}`)
    if (text === undefined) reader.faults.push(`${prefix}_${name} is missing.`)
    return text ?? ''
  }
  return {
    id,
    name: reader.text(`${prefix}_NAME`) ?? id,
    issuer: readIssuer(reader, `${prefix}_ISSUER`),
    allowedHosts,
    clientId: required('CLIENT_ID'),
    clientSecret: reader.text(`${prefix}_CLIENT_SECRET`),
    scopes: reader.text(`${prefix}_SCOPES`) ?? 'openid email profile',
    groupsClaim: reader.text(`${prefix}_GROUPS_CLAIM`) ?? 'groups',
    newMembers: readNewMembers(reader, prefix),
  }
}

/** Tokens and secrets travel there: over TLS, but for this machine. The URL is compared exactly. */
function readIssuer(reader: SettingsReader, name: string): string {
  const text = reader.text(name)
  const url = URL.parse(text ?? '')
  if (text !== undefined && url && (url.protocol === 'https:' || isLocal(url))) return text
  reader.faults.push(`${name} must be the https:// URL of the issuer.`)
  return ''
}

function isLocal({ protocol, host }: URL): boolean {
  return protocol === 'http:' && isLoopbackHost(host.replace(/:\d+$/, ''))
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function readNewMembers(reader: SettingsReader, prefix: string): NewMembers | undefined {
  const workspaceId = reader.text(`${prefix}_WORKSPACE`)?.toLowerCase()
  const domains = reader.list(`${prefix}_DOMAINS`).map((domain) => domain.toLowerCase())
  const groupRoles = readGroupRoles(reader, `${prefix}_GROUP_ROLES`)
  const role = readRole(reader, `${prefix}_ROLE`)
  if (workspaceId === undefined) return undefined
  if (!UUID.test(workspaceId))
    reader.faults.push(`${prefix}_WORKSPACE is not the id of a workspace.`)
  if (domains.length === 0)
    reader.faults.push(`${prefix}_DOMAINS is missing: the domains whose people become members.`)
  if (groupRoles.length === 0 && role === undefined)
    reader.faults.push(`${prefix}_ROLE or ${prefix}_GROUP_ROLES is missing.`)
  return { workspaceId, domains, groupRoles, role }
}

function readRole(reader: SettingsReader, name: string): Role | undefined {
  const text = reader.text(name)
  if (text === undefined || isRole(text)) return text
  reader.faults.push(`${name} must be one of ${ROLES.join(', ')}.`)
  return undefined
}

/** `group=Role`, separated by commas. */
function readGroupRoles(reader: SettingsReader, name: string): { group: string; role: Role }[] {
  return reader.list(name).flatMap((pair) => {
    const equals = pair.lastIndexOf('=')
    const [group, role] = [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]
    if (equals > 0 && isRole(role)) return [{ group, role }]
    reader.faults.push(`${name}: ${pair} is not of the form group=Role, of ${ROLES.join(', ')}.`)
    return []
  })
}
