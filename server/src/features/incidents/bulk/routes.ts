import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { handleIncidents, undoIncidentBatch } from './service.ts'

const tags = ['Alerts']
const config = { scope: 'Alerts: write' } as const

export function registerBulkRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/alert-incidents/bulk-handle',
    {
      config,
      schema: {
        operationId: 'handleAlertIncidents',
        summary: 'Acknowledge, assign or silence many incidents',
        description:
          'State one of the three. Where a note comes with an acknowledgement, it replaces the note of each incident that changes. Whoever is given several gets one mail.',
        tags,
        params: WorkspaceParams,
        body: schemas.HandleIncidentsCommand,
        response: { 200: schemas.HandledIncidents, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => handleIncidents(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/alert-incidents/bulk-handle/:alertIncidentBatchId/undo',
    {
      config,
      schema: {
        operationId: 'undoAlertIncidentBatch',
        summary: 'Take back what was done to many incidents',
        description:
          'Each incident gets what it had before, except where somebody has changed that since. Of an acknowledged incident whose note is newer, the note stays.',
        tags,
        params: defineWorkspaceParams('alertIncidentBatchId'),
        response: { 200: schemas.UndoneIncidentBatch, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, principal: { actor } }) => undoIncidentBatch(ctx, { ...params, actor }),
  )
}
