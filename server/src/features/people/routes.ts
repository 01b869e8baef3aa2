/** Signing in, and the account of whoever is signed in. */
import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems } from '../../platform/http/schemas.ts'
import { readSessionToken } from '../auth/index.ts'
import { registerFactorRoutes, registerSecondStepRoutes } from './factors/routes.ts'
import { acceptLink, showLink } from './links/service.ts'
import { registerOidcRoutes } from './oidc/routes.ts'
import { requestPasswordReset } from './resets/service.ts'
import * as schemas from './schemas.ts'
import * as service from './service.ts'
import {
  mine,
  NoContent,
  nobody,
  sendSignedIn,
  formatSessionCookie,
  readVisitor,
} from './session-answers.ts'
import { findSession, signInByPassword, signInOptions, signOut } from './sign-in/service.ts'

/** Routes of those who are not signed in. Callers check the origin of unsafe requests. */
export function signInRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/auth/options',
    {
      schema: {
        operationId: 'getSignInOptions',
        summary: 'Get the ways to sign in',
        ...nobody,
        response: { 200: schemas.SignInOptions, ...defineProblems() },
      },
    },
    () => signInOptions(ctx),
  )

  app.post(
    '/auth/sign-in',
    {
      schema: {
        operationId: 'signIn',
        summary: 'Sign in with e-mail address and password',
        description:
          'Sets the cookie of the session. Answers are equal for people who exist and who do not.',
        ...nobody,
        body: schemas.SignInCommand,
        response: { 200: schemas.SignInState, ...defineProblems(400) },
      },
    },
    async (request, reply) => {
      const input = { ...request.body, visitor: readVisitor(request) }
      const outcome = await signInByPassword(ctx, input)
      await endFormerSession(request, ctx)
      return sendSignedIn(ctx, reply, outcome)
    },
  )

  app.post(
    '/auth/sign-out',
    {
      schema: {
        operationId: 'signOut',
        summary: 'End the session',
        ...nobody,
        response: { 204: NoContent, ...defineProblems() },
      },
    },
    async (request, reply) => {
      await endFormerSession(request, ctx)
      // What the browser keeps besides is how the pages look, which is no secret.
      return reply
        .header('set-cookie', formatSessionCookie(ctx, undefined))
        .header('clear-site-data', '"cache"')
        .code(204)
        .send(null)
    },
  )
  resetRoute(app, ctx)
  linkRoutes(app, ctx)
  registerOidcRoutes(app, ctx)
  registerSecondStepRoutes(app, ctx)
}

/** The browser forgets its former session when it gets another one. */
async function endFormerSession(request: FastifyRequest, ctx: AppContext): Promise<void> {
  const token = readSessionToken(request, ctx)
  const { id: requestId, ip: address } = request
  if (token !== undefined) await signOut(ctx, { token, address, requestId })
}

function resetRoute(app: App, ctx: AppContext): void {
  app.post(
    '/auth/password-reset',
    {
      schema: {
        operationId: 'requestPasswordReset',
        summary: 'Have a link sent with which to choose a new password',
        description:
          'Answers are equal for people who exist and who do not. The link works once, and for 30 minutes.',
        ...nobody,
        body: schemas.PasswordResetCommand,
        response: { 202: NoContent, ...defineProblems(400) },
      },
    },
    async (request, reply) => {
      const { email } = request.body
      await requestPasswordReset(ctx, { email, visitor: readVisitor(request) })
      return reply.code(202).send(undefined)
    },
  )
}

function linkRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/auth/links/read',
    {
      schema: {
        operationId: 'readLink',
        summary: 'Get what a one-time link is for',
        description: 'The token is the fragment of the link. Reading it does not use it up.',
        ...nobody,
        body: schemas.ReadLinkCommand,
        response: { 200: schemas.LinkShown, ...defineProblems(400, 404) },
      },
    },
    ({ body, ip: address }) => showLink(ctx, { ...body, address }),
  )

  app.post(
    '/auth/links/accept',
    {
      schema: {
        operationId: 'acceptLink',
        summary: 'Accept a one-time link, and be signed in',
        ...nobody,
        body: schemas.AcceptLinkCommand,
        response: { 200: schemas.SignInState, ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      const token = readSessionToken(request, ctx)
      const { id: requestId, ip: address } = request
      const found =
        token === undefined ? undefined : await findSession(ctx, { token, address, requestId })
      const me = found?.secondFactor === 'Outstanding' ? undefined : found
      const outcome = await acceptLink(ctx, { ...request.body, me, visitor: readVisitor(request) })
      if (outcome === undefined) return { state: 'SignedIn' as const, secondFactors: [] }
      await endFormerSession(request, ctx)
      return sendSignedIn(ctx, reply, outcome)
    },
  )
}

/** Routes of whoever is signed in. */
export function registerOwnAccountRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/me',
    {
      schema: {
        operationId: 'getMe',
        summary: 'Get your account',
        ...mine,
        response: { 200: schemas.Me, ...defineProblems() },
      },
    },
    ({ signedIn }) => service.getMe(ctx, signedIn),
  )

  app.patch(
    '/me',
    {
      schema: {
        operationId: 'changeMe',
        summary: 'Change your name',
        ...mine,
        body: schemas.ChangeMeCommand,
        response: { 200: schemas.Me, ...defineProblems(400) },
      },
    },
    ({ signedIn, body }) => service.changeMe(ctx, signedIn, body),
  )

  app.put(
    '/me/password',
    {
      schema: {
        operationId: 'changePassword',
        summary: 'Change your password, and end your other sessions',
        ...mine,
        body: schemas.ChangePasswordCommand,
        response: { 204: NoContent, ...defineProblems(400) },
      },
    },
    async (request, reply) => {
      const { signedIn: me, body } = request
      await service.changePassword(ctx, { me, ...body, visitor: readVisitor(request) })
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/me/workspaces',
    {
      schema: {
        operationId: 'listMyWorkspaces',
        summary: 'List your workspaces, with your role in each',
        ...mine,
        response: { 200: schemas.MyWorkspaces, ...defineProblems() },
      },
    },
    ({ signedIn }) => service.listMyWorkspaces(ctx, signedIn),
  )
  sessionRoutes(app, ctx)
  registerFactorRoutes(app, ctx)
}

function sessionRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/me/sessions',
    {
      schema: {
        operationId: 'listMySessions',
        summary: 'List your sessions, the last used first',
        ...mine,
        response: { 200: schemas.Sessions, ...defineProblems() },
      },
    },
    ({ signedIn }) => service.listMySessions(ctx, signedIn),
  )

  app.delete(
    '/me/sessions',
    {
      schema: {
        operationId: 'endOtherSessions',
        summary: 'End all your other sessions',
        ...mine,
        response: { 204: NoContent, ...defineProblems() },
      },
    },
    async ({ signedIn }, reply) => {
      await service.endOtherSessions(ctx, signedIn)
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/me/sessions/:sessionId',
    {
      schema: {
        operationId: 'endSession',
        summary: 'End one of your sessions',
        ...mine,
        params: schemas.SessionParams,
        response: { 204: NoContent, ...defineProblems(404) },
      },
    },
    async ({ signedIn, params }, reply) => {
      await service.endSession(ctx, signedIn, params.sessionId)
      return reply.code(204).send(null)
    },
  )
}
