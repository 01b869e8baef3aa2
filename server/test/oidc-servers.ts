/** OpenID providers in this process: a real one, and one that says whatever a test wants. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { closeAtEndOfFile } from './end-of-file.ts'

async function listen(handlerFor: (issuer: string) => RequestListener): Promise<string> {
  let handle: RequestListener | undefined
  const server = createServer((request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  handle = handlerFor(issuer)
  closeAtEndOfFile(() => {
    server.closeAllConnections()
    server.close()
  })
  return issuer
}

export const CLIENT = { id: 'plimsoll', secret: 'a secret of the client and of ours' }

/** Whoever comes is signed in as the account whose claims `account.claims` holds. */
export async function startOidcProvider(
  redirectUri: string,
  account: { claims: Record<string, unknown> & { sub: string } },
): Promise<string> {
  return listen((issuer) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified', 'groups'], profile: ['name'] },
      pkce: { required: () => true },
      features: { devInteractions: { enabled: false } },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      cookies: { keys: ['a key of the cookies'] },
      findAccount: (_context, id) => ({ accountId: id, claims: () => account.claims }),
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      loadExistingGrant: async ({ oidc }) => {
        const { clientId } = oidc.client
        const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
    })
    const callback = provider.callback()
    return (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return callback(request, response)
      const login = { accountId: account.claims.sub }
      void provider.interactionFinished(request, response, { login })
    }
  })
}

/** Follows the redirects within the provider as a browser does, up to the address that leads back. */
export async function walkThrough(start: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = new URL(start)
  const { origin } = url
  for (let step = 0; step < 10 && url.origin === origin; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`${url.href}: ${response.status}`)
    url = new URL(location, url)
  }
  return url
}

/** What the next ID token says instead of the truth. */
export interface Lies {
  claims?: Record<string, unknown>
  /** Signs with a key that is not published. */
  foreignKey?: boolean
  unsigned?: boolean
}

export interface LyingProvider {
  issuer: string
  lies: Lies
  /** The query with which the browser comes back, for the address it was sent to. */
  answerTo: (authorizationUrl: string) => string
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** `tokensAt`: an address of another server that it names as its own. */
export async function startLyingProvider(tokensAt?: string): Promise<LyingProvider> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const asked = new Map<string, URLSearchParams>()
  const state: LyingProvider = {
    issuer: '',
    lies: {},
    answerTo: (authorizationUrl) => {
      const { searchParams } = new URL(authorizationUrl)
      const code = crypto.randomUUID()
      asked.set(code, searchParams)
      return `?code=${code}&state=${searchParams.get('state') ?? ''}`
    },
  }
  const idToken = (nonce: string | null) => {
    const now = Math.floor(Date.now() / 1000)
    const truth = {
      iss: state.issuer,
      aud: CLIENT.id,
      iat: now,
      exp: now + 60,
      nonce,
      sub: 'someone',
    }
    const { claims, foreignKey = false, unsigned = false } = state.lies
    const header = encode(unsigned ? { alg: 'none' } : { alg: 'RS256', kid: 'one' })
    const text = `${header}.${encode({ ...truth, ...claims })}`
    if (unsigned) return `${text}.`
    const { privateKey } = foreignKey ? foreign : keys
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  }
  state.issuer = await listen((issuer) => (request, response) => {
    void answer(request).then((body) => {
      response.setHeader('content-type', 'application/json')
      response.statusCode = body === undefined ? 400 : 200
      response.end(JSON.stringify(body ?? { error: 'invalid_grant' }))
    })
    async function answer({ url = '' }: IncomingMessage): Promise<object | undefined> {
      if (url.startsWith('/.well-known/'))
        return {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: tokensAt ?? `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256'],
        }
      if (url === '/jwks')
        return { keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }] }
      const body = new URLSearchParams(await textOf(request))
      const was = asked.get(body.get('code') ?? '')
      asked.delete(body.get('code') ?? '')
      const verifier = createHash('sha256').update(body.get('code_verifier') ?? '')
      if (was?.get('code_challenge') !== verifier.digest('base64url')) return undefined
      return { access_token: 'a', token_type: 'bearer', id_token: idToken(was.get('nonce')) }
    }
  })
  return state
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
