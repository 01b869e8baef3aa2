/** Authorises requests. Every route of a workspace states a scope, which is checked here and nowhere else. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppContext } from '../../platform/context.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { admit } from '../../platform/http/door.ts'
import { getRefusalCounts } from '../audit/index.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Principal, SignedIn } from './principal.ts'
import { listScopes } from './roles.ts'
import { isScope, type Scope } from './scopes.ts'
import { authenticateApiKey, unauthorized } from './service.ts'
import { nameCookie, readCookie } from './sessions/cookie.ts'
import { isOwnOrigin, isSafeMethod } from './sessions/origin.ts'
import { authenticateSession } from './sessions/service.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    scope?: Scope
    /** Suffices for `dryRun=true`, which changes nothing. */
    previewScope?: Scope
    /** Keys are refused; with `or terminal`, those of `plimsoll login` are not. */
    needsPerson?: true | 'or terminal'
  }
  interface FastifyRequest {
    principal: Principal
    /** The person of the session; on routes that need one. */
    signedIn: SignedIn
  }
}

/** Checks all routes of `app`, whose prefix is /workspaces/:workspaceId. */
export function installGuard(app: FastifyInstance, ctx: AppContext): void {
  app.decorateRequest('principal')
  app.decorateRequest('signedIn')
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.scope === undefined || !isScope(config.scope))
      throw new Error(`${String(method)} ${url} states no scope`)
  })
  app.addHook('onRequest', async (request) => {
    const token = readSessionToken(request, ctx)
    if (token === undefined) await authenticate(request, ctx)
    else await admitMember(request, ctx, token)
    requireWorkspace(request, ctx)
    requireScopeOfRoute(request)
    requirePerson(request)
  })
  app.addHook('onError', (request, _reply, error, done) => {
    if (error instanceof AppError && error.kind === 'forbidden')
      countRefusal(request, ctx, { error })
    done()
  })
}

/**
 * For the audit log of the workspace whose key or member was refused. A key that asks for another workspace is told to its own one:
 * the other would learn who works elsewhere, and strangers could write into its log. A person who is no member is in the log alone.
 */
function countRefusal(request: FastifyRequest, ctx: AppContext, refused: RefusedRequest): void {
  // Undefined before it is known who asks.
  const known: Principal | undefined = request.principal
  if (known === undefined || known.workspaceId === '') return
  const { workspaceId, actor } = known
  const problem = refused.error.code
  const { url = '', config } = request.routeOptions
  const scope = problem === 'insufficient-scope' ? config.scope : undefined
  const what = { problem, scope, request: `${request.method} ${url}`, askedFor: refused.askedFor }
  getRefusalCounts(ctx.memory).add({ workspaceId, actor, at: ctx.now(), what })
}

interface RefusedRequest {
  error: AppError
  /** The workspace in the path, where it is not the key's. */
  askedFor?: string
}

/** For routes outside of workspaces: any valid key is accepted, with any scopes. */
export function installAuthentication(app: FastifyInstance, ctx: AppContext): void {
  app.decorateRequest('principal')
  app.addHook('onRequest', (request) => authenticate(request, ctx))
}

/** For routes of the person who is signed in. Keys are refused. */
export function installPersonGuard(app: FastifyInstance, ctx: AppContext): void {
  app.decorateRequest('principal')
  app.decorateRequest('signedIn')
  app.addHook('onRequest', async (request) => {
    const token = readSessionToken(request, ctx)
    if (token === undefined) {
      await authenticate(request, ctx)
      const error = needsPerson()
      countRefusal(request, ctx, { error })
      throw error
    }
    const { id: requestId, ip: address } = request
    const { signedIn } = await authenticateSession(ctx, { token, address, requestId })
    requireOwnOrigin(request, ctx)
    requireCompleteSignIn(signedIn)
    admit(request)
    request.signedIn = signedIn
  })
}

/** Whether the request would still be let in, asked while its answer goes on. It counts as no use of the session. */
export async function isStillAllowed(request: FastifyRequest, ctx: AppContext): Promise<boolean> {
  const token = readSessionToken(request, ctx)
  const before = request.principal.workspaceId
  try {
    const principal =
      token === undefined
        ? await authenticateApiKey(ctx, bearerToken(request), request.id)
        : await authenticateAgain(request, ctx, token)
    const { scope } = request.routeOptions.config
    return principal.workspaceId === before && (scope === undefined || principal.scopes.has(scope))
  } catch (error) {
    if (error instanceof AppError && REFUSALS.has(error.kind)) return false
    throw error
  }
}

async function authenticateAgain(
  request: FastifyRequest,
  ctx: AppContext,
  token: string,
): Promise<Principal> {
  const found = await authenticateMember(request, ctx, { token, isUse: false })
  requireSecondFactor(found)
  return found.principal
}

const REFUSALS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden'])

/** For routes of those who sign in. Other sites must not sign their visitors in or out. */
export function installOriginCheck(app: FastifyInstance, ctx: AppContext): void {
  app.addHook('onRequest', (request, _reply, done) => {
    requireOwnOrigin(request, ctx)
    done()
  })
}

