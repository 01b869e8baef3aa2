/** Speaks with OpenID providers: discovery, and the authorization code flow with PKCE. */
import type { Configuration, IDToken } from 'openid-client'
import { OIDC_HOSTS, type OidcProvider } from '../../../config/oidc-settings.ts'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { createFetch, readAllowedHost } from '../../../platform/http-client/index.ts'
import type { Attempt } from './attempt.ts'
import { type Claims, readClaims } from './claims.ts'

/** Read when it is needed: most installations have no provider. */
const library = () => import('openid-client')

const DISCOVERED_FOR_MS = HOUR_MS
/** The longest silence of the service's downloads may be shorter. */
const MOST_TIMEOUT_MS = 10_000
/** How far the clock of a provider may be ahead (RFC 7519, section 4.1.4: a few minutes). */
const CLOCK_SKEW_SECONDS = 300

/** Metadata, keys and tokens are some kilobytes; it would all be in memory. */
const MOST_BYTES = 1024 * 1024

interface Discovery {
  until: Date
  configuration: Promise<Configuration>
}

const discoveries = () => new Map<string, Discovery>()

/** Kept for an hour. A failed discovery is not kept. */
async function discover(ctx: AppContext, provider: OidcProvider): Promise<Configuration> {
  const known = ctx.memory.of(discoveries)
  const kept = known.get(provider.id)
  if (kept && kept.until > ctx.now()) return kept.configuration
  const configuration = askProvider(ctx, provider)
  known.set(provider.id, { until: addMs(ctx.now(), DISCOVERED_FOR_MS), configuration })
  try {
    return await configuration
  } catch (error) {
    known.delete(provider.id)
    throw error
  }
}

async function askProvider(ctx: AppContext, provider: OidcProvider): Promise<Configuration> {
  const client = await library()
  const { issuer, clientId, clientSecret, allowedHosts } = provider
  const authentication =
    clientSecret === undefined ? client.None() : client.ClientSecretPost(clientSecret)
  const { caFile, proxies, connectMs, idleMs } = ctx.config.feeds.http
  const timeoutMs = Math.min(MOST_TIMEOUT_MS, idleMs)
  const isPlain = issuer.startsWith('http:')
  return client.discovery(new URL(issuer), clientId, undefined, authentication, {
    timeout: timeoutMs / 1000,
    [client.customFetch]: createFetch({
      caFile,
      proxies,
      connectMs,
      timeoutMs,
      mostBytes: MOST_BYTES,
      // Who says who people are is trusted with its own address, but not to name others of this network.
      allowedHosts: [readAllowedHost(new URL(issuer)), ...allowedHosts],
      allowedBy: OIDC_HOSTS,
    }),
    execute: [
      // Without it, the signature of the ID token is not looked at, as TLS says whose it is.
      client.enableNonRepudiationChecks,
      // Settings allow it on this machine only.
      ...(isPlain ? [client.allowInsecureRequests] : []),
    ],
  })
}

function callbackUrl({ config }: AppContext, { id }: OidcProvider): string {
  return `${config.publicUrl}/auth/oidc/${id}/callback`
}

export async function beginAttempt(
  ctx: AppContext,
  provider: OidcProvider,
): Promise<{ secrets: Pick<Attempt, 'state' | 'nonce' | 'codeVerifier'>; url: string }> {
  const client = await library()
  const configuration = await discover(ctx, provider)
  const state = client.randomState()
  const nonce = client.randomNonce()
  const codeVerifier = client.randomPKCECodeVerifier()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackUrl(ctx, provider),
    scope: provider.scopes,
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
  })
  return { secrets: { state, nonce, codeVerifier }, url: url.href }
}

interface Answer {
  provider: OidcProvider
  attempt: Attempt
  /** The query of the callback, with `?`. */
  search: string
}

/** Throws when the answer is not that of this provider to this attempt. */
export async function readAnswer(
  ctx: AppContext,
  { provider, attempt, search }: Answer,
): Promise<Claims> {
  const client = await library()
  const configuration = await discover(ctx, provider)
  const url = new URL(`${callbackUrl(ctx, provider)}${search}`)
  const tokens = await client.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: attempt.codeVerifier,
    expectedState: attempt.state,
    expectedNonce: attempt.nonce,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (!claims) throw new Error('The provider sent no ID token.')
  refuseUnsound(claims)
  // Some providers state e-mail address and groups there only.
  const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
  if (endpoint === undefined || claims['email'] !== undefined)
    return readClaims(claims, provider.groupsClaim)
  const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
  // Whoever states the address says whether it is verified.
  const { email, email_verified: isVerified } = more
  const all = { ...more, ...claims, email, email_verified: isVerified }
  return readClaims(all, provider.groupsClaim)
}

/** What the library leaves to its callers: OpenID Connect Core, sections 2 (`sub`, of 255 characters at most) and 3.1.3.7 (`iat`). */
function refuseUnsound({ sub, iat }: IDToken): void {
  if (!/^\P{Cc}{1,255}$/u.test(sub)) throw new Error('The claim "sub" of the ID token is no id.')
  if (iat > Date.now() / 1000 + CLOCK_SKEW_SECONDS)
    throw new Error('The claim "iat" of the ID token is in the future.')
}
