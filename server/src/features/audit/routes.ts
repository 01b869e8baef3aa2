import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, WorkspaceParams } from '../../platform/http/schemas.ts'
import { AuditLogPage, AuditLogQuery } from './schemas.ts'
import { listAuditLog } from './service.ts'

export function auditRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/audit-log',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'listAuditLog',
        summary: 'List the changes made in the workspace, newest first',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        querystring: AuditLogQuery,
        response: { 200: AuditLogPage, ...problems(400, 404) },
      },
    },
    ({ params, query }) => listAuditLog(ctx, { ...params, ...query }),
  )
}
