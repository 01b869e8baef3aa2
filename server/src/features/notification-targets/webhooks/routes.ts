import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  applyPatch,
  MERGED,
  PATCH_TYPES,
  PatchOf,
  readPrecondition,
} from '../../../platform/http/editing.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './service.ts'
import type { WebhookFields } from './store.ts'

const tags = ['Alerts']
const params = defineWorkspaceParams('webhookId')
const PATH = '/webhooks/:webhookId'

export function registerWebhookRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/webhooks',
    {
      config: { scope: 'Alerts: write', showsSecret: true },
      schema: {
        operationId: 'createWebhook',
        summary: 'Create a webhook: a server that receives alerts',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateWebhookCommand,
        response: { 201: schemas.CreatedWebhook, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createWebhook(ctx, { ...path, ...body, actor })),
  )

  app.get(
    '/webhooks',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks of the workspace, oldest first',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.WebhookList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId } }) => ({ webhooks: await listWebhooks(ctx, workspaceId) }),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Alerts: read', edits: schemas.UpdateWebhookCommand },
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        tags,
        params,
        response: { 200: schemas.Webhook, ...defineProblems(400, 404) },
      },
    },
    ({ params: path }) => getWebhook(ctx, path),
  )

  app.put(
    PATH,
    {
      config: { scope: 'Alerts: write', edits: schemas.UpdateWebhookCommand },
      schema: {
        operationId: 'updateWebhook',
        summary: 'Change the name, URL and state of a webhook',
        tags,
        params,
        body: schemas.UpdateWebhookCommand,
        response: { 200: schemas.Webhook, ...defineProblems(400, 404) },
      },
    },
    (request) => {
      const { params: path, body, principal } = request
      const { actor } = principal
      return updateWebhook(ctx, {
        ...path,
        ...body,
        actor,
        precondition: readPrecondition(request),
      })
    },
  )

  app.patch(
    PATH,
    {
      config: { scope: 'Alerts: write', edits: schemas.UpdateWebhookCommand },
      ...MERGED,
      schema: {
        operationId: 'patchWebhook',
        summary: 'Change some fields of a webhook',
        tags,
        consumes: PATCH_TYPES,
        params,
        body: PatchOf('WebhookPatch', schemas.UpdateWebhookCommand),
        response: { 200: schemas.Webhook, ...defineProblems(400, 404) },
      },
    },
    (request) => {
      const { params: path, principal } = request
      const { actor } = principal
      return applyPatch(request, {
        read: () => getWebhook(ctx, path),
        write: (command: WebhookFields, precondition) =>
          updateWebhook(ctx, { ...path, ...command, actor, precondition }),
      })
    },
  )

  app.delete(
    PATH,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook; the rules that name it lose it',
        tags,
        params,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) => {
      await deleteWebhook(ctx, { ...path, actor })
      return reply.code(204).send(null)
    },
  )

  app.post(
    `${PATH}/rotate-secret`,
    {
      config: { scope: 'Alerts: write', showsSecret: true },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Give a webhook a new secret; the former signs beside it for 24 hours',
        tags,
        params,
        response: { 200: schemas.RotatedSecret, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, principal: { actor } }) => rotateWebhookSecret(ctx, { ...path, actor }),
  )

  app.post(
    `${PATH}/test`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test message to a webhook',
        tags,
        params,
        response: { 202: schemas.WebhookTest, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) =>
      reply.code(202).send(await testWebhook(ctx, { ...path, actor })),
  )
}
