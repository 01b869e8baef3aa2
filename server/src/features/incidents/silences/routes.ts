import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { endSilence, listSilences, silenceIncident } from './service.ts'

const tags = ['Alerts']
const config = { scope: 'Alerts: write' } as const

export function registerSilenceRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/alert-incidents/:incidentId/silence',
    {
      config,
      schema: {
        operationId: 'silenceAlertIncident',
        summary: 'Tell nobody of what is firing in an incident, up to an instant',
        description:
          'What is firing is still recorded. If it is still firing at that instant, people are told then. The end of an incident is not told later.',
        tags,
        params: defineWorkspaceParams('incidentId'),
        body: schemas.SilenceCommand,
        response: { 201: schemas.AlertSilence, ...defineProblems(400, 404) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await silenceIncident(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/alert-silences',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listAlertSilences',
        summary: 'List silences, newest first, page by page',
        tags,
        params: WorkspaceParams,
        querystring: schemas.ListSilencesQuery,
        response: { 200: schemas.AlertSilencePage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => listSilences(ctx, { ...params, ...query }),
  )

  app.post(
    '/alert-silences/:silenceId/end',
    {
      config,
      schema: {
        operationId: 'endAlertSilence',
        summary: 'End a silence before its time',
        description:
          'Of an incident that began meanwhile and is still firing, people are told. Reminders of others begin again.',
        tags,
        params: defineWorkspaceParams('silenceId'),
        response: { 200: schemas.AlertSilence, ...defineProblems(404, 409) },
      },
    },
    ({ params, principal: { actor } }) => endSilence(ctx, { ...params, actor }),
  )
}
