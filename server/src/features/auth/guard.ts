/** Authorises requests. Every route of a workspace states a scope, which is checked here and nowhere else. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppContext } from '../../platform/context.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Principal } from './principal.ts'
import { isScope, type Scope } from './scopes.ts'
import { authenticateApiKey, unauthorized } from './service.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: Scope
    /** Suffices for `dryRun=true`, which changes nothing. */
    previewScope?: Scope
  }
  interface FastifyRequest {
    principal: Principal
  }
}

/** Checks all routes of `app`, whose prefix is /workspaces/:workspaceId. */
export function installGuard(app: FastifyInstance, ctx: AppContext): void {
  app.decorateRequest('principal')
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.scope === undefined || !isScope(config.scope))
      throw new Error(`${String(method)} ${url} states no scope`)
  })
  app.addHook('onRequest', async (request) => {
    await authenticate(request, ctx)
    requireWorkspace(request)
    requireScope(request)
  })
}

/** For routes outside of workspaces: any valid key is accepted, with any scopes. */
export function installAuthentication(app: FastifyInstance, ctx: AppContext): void {
  app.decorateRequest('principal')
  app.addHook('onRequest', (request) => authenticate(request, ctx))
}

async function authenticate(request: FastifyRequest, ctx: AppContext): Promise<void> {
  request.principal = await authenticateApiKey(ctx, bearerToken(request), request.id)
}

function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined)
    throw unauthorized('Send an API key as "Authorization: Bearer <key>".')
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (token === undefined) throw unauthorized('The Authorization header must be "Bearer <key>".')
  return token
}

function requireWorkspace(request: FastifyRequest): void {
  const params = request.params as { workspaceId?: string }
  const { workspaceId: id = '' } = params
  if (!isUuid(id)) throw invalid('The workspaceId is not a UUID.', '/params/workspaceId')
  // The same answer as for a workspace that does not exist, so that keys cannot probe for others.
  if (id.toLowerCase() !== request.principal.workspaceId) throw notFound('workspace', id)
  // Names of files and cursors contain the id, so it has one spelling from here on.
  params.workspaceId = request.principal.workspaceId
}

function requireScope(request: FastifyRequest): void {
  const { scope: needed, previewScope } = request.routeOptions.config
  const { dryRun } = request.query as { dryRun?: unknown }
  const { scopes } = request.principal
  if (dryRun === 'true' && previewScope !== undefined && scopes.has(previewScope)) return
  if (needed === undefined || !scopes.has(needed))
    throw new AppError(
      'forbidden',
      'insufficient-scope',
      `This requires a key with the scope "${needed ?? ''}".`,
    )
}
