import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { listAttempts, listNotifications, sendNotificationAgain } from './service.ts'

const tags = ['Alerts']

export function registerNotificationRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/notifications/list',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listNotifications',
        summary: 'List notifications, sent and waiting, newest first, page by page',
        tags,
        params: WorkspaceParams,
        body: schemas.ListNotificationsCommand,
        response: { 200: schemas.NotificationPage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body }) => listNotifications(ctx, { ...path, ...body }),
  )

  app.get(
    '/notifications/:notificationId/attempts',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listDeliveryAttempts',
        summary: 'List the attempts to deliver a notification, with the answers of the server',
        tags,
        params: defineWorkspaceParams('notificationId'),
        response: { 200: schemas.DeliveryAttemptList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: path }) => ({ attempts: await listAttempts(ctx.db, path) }),
  )

  app.post(
    '/notifications/:notificationId/send-again',
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'sendNotificationAgain',
        summary: 'Send a notification again, whatever became of it, or now instead of later',
        description:
          'It is tried for three more days. A webhook gets the same `webhook-id` as before, by which its server may know it.',
        tags,
        params: defineWorkspaceParams('notificationId'),
        response: { 202: schemas.Notification, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) =>
      reply.code(202).send(await sendNotificationAgain(ctx, { ...path, actor })),
  )
}
