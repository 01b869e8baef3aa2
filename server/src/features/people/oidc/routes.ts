/** The two addresses of a sign-in at an OpenID provider. Browsers go there; nothing here is called by scripts. */
import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems } from '../../../platform/http/schemas.ts'
import { nameCookie, readCookie, setCookie } from '../../auth/index.ts'
import { nobody, formatSessionCookie, readVisitor } from '../session-answers.ts'
import { ATTEMPT_SECONDS, finishAtProvider, startAtProvider } from './service.ts'

const ProviderParams = Type.Object({ providerId: Type.String() })
const StartQuery = Type.Object(
  {
    returnTo: Type.Optional(
      Type.String({ maxLength: 2_000, description: 'A path of the portal to end at' }),
    ),
  },
  { additionalProperties: false },
)
const Redirect = Type.Null({ description: 'Elsewhere; after a failure to /sign-in?error=…' })

export function registerOidcRoutes(app: App, ctx: AppContext): void {
  const { publicUrl } = ctx.config
  const name = nameCookie(publicUrl, 'plimsoll_oidc')
  const attemptCookie = (value: string | undefined) =>
    setCookie(publicUrl, {
      name,
      value: value ?? '',
      maxAgeSeconds: value === undefined ? 0 : ATTEMPT_SECONDS,
    })

  app.get(
    '/auth/oidc/:providerId/start',
    {
      schema: {
        operationId: 'startAtProvider',
        summary: 'Go to an OpenID provider to sign in',
        ...nobody,
        params: ProviderParams,
        querystring: StartQuery,
        response: { 302: Redirect, ...defineProblems(400) },
      },
    },
    async ({ params, query, ip: address }, reply) => {
      const { location, attempt } = await startAtProvider(ctx, { ...params, ...query, address })
      return reply.header('set-cookie', attemptCookie(attempt)).redirect(location)
    },
  )

  app.get(
    '/auth/oidc/:providerId/callback',
    {
      schema: {
        operationId: 'finishAtProvider',
        summary: 'Come back from an OpenID provider, and be signed in',
        ...nobody,
        params: ProviderParams,
        response: { 302: Redirect, ...defineProblems(400) },
      },
    },
    async (request, reply) => {
      const { search } = new URL(request.url, publicUrl)
      const sealed = readCookie(request.headers.cookie, name)
      const visitor = readVisitor(request)
      const asked = { ...request.params, sealed, search, visitor }
      const { location, outcome } = await finishAtProvider(ctx, asked)
      const cookies = [attemptCookie(undefined)]
      if (outcome) cookies.push(formatSessionCookie(ctx, outcome.token))
      return reply.header('set-cookie', cookies).redirect(location)
    },
  )
}
