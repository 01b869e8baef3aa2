import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { Type } from 'typebox'
import { defineProblems, WorkspaceParams } from '../../../platform/http/schemas.ts'
import { openBody } from '../../../platform/http/body-digest.ts'
import { leaveBodiesUnread, STREAMED } from '../../../platform/http/streamed-body.ts'
import * as schemas from './schemas.ts'
import { askForImport, askForSync } from './service.ts'

const tags = ['Vulnerabilities']

export function registerSourcesByHandRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/vulnerability-sources/:source/sync',
    {
      config: { scope: 'Workspace settings: write' },
      schema: {
        operationId: 'syncVulnerabilitySource',
        summary: 'Read a source now, in a workspace that keeps the sources',
        tags,
        params: schemas.SourceParams,
        response: { 202: schemas.SyncAccepted, ...defineProblems(400, 403, 404, 409) },
      },
    },
    async ({ params, principal: { actor } }, reply) =>
      reply.code(202).send(await askForSync(ctx, { ...params, actor })),
  )

  void app.register((upload: App, _options, done) => {
    importRoute(upload, ctx)
    done()
  })
}

function importRoute(app: App, ctx: AppContext): void {
  leaveBodiesUnread(app)
  app.post(
    '/vulnerability-sources/imports',
    {
      config: { scope: 'Workspace settings: write', needsPerson: true },
      ...STREAMED,
      schema: {
        operationId: 'importVulnerabilityRecords',
        summary: 'Carry a file of advisories in, in a workspace that keeps the sources',
        description:
          'Send a file as a source publishes it, or a bundle of another service, as the raw body or as multipart/form-data. The content tells what it is. The import runs after the answer: GET …/vulnerability-sources lists it with its progress.',
        tags,
        consumes: ['multipart/form-data', 'application/octet-stream'],
        params: WorkspaceParams,
        querystring: schemas.ImportQuery,
        body: schemas.ImportBody,
        response: {
          202: Type.Object({ id: Type.String() }),
          ...defineProblems(400, 403, 404, 409, 413),
        },
      },
    },
    async (sent, reply) => {
      const { params, query, headers, principal } = sent
      const { actor } = principal
      const { fileName, complete } = query
      const request = { headers, body: openBody(sent), fileName }
      return reply.code(202).send(await askForImport(ctx, { ...params, actor, request, complete }))
    },
  )
}
