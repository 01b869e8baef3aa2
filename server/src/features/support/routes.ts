import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { exportVersionSupport, getVersionSupport } from './service.ts'
import {
  createStatement,
  deleteStatement,
  getStatement,
  listStatements,
  updateStatement,
} from './statements-service.ts'

const tags = ['SBOMs']
const VersionParams = defineWorkspaceParams('firmwareVersionId')

export function registerSupportRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/support',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'getFirmwareVersionSupport',
        summary: 'Until when the components of a firmware version get fixes',
        description:
          'By the list of endoflife.date and the dates that the workspace states itself. What is not known is not supported.',
        tags,
        params: VersionParams,
        response: { 200: schemas.VersionSupport, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getVersionSupport(reading, params),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/support/export',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'exportFirmwareVersionSupport',
        summary: 'Until when the components of a firmware version get fixes, as CSV',
        description:
          'A text that a spreadsheet would read as a formula gets an apostrophe in front.',
        tags,
        params: VersionParams,
        produces: ['text/csv'],
        response: {
          200: { content: { 'text/csv': { schema: Type.String() } } },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, reading }, reply) => {
      const { content, fileName } = await exportVersionSupport(reading, params)
      return reply
        .type('text/csv; charset=utf-8; header=present')
        .header('content-disposition', formatAttachmentHeader(fileName))
        .send(content)
    },
  )

  app.get(
    '/support-statements',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listSupportStatements',
        summary: 'The ends of support that the workspace states itself, the newest first',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.SupportStatementList, ...defineProblems(400, 404) },
      },
    },
    async ({ params, reading }) => ({
      statements: await listStatements(reading, params.workspaceId),
    }),
  )

  app.post(
    '/support-statements',
    {
      config: { scope: 'SBOMs: write' },
      schema: {
        operationId: 'createSupportStatement',
        summary: 'State until when components get fixes; it comes before what the source says',
        tags,
        params: WorkspaceParams,
        body: schemas.SupportStatementCommand,
        response: { 201: schemas.SupportStatement, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createStatement(ctx, { ...params, ...body, actor })),
  )

  registerEditable(app, {
    path: '/support-statements/:statementId',
    tags,
    scope: 'SBOMs',
    params: defineWorkspaceParams('statementId'),
    command: schemas.ReplaceStatementCommand,
    answer: schemas.SupportStatement,
    get: { operationId: 'getSupportStatement', summary: 'One end of support that is stated' },
    put: { operationId: 'updateSupportStatement', summary: 'Replace a stated end of support' },
    patch: {
      operationId: 'patchSupportStatement',
      summary: 'Change some fields of a stated end of support',
      name: 'SupportStatementPatch',
    },
    delete: {
      operationId: 'deleteSupportStatement',
      summary: 'Delete a stated end of support; what the source says counts again',
      remove: (removal) => deleteStatement(ctx, removal),
    },
    read: (path) => getStatement(ctx, path),
    write: (change) => updateStatement(ctx, change),
  })
}
