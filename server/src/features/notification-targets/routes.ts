import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  askAddressAgain,
  createTarget,
  deleteTarget,
  getTarget,
  listTargets,
  testTarget,
  updateTarget,
} from './service.ts'

const tags = ['Alerts']
const params = defineWorkspaceParams('notificationTargetId')
const PATH = '/notification-targets/:notificationTargetId'

export function registerNotificationTargetRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/notification-targets',
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'createNotificationTarget',
        summary: 'Create a notification target: e-mail addresses that get alerts',
        tags,
        params: WorkspaceParams,
        body: schemas.WriteTargetCommand,
        response: { 201: schemas.NotificationTarget, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createTarget(ctx, { ...path, ...body, actor })),
  )

  app.get(
    '/notification-targets',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listNotificationTargets',
        summary: 'List the notification targets of the workspace, oldest first',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.NotificationTargetList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId } }) => ({
      notificationTargets: await listTargets(ctx.db, workspaceId),
    }),
  )

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Alerts',
    params,
    command: schemas.ReplaceTargetCommand,
    answer: schemas.NotificationTarget,
    get: {
      operationId: 'getNotificationTarget',
      summary: 'Get a notification target with the state of its addresses',
    },
    put: { operationId: 'updateNotificationTarget', summary: 'Replace a notification target' },
    patch: {
      operationId: 'patchNotificationTarget',
      summary: 'Change some fields of a notification target',
      name: 'NotificationTargetPatch',
    },
    delete: {
      operationId: 'deleteNotificationTarget',
      summary: 'Delete a notification target and remove it from alert rules',
      remove: (removal) => deleteTarget(ctx, removal),
    },
    read: ({ workspaceId, notificationTargetId }) =>
      getTarget(ctx.db, workspaceId, notificationTargetId),
    write: (change) => updateTarget(ctx, change),
  })

  app.post(
    `${PATH}/test`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'testNotificationTarget',
        summary: 'Send a test mail to the confirmed addresses of a notification target',
        tags,
        params,
        response: { 202: schemas.TestSent, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) =>
      reply.code(202).send(await testTarget(ctx, { ...path, actor })),
  )

  app.post(
    `${PATH}/addresses/confirmations`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'askNotificationAddressAgain',
        summary: 'Ask the reader of an address once more to confirm it',
        description: 'At the earliest ten minutes after the last mail, and five times in all.',
        tags,
        params,
        body: schemas.AskAgainCommand,
        response: { 202: schemas.NotificationTarget, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(202).send(await askAddressAgain(ctx, { ...path, ...body, actor })),
  )
}
