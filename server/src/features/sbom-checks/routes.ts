import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, Nullable, Shape, WorkspaceParams } from '../../platform/http/schemas.ts'
import { leaveBodiesUnread, STREAMED } from '../../platform/http/streamed-body.ts'
import { CoverageSchema } from '../coverage/index.ts'
import { VulnerabilityFindingPage } from '../findings/index.ts'
import { LicenceCounts } from '../licences/index.ts'
import { ListedSbomSchema } from '../sboms/index.ts'
import { SupportSummarySchema } from '../support/index.ts'
import { checkSbom } from './service.ts'

const CheckQuery = Type.Object(
  {
    fileName: Type.Optional(Type.String({ maxLength: 1000 })),
    baseVersionId: Type.Optional(
      Type.String({
        description:
          'A firmware version: the document is judged as its next version, so that decisions are carried over from it',
      }),
    ),
  },
  { additionalProperties: false },
)

const CheckBody = {
  content: { 'application/octet-stream': { schema: Type.String({ format: 'binary' }) } },
}

const CheckedSbom = Shape('CheckedSbom', {
  sboms: Type.Array(ListedSbomSchema, {
    description: 'The document. Its id names nothing afterwards, as those of the findings',
  }),
  coverage: CoverageSchema,
  findings: VulnerabilityFindingPage.properties.findings,
  hasMore: Type.Boolean({ description: 'There are more than the 10,000 worst findings' }),
  switchedOffCount: Type.Integer(),
  support: Nullable(SupportSummarySchema, { description: 'null: the document could not be read' }),
  licences: Nullable(LicenceCounts, {
    description:
      'Components by what the licence rules say; null: there are no rules, or the document could not be read',
  }),
})

export function registerSbomCheckRoutes(workspace: App, ctx: AppContext): void {
  void workspace.register((app: App, _options, done) => {
    leaveBodiesUnread(app)
    app.post(
      '/sbom-checks',
      {
        config: { isExpensive: true, scope: 'SBOMs: write' },
        ...STREAMED,
        schema: {
          operationId: 'checkSbom',
          summary: 'Judge an SBOM without keeping it',
          description:
            'Send one document as the raw body, or as a file part of multipart/form-data. The answer has what a firmware version with this SBOM alone would have: its components and findings, worst first. The document is read under the limits of an upload. Nothing of it is kept. The key needs `Vulnerabilities: read` as well.',
          tags: ['SBOMs'],
          consumes: ['application/octet-stream', 'multipart/form-data'],
          params: WorkspaceParams,
          querystring: CheckQuery,
          body: CheckBody,
          response: { 200: CheckedSbom, ...defineProblems(400, 403, 404, 413, 429) },
        },
      },
      ({ params, query, raw, headers, principal }) => {
        const request = { headers, body: raw, fileName: query.fileName }
        return checkSbom(ctx, { ...params, principal, request, baseVersionId: query.baseVersionId })
      },
    )
    done()
  })
}
