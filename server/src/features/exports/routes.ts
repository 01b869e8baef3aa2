import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { App } from '../../platform/http/app.ts'
import {
  Exactly,
  defineProblems,
  Shape,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { EXPORT_FORMATS, exportFindings } from './service.ts'
import { listExportRoutes } from './lists-routes.ts'

const ExportQuery = Exactly({
  format: Type.Optional(Type.Enum([...EXPORT_FORMATS], { default: 'csv' })),
})

/** The frame of a log (SARIF 2.1.0 section 3.13). */
const Sarif = Shape(
  'SarifLog',
  {
    $schema: Type.Optional(Type.String()),
    version: Type.Literal('2.1.0'),
    runs: Type.Array(Type.Object({}, { additionalProperties: true })),
  },
  { description: 'SARIF 2.1.0' },
)

export function registerExportRoutes(app: App): void {
  listExportRoutes(app)

  app.get(
    '/firmware-versions/:firmwareVersionId/vulnerability-findings/export',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'exportVulnerabilityFindings',
        summary: 'Export all findings of a firmware version as CSV or SARIF 2.1.0',
        description:
          'Ignored and closed findings are included; SARIF marks them as `suppressed`. In CSV, texts that a spreadsheet would read as a formula begin with an apostrophe.',
        tags: ['Vulnerability findings'],
        params: defineWorkspaceParams('firmwareVersionId'),
        querystring: ExportQuery,
        produces: ['text/csv', 'application/sarif+json'],
        response: {
          200: {
            content: {
              'text/csv': { schema: Type.String() },
              'application/sarif+json': { schema: Sarif },
            },
          },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, query: { format = 'csv' }, reading }, reply) => {
      const { content, contentType, fileName } = await exportFindings(reading, {
        ...params,
        format,
      })
      return reply
        .type(contentType)
        .header('content-disposition', formatAttachmentHeader(fileName))
        .send(content)
    },
  )
}
