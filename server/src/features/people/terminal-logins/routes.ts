/** Logging in from a terminal: the program's side, which has no session, and the person's. */
import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems } from '../../../platform/http/schemas.ts'
import { AppError } from '../../../platform/errors.ts'
import { mine, NoContent, nobody, readVisitor } from '../session-answers.ts'
import * as schemas from './schemas.ts'
import * as service from './service.ts'

/** Routes of programs. They have no browser, so that no origin is checked; no cookie is read. */
export function registerTerminalLoginRoutes(
  app: App,
  ctx: AppContext,
  { hasPortal }: { hasPortal: boolean },
): void {
  app.post(
    '/auth/terminal-logins',
    {
      schema: {
        operationId: 'beginTerminalLogin',
        summary: 'Ask a person for a key, from a program without a browser',
        description:
          'The flow of RFC 8628. Show the person `verificationUri` and `userCode`, and ask POST /auth/terminal-logins/key every `interval` seconds.',
        ...nobody,
        body: schemas.BeginTerminalLoginCommand,
        response: { 201: schemas.TerminalLoginBegun, ...defineProblems(400, 409) },
      },
    },
    async (request, reply) => {
      if (!hasPortal) throw noPortal()
      const input = { ...request.body, visitor: readVisitor(request) }
      return reply.code(201).send(await service.beginTerminalLogin(ctx, input))
    },
  )

  app.post(
    '/auth/terminal-logins/key',
    {
      schema: {
        operationId: 'collectTerminalKey',
        summary: 'Collect the key, once a person has approved',
        description:
          'Until then the problem is `authorization-pending`; `slow-down` for who asks more often than every `interval` seconds, which are five more from then on; `access-denied` when the person refused; `expired-token` after ten minutes. The key is given out once.',
        ...nobody,
        body: schemas.CollectTerminalKeyCommand,
        response: { 200: schemas.TerminalKey, ...defineProblems(400) },
      },
    },
    ({ body, id: requestId, ip: address }) =>
      service.collectKey(ctx, { ...body, address, requestId }),
  )
}

function noPortal(): AppError {
  return new AppError(
    'conflict',
    'no-portal',
    'This service has no portal where somebody could approve: use an API key.',
  )
}

/** Routes of whoever is signed in. */
export function registerOwnTerminalRoutes(app: App, ctx: AppContext): void {
  decisionRoutes(app, ctx)
  app.get(
    '/me/terminals',
    {
      schema: {
        operationId: 'listMyTerminals',
        summary: 'List the terminals that are logged in as you',
        ...mine,
        response: { 200: schemas.Terminals, ...defineProblems() },
      },
    },
    ({ signedIn }) => service.listTerminals(ctx, signedIn),
  )

  app.delete(
    '/me/terminals/:apiKeyId',
    {
      schema: {
        operationId: 'endMyTerminal',
        summary: 'Log a terminal out: its key is refused from the next request on',
        ...mine,
        params: Type.Object({ apiKeyId: Type.String() }),
        response: { 204: NoContent, ...defineProblems(404) },
      },
    },
    async ({ signedIn, params }, reply) => {
      await service.endTerminal(ctx, signedIn, params.apiKeyId)
      return reply.code(204).send(null)
    },
  )
}

function decisionRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/me/terminal-logins/read',
    {
      schema: {
        operationId: 'readTerminalLogin',
        summary: 'Get who asks with a code',
        ...mine,
        body: schemas.UserCodeCommand,
        response: { 200: schemas.TerminalLoginShown, ...defineProblems(400, 404) },
      },
    },
    (request) =>
      service.readTerminalLogin(ctx, {
        ...request.body,
        me: request.signedIn,
        visitor: readVisitor(request),
      }),
  )

  app.post(
    '/me/terminal-logins/approve',
    {
      schema: {
        operationId: 'approveTerminalLogin',
        summary: 'Give the program that asks a key',
        description:
          'The key has no scope that you do not hold. It does no more than you may, and ends when you leave the workspace.',
        ...mine,
        body: schemas.ApproveTerminalLoginCommand,
        response: { 204: NoContent, ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      const { body, signedIn: me } = request
      await service.approveTerminalLogin(ctx, { ...body, me, visitor: readVisitor(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/me/terminal-logins/refuse',
    {
      schema: {
        operationId: 'refuseTerminalLogin',
        summary: 'Refuse the program that asks',
        ...mine,
        body: schemas.UserCodeCommand,
        response: { 204: NoContent, ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      const { body, signedIn: me } = request
      await service.refuseTerminalLogin(ctx, { ...body, me, visitor: readVisitor(request) })
      return reply.code(204).send(null)
    },
  )
}
