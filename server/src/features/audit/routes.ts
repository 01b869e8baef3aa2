import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { countAuditLog } from './counts-service.ts'
import {
  AuditLogCounts,
  AuditLogCountsQuery,
  AuditLogEntry,
  AuditLogExportQuery,
  AuditLogPage,
  AuditLogQuery,
} from './schemas.ts'
import { registerSealRoutes } from './seals/routes.ts'
import { exportAuditLog, listAuditLog, readAuditEntry } from './service.ts'

const CONTENT_TYPES = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/jsonl; charset=utf-8',
}

export function auditRoutes(app: App, ctx: AppContext): void {
  registerSealRoutes(app)
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
        response: { 200: AuditLogPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => listAuditLog(ctx, { ...params, ...query }),
  )

  app.get(
    '/audit-log/export',
    {
      config: { isExpensive: true, scope: 'Workspace settings: read' },
      schema: {
        operationId: 'exportAuditLog',
        summary: 'Export the audit log as CSV or JSON lines, newest first',
        description:
          'In CSV, texts that a spreadsheet would read as a formula begin with an apostrophe.',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        querystring: AuditLogExportQuery,
        produces: ['text/csv', 'application/jsonl'],
        response: {
          200: {
            content: {
              'text/csv': { schema: Type.String() },
              'application/jsonl': { schema: Type.String() },
            },
          },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, query: { format = 'csv', ...filter }, reading }, reply) => {
      const content = await exportAuditLog(reading, { ...params, ...filter, format })
      return reply
        .type(CONTENT_TYPES[format])
        .header('content-disposition', formatAttachmentHeader(`audit-log.${format}`))
        .send(content)
    },
  )

  app.get(
    '/audit-log/counts',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'countAuditLog',
        summary: 'Count the entries of the audit log by kind and by who made them',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        querystring: AuditLogCountsQuery,
        response: { 200: AuditLogCounts, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => countAuditLog(reading, { ...params, ...query }),
  )

  app.get(
    '/audit-log/:auditEntryId',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'readAuditEntry',
        summary: 'Read one entry of the audit log',
        tags: ['Workspaces'],
        params: defineWorkspaceParams('auditEntryId'),
        response: { 200: AuditLogEntry, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => readAuditEntry(ctx, params),
  )
}
