/** What the tests use of the package, which has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope: (scope: string) => void
    save: () => Promise<string>
  }

  interface RequestContext {
    oidc: {
      provider: Provider
      client: { clientId: string }
      session: { accountId: string }
    }
  }

  interface Account {
    accountId: string
    claims: () => Record<string, unknown>
  }

  interface Settings {
    clients: object[]
    claims: Record<string, string[]>
    pkce: { required: () => boolean }
    features: { devInteractions: { enabled: boolean } }
    conformIdTokenClaims: boolean
    findAccount: (context: unknown, id: string) => Account
    loadExistingGrant: (context: RequestContext) => Promise<Grant>
    interactions: { url: (context: unknown, interaction: { uid: string }) => string }
    cookies: { keys: string[] }
    ttl: Record<string, number>
  }

  export class Provider {
    constructor(issuer: string, settings: Partial<Settings>)
    Grant: new (of: { clientId: string; accountId: string }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => void
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } },
    ): Promise<void>
  }
}
