import type { App } from '../../../platform/http/app.ts'
import { defineProblems, WorkspaceParams } from '../../../platform/http/schemas.ts'
import { AuditSealList, AuditSealQuery } from './schemas.ts'
import { listAuditSeals } from './service.ts'

export function registerSealRoutes(app: App): void {
  app.get(
    '/audit-log/seals',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'listAuditSeals',
        summary: 'List the seals of the audit log, newest first: one for each day (UTC)',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        querystring: AuditSealQuery,
        response: { 200: AuditSealList, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listAuditSeals(reading.db, { ...params, ...query }),
  )
}
