import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import { TOPICS } from '../../../platform/db/announcements.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, WorkspaceParams } from '../../../platform/http/schemas.ts'
import { isStillAllowed } from '../../auth/index.ts'
import { closeEvents, openEvents } from './service.ts'

export function registerEventsRoute(app: App, ctx: AppContext): void {
  app.addHook('preClose', () => closeEvents(ctx))

  app.get(
    '/events',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'streamEvents',
        summary: 'Hear which answers about a workspace are stale',
        description: `Server-sent events (text/event-stream) as long as the connection, and the key or session, last. Each has \`{"topic"}\`: ${TOPICS.join(', ')}. An event holds no data: read again what it is about. It says everything after an interruption (\`Last-Event-ID\`). Changes of less than half a second are told together, and devices at most once a second. At most 20 streams of a key or person.`,
        tags: ['Workspaces'],
        params: WorkspaceParams,
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String()) }),
        produces: ['text/event-stream'],
        response: {
          200: {
            description: 'Events until the client leaves',
            content: {
              'text/event-stream': {
                schema: Type.String({ examples: ['id: 1\ndata: {"topic":"findings"}\n\n'] }),
              },
            },
          },
          ...defineProblems(400, 404),
        },
      },
    },
    async (request, reply) => {
      const { principal, headers } = request
      const stream = await openEvents(ctx, {
        workspaceId: principal.workspaceId,
        who: principal.actor.id ?? '',
        isResumed: headers['last-event-id'] !== undefined,
        isStillAllowed: () => isStillAllowed(request, ctx),
      })
      return reply
        .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
        .type('text/event-stream; charset=utf-8')
        .send(stream)
    },
  )
}
