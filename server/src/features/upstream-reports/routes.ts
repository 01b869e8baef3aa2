import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  createUpstreamReport,
  deleteUpstreamReport,
  getUpstreamReport,
  listUpstreamReports,
  updateUpstreamReport,
} from './service.ts'

const tags = ['Disclosure reports']

export function registerUpstreamReportRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/vulnerability-findings/:findingId/upstream-reports',
    {
      config: { scope: 'Cases: write' },
      schema: {
        operationId: 'createUpstreamReport',
        summary: 'Record that a vulnerability was reported to whoever makes the component, 13(6)',
        description: 'Nothing is sent.',
        tags,
        params: defineWorkspaceParams('findingId'),
        body: schemas.CreateUpstreamReportCommand,
        response: { 201: schemas.UpstreamReport, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createUpstreamReport(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/upstream-reports',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listUpstreamReports',
        summary: 'List what was reported to makers of components, the newest first',
        tags,
        params: WorkspaceParams,
        querystring: schemas.UpstreamReportQuery,
        response: { 200: schemas.UpstreamReportList, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listUpstreamReports(reading.db, { ...params, ...query }),
  )

  registerEditable(app, {
    path: '/upstream-reports/:upstreamReportId',
    tags,
    scope: 'Cases',
    params: defineWorkspaceParams('upstreamReportId'),
    command: schemas.UpdateUpstreamReportCommand,
    answer: schemas.UpstreamReport,
    get: { operationId: 'getUpstreamReport', summary: 'Get an upstream report' },
    put: { operationId: 'updateUpstreamReport', summary: 'Replace what an upstream report says' },
    patch: {
      operationId: 'changeUpstreamReport',
      summary: 'Change members of an upstream report',
      name: 'UpstreamReportPatch',
    },
    delete: {
      operationId: 'deleteUpstreamReport',
      summary: 'Delete an upstream report; the audit log keeps what it said',
      remove: (removal) => deleteUpstreamReport(ctx, removal),
    },
    read: (one) => getUpstreamReport(ctx.db, one),
    write: (change) => updateUpstreamReport(ctx, change),
  })
}
