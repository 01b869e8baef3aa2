/** An OpenID provider that does what it should, but for what a test wants. */
import { createHash, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CLIENT, listen } from './oidc-servers.ts'

type Key = 'own' | 'second' | 'unpublished'
type Respond = (response: ServerResponse) => void

/** What it says and does instead of the truth. */
export interface Lies {
  /** Members of the ID token; undefined: it lacks them. */
  claims?: Record<string, unknown>
  /** Members of the token's header. */
  header?: Record<string, unknown>
  /** Which signs; `public`: the text of the published key is the secret of HS256; `none`: nothing signs. */
  signedBy?: Key | 'public' | 'none'
  /** Members of the metadata. */
  metadata?: Record<string, unknown>
  /** The ids of the keys that it publishes. */
  publishes?: Partial<Record<Key, string>>
  userinfo?: Record<string, unknown>
  /** Parameters with which the browser comes back. */
  answer?: Record<string, string | undefined>
  /** Instead of an answer at this place. */
  at?: Partial<Record<'discovery' | 'jwks' | 'token', Respond>>
}

export interface LyingProvider {
  issuer: string
  lies: Lies
  /** The query with which the browser comes back, for the address it was sent to. */
  answerTo: (authorizationUrl: string) => string
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const makeKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

export async function startLyingProvider(): Promise<LyingProvider> {
  const keys = { own: makeKeys(), second: makeKeys(), unpublished: makeKeys() }
  const asked = new Map<string, URLSearchParams>()
  const provider: LyingProvider = {
    issuer: '',
    lies: {},
    answerTo: (authorizationUrl) => {
      const { searchParams } = new URL(authorizationUrl)
      const code = crypto.randomUUID()
      asked.set(code, searchParams)
      const truth = { code, state: searchParams.get('state') ?? '' }
      return `?${new URLSearchParams(textsOf({ ...truth, ...provider.lies.answer })).toString()}`
    },
  }

  function readMetadata(): object {
    const { issuer, lies } = provider
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      id_token_signing_alg_values_supported: ['RS256'],
      ...(lies.userinfo && { userinfo_endpoint: `${issuer}/userinfo` }),
      ...lies.metadata,
    }
  }

  function listKeys(): object {
    const ids = Object.entries(provider.lies.publishes ?? { own: 'one' }) as [Key, string][]
    const shown = ids.map(([key, kid]) => ({ ...exportKey(keys[key].publicKey), kid }))
    return { keys: shown }
  }

  function writeIdToken(nonce: string | null): string {
    const { claims, header, signedBy = 'own' } = provider.lies
    const now = Math.floor(Date.now() / 1000)
    const truth = { iss: provider.issuer, aud: CLIENT.id, iat: now, exp: now + 60, nonce }
    const alg = { none: 'none', public: 'HS256' }[signedBy as string] ?? 'RS256'
    const head = encode({ alg, kid: 'one', ...header })
    const text = `${head}.${encode({ ...truth, sub: 'someone', ...claims })}`
    return `${text}.${makeSignature(text, signedBy)}`
  }

  function makeSignature(text: string, by: NonNullable<Lies['signedBy']>): string {
    if (by === 'none') return ''
    if (by !== 'public')
      return sign('sha256', Buffer.from(text), keys[by].privateKey).toString('base64url')
    const secret = keys.own.publicKey.export({ type: 'spki', format: 'pem' })
    return createHmac('sha256', secret).update(text).digest('base64url')
  }

  async function exchange(request: IncomingMessage): Promise<object | undefined> {
    const body = new URLSearchParams(await readText(request))
    const code = body.get('code') ?? ''
    const was = asked.get(code)
    asked.delete(code)
    const verifier = createHash('sha256').update(body.get('code_verifier') ?? '')
    if (was?.get('code_challenge') !== verifier.digest('base64url')) return undefined
    const idToken = writeIdToken(was.get('nonce'))
    return { access_token: 'a', token_type: 'bearer', id_token: idToken }
  }

  const places = {
    discovery: () => readMetadata(),
    jwks: () => listKeys(),
    userinfo: () => provider.lies.userinfo,
    token: exchange,
  }
  provider.issuer = await listen(() => (request, response) => {
    const { url = '' } = request
    const place = url.startsWith('/.well-known/') ? 'discovery' : url.slice(1)
    const lie = Object.entries(provider.lies.at ?? {}).find(([name]) => name === place)?.[1]
    if (lie) return lie(response)
    const answer = Object.entries(places).find(([name]) => name === place)?.[1]
    void Promise.resolve(answer?.(request)).then((body) => {
      response.setHeader('content-type', 'application/json')
      response.statusCode = body === undefined ? 400 : 200
      response.end(JSON.stringify(body ?? { error: 'invalid_grant' }))
    })
  })
  return provider
}

const exportKey = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }), alg: 'RS256' })

function textsOf(parameters: Record<string, string | undefined>): [string, string][] {
  return Object.entries(parameters).flatMap(([name, text]): [string, string][] =>
    text === undefined ? [] : [[name, text]],
  )
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