/** The token of a session's cookie. A key that is sent as well takes precedence. */
export function readSessionToken(
  { headers }: FastifyRequest,
  { config: { publicUrl } }: Pick<AppContext, 'config'>,
): string | undefined {
  if (headers.authorization !== undefined) return undefined
  return readCookie(headers.cookie, nameCookie(publicUrl))
}

async function authenticate(request: FastifyRequest, ctx: AppContext): Promise<void> {
  request.principal = await authenticateApiKey(ctx, bearerToken(request), request.id)
  admit(request)
}

async function admitMember(request: FastifyRequest, ctx: AppContext, token: string): Promise<void> {
  const found = await authenticateMember(request, ctx, { token, isUse: true })
  const { signedIn, principal } = found
  request.principal = principal
  requireSecondFactor(found)
  requireOwnOrigin(request, ctx)
  admit(request)
  request.signedIn = signedIn
}

interface FoundMember {
  signedIn: SignedIn
  principal: Principal
  requiresSecondFactor: boolean
}

/** What the person of a session is and may in the workspace of the request. */
async function authenticateMember(
  request: FastifyRequest,
  ctx: AppContext,
  { token, isUse }: { token: string; isUse: boolean },
): Promise<FoundMember> {
  const { workspaceId: id = '' } = request.params as { workspaceId?: string }
  const workspaceId = isUuid(id) ? id.toLowerCase() : undefined
  const { signedIn, membership } = await authenticateSession(ctx, {
    token,
    address: request.ip,
    requestId: request.id,
    isUse,
    ...(workspaceId !== undefined && { workspaceId }),
  })
  requireCompleteSignIn(signedIn)
  const { role, requiresSecondFactor = false } = membership ?? {}
  const principal = {
    // Of another workspace: the next check answers as for one that does not exist.
    workspaceId: role === undefined ? '' : (workspaceId ?? ''),
    scopes: new Set(role && listScopes(role)),
    actor: signedIn.actor,
    role,
    hasSecondFactor: signedIn.secondFactor === 'Done',
  }
  return { signedIn, principal, requiresSecondFactor }
}

function bearerToken({ headers: { authorization } }: FastifyRequest): string {
  if (authorization === undefined)
    throw unauthorized('Send an API key as "Authorization: Bearer <key>", or sign in.')
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization) ?? []
  if (token === undefined) throw unauthorized('The Authorization header must be "Bearer <key>".')
  return token
}

function requireOwnOrigin({ method, headers }: FastifyRequest, { config }: AppContext): void {
  if (isSafeMethod(method) || isOwnOrigin(headers, config.publicUrl)) return
  throw new AppError(
    'forbidden',
    'foreign-origin',
    'This request does not come from a page of this service: neither Sec-Fetch-Site nor Origin says so.',
  )
}

function requireCompleteSignIn({ secondFactor }: SignedIn): void {
  if (secondFactor === 'Outstanding')
    throw new AppError(
      'unauthorized',
      'second-factor-outstanding',
      'The sign-in lacks its second step: send a code to /auth/second-factor.',
    )
}

function requireSecondFactor({ principal, requiresSecondFactor }: FoundMember): void {
  if (!requiresSecondFactor || principal.hasSecondFactor) return
  throw new AppError(
    'forbidden',
    'second-factor-needed',
    'This workspace is open to sign-ins with a second factor only: add one to your account, or sign in with your passkey.',
  )
}

function requireWorkspace(request: FastifyRequest, ctx: AppContext): void {
  const params = request.params as { workspaceId?: string }
  const { workspaceId: id = '' } = params
  if (!isUuid(id)) throw invalid('The workspaceId is not a UUID.', '/params/workspaceId')
  if (id.toLowerCase() !== request.principal.workspaceId) {
    // The same answer as for a workspace that does not exist, so that keys cannot probe for others.
    const error = notFound('workspace', id)
    countRefusal(request, ctx, { error, askedFor: id.toLowerCase() })
    throw error
  }
  // Names of files and cursors contain the id, so it has one spelling from here on.
  params.workspaceId = request.principal.workspaceId
}

function requireScopeOfRoute(request: FastifyRequest): void {
  const { scope: needed, previewScope } = request.routeOptions.config
  const { dryRun } = request.query as { dryRun?: unknown }
  const { scopes } = request.principal
  if (dryRun === 'true' && previewScope !== undefined && scopes.has(previewScope)) return
  requireScope(request.principal, needed)
}

/** Throws `insufficient-scope`. */
export function requireScope({ scopes, role }: Principal, needed: Scope | undefined): void {
  if (needed !== undefined && scopes.has(needed)) return
  const holder = role === undefined ? 'a key' : 'a role'
  throw new AppError(
    'forbidden',
    'insufficient-scope',
    `This requires ${holder} with the scope "${needed ?? ''}".`,
  )
}

function requirePerson({ routeOptions, principal }: FastifyRequest): void {
  const { needsPerson: needed } = routeOptions.config
  if (needed === undefined || principal.role !== undefined) return
  if (needed === 'or terminal' && principal.isLogin) return
  throw needsPerson(needed)
}

function needsPerson(needed: true | 'or terminal' = true): AppError {
  return new AppError(
    'forbidden',
    'needs-a-person',
    needed === true
      ? 'This is for people who are signed in to the portal; API keys cannot do it.'
      : 'This is for people: who are signed in to the portal, or logged in by `plimsoll login`. Other API keys cannot do it.',
  )
}
