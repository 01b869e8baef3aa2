/** A real OpenID provider in this process. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { closeAtEndOfFile } from './end-of-file.ts'

/** The address at which it listens until the end of the test file. */
export async function listen(handlerFor: (issuer: string) => RequestListener): Promise<string> {
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
