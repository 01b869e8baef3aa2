import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { invite, listInvitations, renewInvitation, revokeInvitation } from './service.ts'

const tags = ['Workspaces']
const InvitationParams = defineWorkspaceParams('invitationId')

export function registerInvitationRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/invitations',
    {
      config: { scope: 'Workspace members: read' },
      schema: {
        operationId: 'listInvitations',
        summary: 'List the invitations that nobody accepted yet',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.Invitations, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => listInvitations(ctx, params.workspaceId),
  )

  app.post(
    '/invitations',
    {
      config: { scope: 'Workspace members: write', needsPerson: true, showsSecret: true },
      schema: {
        operationId: 'invite',
        summary: 'Invite somebody to the workspace',
        tags,
        params: WorkspaceParams,
        body: schemas.InviteCommand,
        response: { 201: schemas.InvitationWithLink, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor, role: by } }, reply) =>
      reply.code(201).send(await invite(ctx, { ...params, ...body, by, actor })),
  )

  app.delete(
    '/invitations/:invitationId',
    {
      config: { scope: 'Workspace members: write', needsPerson: true },
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation; its links work no more',
        tags,
        params: InvitationParams,
        response: { 204: Type.Null({ description: 'Revoked' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params, principal: { actor, role: by } }, reply) => {
      await revokeInvitation(ctx, { ...params, by, actor })
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/invitations/:invitationId/send',
    {
      config: { scope: 'Workspace members: write', needsPerson: true, showsSecret: true },
      schema: {
        operationId: 'sendInvitation',
        summary: 'Make a new link for an invitation, and send it by mail',
        description:
          'Without a mail server the link is in the answer only. Former links work no more.',
        tags,
        params: InvitationParams,
        response: { 200: schemas.InvitationWithLink, ...defineProblems(400, 404) },
      },
    },
    ({ params, principal: { actor, role: by } }) => renewInvitation(ctx, { ...params, by, actor }),
  )
}
