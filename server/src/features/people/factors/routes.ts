/** Routes that sign in by a second factor or a passkey, and those by which a person manages their own. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems } from '../../../platform/http/schemas.ts'
import { readSessionToken } from '../../auth/index.ts'
import {
  addPasskey,
  beginPasskey,
  beginPasskeySignIn,
  removePasskey,
  signInByPasskey,
} from '../passkeys/service.ts'
import { listPasskeys } from '../passkeys/store.ts'
import * as schemas from '../schemas.ts'
import { mine, NoContent, nobody, sendSignedIn, readVisitor } from '../session-answers.ts'
import { findSession } from '../sign-in/service.ts'
import * as service from './service.ts'

export function registerSecondStepRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/auth/second-factor',
    {
      schema: {
        operationId: 'enterSecondFactor',
        summary: 'Complete a sign-in with a code, or show the second factor once more',
        description:
          'The code of an app, or a recovery code. Each works once. Factors can be changed for ten minutes afterwards.',
        ...nobody,
        body: schemas.SecondFactorCommand,
        response: { 200: schemas.SignInState, ...defineProblems(400) },
      },
    },
    async (request, reply) => {
      const me = await sessionOf(request, ctx)
      const step = { ...request.body, me, visitor: readVisitor(request) }
      return sendSignedIn(ctx, reply, await service.enterSecondFactor(ctx, step))
    },
  )

  app.post(
    '/auth/passkeys/options',
    {
      schema: {
        operationId: 'beginPasskeySignIn',
        summary: 'Begin to sign in with a passkey',
        ...nobody,
        response: { 200: schemas.PasskeyOptions, ...defineProblems() },
      },
    },
    ({ ip: address }) => beginPasskeySignIn(ctx, address),
  )

  app.post(
    '/auth/passkeys/sign-in',
    {
      schema: {
        operationId: 'signInByPasskey',
        summary: 'Sign in with a passkey',
        description:
          'The body is what `navigator.credentials.get` gave, in JSON. A passkey counts as both factors.',
        ...nobody,
        body: schemas.PasskeySignInCommand,
        response: { 200: schemas.SignInState, ...defineProblems(400) },
      },
    },
    async (request, reply) => {
      const response = request.body as AuthenticationResponseJSON
      const me = await sessionOf(request, ctx)
      const outcome = await signInByPasskey(ctx, { response, me, visitor: readVisitor(request) })
      return sendSignedIn(ctx, reply, outcome)
    },
  )
}

/** The session that the browser shows, also one that lacks its second step. */
async function sessionOf(request: FastifyRequest, ctx: AppContext) {
  const token = readSessionToken(request, ctx)
  const { id: requestId, ip: address } = request
  return token === undefined ? undefined : findSession(ctx, { token, address, requestId })
}

export function registerFactorRoutes(app: App, ctx: AppContext): void {
  totpRoutes(app, ctx)
  passkeyRoutes(app, ctx)
}

function totpRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/me/totp',
    {
      schema: {
        operationId: 'beginTotp',
        summary: 'Begin to add an authenticator app as second factor',
        ...mine,
        response: { 200: schemas.TotpBegun, ...defineProblems(409) },
      },
    },
    ({ signedIn }) => service.beginTotp(ctx, signedIn),
  )

  app.post(
    '/me/totp/confirm',
    {
      schema: {
        operationId: 'confirmTotp',
        summary: 'Add the authenticator app with a code of it',
        ...mine,
        body: schemas.ConfirmTotpCommand,
        response: { 200: schemas.RecoveryCodes, ...defineProblems(400, 409) },
      },
    },
    (request) => {
      const { signedIn: me, body } = request
      return service.confirmTotp(ctx, { me, visitor: readVisitor(request) }, body)
    },
  )

  app.delete(
    '/me/totp',
    {
      schema: {
        operationId: 'removeTotp',
        summary: 'Remove the authenticator app and its recovery codes',
        description: 'Needs your password, or a code of the app.',
        ...mine,
        body: schemas.RemoveTotpCommand,
        response: { 204: NoContent, ...defineProblems(400) },
      },
    },
    async (request, reply) => {
      const { signedIn: me, body } = request
      await service.removeTotp(ctx, { me, ...body, visitor: readVisitor(request) })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/me/recovery-codes',
    {
      schema: {
        operationId: 'renewRecoveryCodes',
        summary: 'Make new recovery codes; the old ones work no more',
        ...mine,
        response: { 200: schemas.RecoveryCodes, ...defineProblems(409) },
      },
    },
    ({ signedIn }) => service.renewRecoveryCodes(ctx, signedIn),
  )
}

function passkeyRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/me/passkeys/options',
    {
      schema: {
        operationId: 'beginPasskey',
        summary: 'Begin to add a passkey',
        ...mine,
        response: { 200: schemas.PasskeyOptions, ...defineProblems() },
      },
    },
    ({ signedIn }) => beginPasskey(ctx, signedIn),
  )

  app.post(
    '/me/passkeys',
    {
      schema: {
        operationId: 'addPasskey',
        summary: 'Add a passkey',
        description: '`response` is what `navigator.credentials.create` gave, in JSON.',
        ...mine,
        body: schemas.AddPasskeyCommand,
        response: { 201: schemas.Passkey, ...defineProblems(400) },
      },
    },
    async ({ signedIn: me, body: { name, ...body } }, reply) => {
      const response = body.response as RegistrationResponseJSON
      return reply.code(201).send(await addPasskey(ctx, { me, name, response }))
    },
  )

  app.get(
    '/me/passkeys',
    {
      schema: {
        operationId: 'listPasskeys',
        summary: 'List your passkeys',
        ...mine,
        response: { 200: Type.Array(schemas.Passkey), ...defineProblems() },
      },
    },
    async ({ signedIn }) => {
      const passkeys = await listPasskeys(ctx.db, signedIn.personId)
      return passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        createdAt,
        lastUsedAt,
      }))
    },
  )

  app.delete(
    '/me/passkeys/:passkeyId',
    {
      schema: {
        operationId: 'removePasskey',
        summary: 'Remove one of your passkeys',
        ...mine,
        params: schemas.PasskeyParams,
        response: { 204: NoContent, ...defineProblems(404) },
      },
    },
    async ({ signedIn, params }, reply) => {
      await removePasskey(ctx, signedIn, params.passkeyId)
      return reply.code(204).send(null)
    },
  )
}
