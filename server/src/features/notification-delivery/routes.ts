import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { registerNotificationRoutes } from '../notifications/index.ts'
import { RequestOfNotification } from './schemas.ts'
import { readRequest } from './webhooks/service.ts'

/** The log of what was to be sent, and what exactly is sent. */
export function registerDeliveryRoutes(app: App, ctx: AppContext): void {
  registerNotificationRoutes(app, ctx)

  app.get(
    '/notifications/:notificationId/request',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'getNotificationRequest',
        summary: 'Show the request with which a webhook gets a notification',
        tags: ['Alerts'],
        params: defineWorkspaceParams('notificationId'),
        response: { 200: RequestOfNotification, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => readRequest(ctx, params),
  )
}
