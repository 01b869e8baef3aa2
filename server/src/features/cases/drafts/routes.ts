import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { getIntermediateDraft, exportDraft, getDraft, writeField } from './service.ts'

const tags = ['Cases']
const PATH = '/cases/:caseId/drafts/:stage'

export function registerDraftRoutes(app: App, ctx: AppContext): void {
  app.get(
    PATH,
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'getCaseDraft',
        summary: 'Get the draft of a report: each field with its text, and where that comes from',
        description:
          'Texts are proposed from product lines, findings, records, devices, decisions and deployments as they are now, unless somebody wrote one. Fields that the platform carries on have what was submitted before. Nothing is sent.',
        tags,
        params: schemas.DraftParams,
        response: { 200: schemas.CaseDraft, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getDraft(ctx, reading.db, params),
  )

  app.get(
    '/cases/:caseId/report-requests/:requestId/draft',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'getIntermediateReportDraft',
        summary: 'A text for an intermediate report, of what is known now',
        description: 'Nothing is kept before it is submitted, and nothing is sent.',
        tags,
        params: defineWorkspaceParams('caseId', 'requestId'),
        response: { 200: schemas.IntermediateDraft, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => getIntermediateDraft(ctx, reading.db, params),
  )

  app.post(
    `${PATH}/fields`,
    {
      config: { scope: 'Cases: write' },
      schema: {
        operationId: 'writeCaseDraftField',
        summary: 'Write a field of a draft over what is proposed, or take that back',
        tags,
        params: schemas.DraftParams,
        body: schemas.WriteFieldCommand,
        response: { 200: schemas.CaseDraft, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => writeField(ctx, { ...params, ...body, actor }),
  )

  app.get(
    `${PATH}/export`,
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'exportCaseDraft',
        summary: 'Export the draft of a report as text or Markdown, in the order of the platform',
        tags,
        params: schemas.DraftParams,
        querystring: schemas.ExportDraftQuery,
        produces: ['text/plain', 'text/markdown'],
        response: {
          200: {
            content: {
              'text/plain': { schema: Type.String() },
              'text/markdown': { schema: Type.String() },
            },
          },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, query: { format = 'text' }, reading }, reply) => {
      const { content, contentType, fileName } = await exportDraft(ctx, reading.db, {
        ...params,
        format,
      })
      return reply
        .type(`${contentType}; charset=utf-8`)
        .header('content-disposition', formatAttachmentHeader(fileName))
        .send(content)
    },
  )
}
