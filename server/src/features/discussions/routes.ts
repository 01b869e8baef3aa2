import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { assignVulnerability, readAssignment } from './assignees-service.ts'
import { changeComment, deleteComment, listComments, writeComment } from './comments-service.ts'
import * as schemas from './schemas.ts'

const tags = ['Discussions']
const VulnerabilityParams = defineWorkspaceParams('cveId')
const CommentParams = defineWorkspaceParams('commentId')
const reads = { config: { scope: 'Vulnerabilities: read' } } as const
const writes = { config: { scope: 'Vulnerabilities: write' } } as const

export function registerDiscussionRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/vulnerabilities/:cveId/assignee',
    {
      ...reads,
      schema: {
        operationId: 'getVulnerabilityAssignee',
        summary: 'Show who looks after a vulnerability',
        tags,
        params: VulnerabilityParams,
        response: { 200: schemas.Assignment, ...defineProblems(404) },
      },
    },
    ({ params }) => readAssignment(ctx, params),
  )

  app.put(
    '/vulnerabilities/:cveId/assignee',
    {
      ...writes,
      schema: {
        operationId: 'assignVulnerability',
        summary: 'Give a vulnerability to a member, or to nobody',
        description:
          'It holds wherever the workspace has the vulnerability. The member is told by mail after a minute, where a mail server is configured and somebody else gave it.',
        tags,
        params: VulnerabilityParams,
        body: schemas.AssignCommand,
        response: { 200: schemas.Assignment, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) =>
      assignVulnerability(ctx, { ...params, ...body, actor }),
  )

  commentRoutes(app, ctx)
}

function commentRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/vulnerabilities/:cveId/comments',
    {
      ...reads,
      schema: {
        operationId: 'listVulnerabilityComments',
        summary: 'List what colleagues said about a vulnerability, newest first',
        tags,
        params: VulnerabilityParams,
        querystring: schemas.ListCommentsQuery,
        response: { 200: schemas.CommentPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, principal: { actor } }) => listComments(ctx, { ...params, ...query, actor }),
  )

  app.get(
    '/vulnerability-comments',
    {
      ...reads,
      schema: {
        operationId: 'listComments',
        summary: 'List what colleagues said about all vulnerabilities, newest first',
        tags,
        params: WorkspaceParams,
        querystring: schemas.ListCommentsQuery,
        response: { 200: schemas.CommentPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, principal: { actor } }) => listComments(ctx, { ...params, ...query, actor }),
  )

  app.post(
    '/vulnerabilities/:cveId/comments',
    {
      ...writes,
      schema: {
        operationId: 'writeVulnerabilityComment',
        summary: 'Say something about a vulnerability to colleagues',
        description:
          'No VEX document has it. Members that the text names (`@` before their address) are told by mail after a minute, where a mail server is configured.',
        tags,
        params: VulnerabilityParams,
        body: schemas.CommentCommand,
        response: { 201: schemas.Comment, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await writeComment(ctx, { ...params, ...body, actor })),
  )

  app.put(
    '/vulnerability-comments/:commentId',
    {
      ...writes,
      schema: {
        operationId: 'changeVulnerabilityComment',
        summary: 'Change a comment of one’s own',
        tags,
        params: CommentParams,
        body: schemas.CommentCommand,
        response: { 200: schemas.Comment, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => changeComment(ctx, { ...params, ...body, actor }),
  )

  app.delete(
    '/vulnerability-comments/:commentId',
    {
      ...writes,
      schema: {
        operationId: 'deleteVulnerabilityComment',
        summary: 'Delete a comment of one’s own; owners and admins delete any',
        description: 'The audit log keeps its text.',
        tags,
        params: CommentParams,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(404) },
      },
    },
    async ({ params, principal: { actor, role } }, reply) => {
      await deleteComment(ctx, { ...params, actor, role })
      return reply.code(204).send(null)
    },
  )
}
