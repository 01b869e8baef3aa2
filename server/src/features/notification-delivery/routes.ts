import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, workspaceParams } from '../../platform/http/schemas.ts'
import { notificationRoutes } from '../notifications/index.ts'
import { RequestOfNotification } from './schemas.ts'
import { readRequest } from './webhooks/service.ts'

/** The log of what was to be sent, and what exactly is sent. */
export function deliveryRoutes(app: App, ctx: AppContext): void {
  notificationRoutes(app, ctx)

  app.get(
    '/notifications/:notificationId/request',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'getNotificationRequest',
        summary: 'Show the request with which a webhook gets a notification',
        tags: ['Alerts'],
        params: workspaceParams('notificationId'),
        response: { 200: RequestOfNotification, ...problems(400, 404) },
      },
    },
    ({ params }) => readRequest(ctx, params),
  )
}
