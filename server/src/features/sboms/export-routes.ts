import { Type } from 'typebox'
import { attachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, workspaceParams } from '../../platform/http/schemas.ts'
import { exportComponents } from './export-service.ts'

export function sbomExportRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/sboms/:sbomId/components/export',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'exportSbomComponents',
        summary: 'The components of one SBOM in document order, as CSV',
        description: 'Texts that a spreadsheet would take for a formula begin with an apostrophe.',
        tags: ['SBOMs'],
        params: workspaceParams('sbomId'),
        produces: ['text/csv'],
        response: {
          200: { content: { 'text/csv': { schema: Type.String() } } },
          ...problems(400, 404),
        },
      },
    },
    async ({ params }, reply) => {
      const { content, fileName } = await exportComponents(ctx, params)
      return reply
        .type('text/csv; charset=utf-8; header=present')
        .header('content-disposition', attachmentHeader(fileName))
        .header('x-content-type-options', 'nosniff')
        .send(content)
    },
  )
}
