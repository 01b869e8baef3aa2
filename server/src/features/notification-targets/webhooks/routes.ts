import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { registerEditable } from '../../../platform/http/editable-resource.ts'
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

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Alerts',
    params,
    command: schemas.UpdateWebhookCommand,
    answer: schemas.Webhook,
    get: { operationId: 'getWebhook', summary: 'Get a webhook' },
    put: { operationId: 'updateWebhook', summary: 'Change the name, URL and state of a webhook' },
    patch: {
      operationId: 'patchWebhook',
      summary: 'Change some fields of a webhook',
      name: 'WebhookPatch',
    },
    delete: {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook; the rules that name it lose it',
      remove: (removal) => deleteWebhook(ctx, removal),
    },
    read: (path) => getWebhook(ctx, path),
    write: (change) => updateWebhook(ctx, change),
  })

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
