import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { exportVex, hasStatements } from './export/service.ts'
import { recordPublication } from './export/store.ts'
import { registerAcceptanceRoutes } from './acceptance/routes.ts'
import { deleteVexDocument } from './documents-service.ts'
import { parseBytes } from './bytes-service.ts'
import { importVex } from './service.ts'
import * as schemas from './schemas.ts'
import { listDocuments } from './store.ts'

const tags = ['VEX']
const FirmwareVersionParams = defineWorkspaceParams('firmwareVersionId')

export function registerVexRoutes(app: App, ctx: AppContext): void {
  registerAcceptanceRoutes(app, ctx)
  void app.register((documents: App, _options, done) => {
    documents.removeAllContentTypeParsers()
    documents.addContentTypeParser(
      /^application\/(?:[\w.+-]*\+)?json\b/,
      { parseAs: 'buffer', bodyLimit: MOST_BYTES },
      (_request, body: Buffer, parsed) => {
        try {
          parsed(null, parseBytes(body))
        } catch (error) {
          parsed(error instanceof Error ? error : new Error(String(error)))
        }
      },
    )
    importRoute(documents, ctx)
    done()
  })

  app.get(
    '/firmware-versions/:firmwareVersionId/vex',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'exportVex',
        summary: 'The assessments of a firmware version as a VEX document',
        tags,
        params: FirmwareVersionParams,
        querystring: schemas.ExportQuery,
        response: { 200: schemas.ExportedVex, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, query, reading }, reply) => {
      // What is decided while the document is written may not be in it.
      const at = ctx.now()
      const format = query.format ?? 'openvex'
      const document = await exportVex(reading, { ...params, format })
      await recordPublication(ctx.db, { ...params, at })
      return reply.type('application/json; charset=utf-8').send(document)
    },
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/vex-documents',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listVexDocuments',
        summary: 'The VEX documents about a firmware version, including those inside its SBOMs',
        tags,
        params: FirmwareVersionParams,
        response: { 200: schemas.VexDocumentList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, firmwareVersionId } }) => {
      const { id } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
      const scope = { workspaceId, firmwareVersionId: id }
      return {
        documents: await listDocuments(ctx.db, scope),
        exportable: await hasStatements(ctx.db, scope),
      }
    },
  )

  app.delete(
    '/vex-documents/:documentId',
    {
      config: { scope: 'Vulnerabilities: write' },
      schema: {
        operationId: 'deleteVexDocument',
        summary: 'Delete a VEX document; decisions it made stay',
        tags,
        params: defineWorkspaceParams('documentId'),
        response: {
          204: Type.Null({ description: 'Deleted' }),
          ...defineProblems(400, 404, 409),
        },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteVexDocument(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}

const MOST_BYTES = 32 * 1024 * 1024

function importRoute(app: App, ctx: AppContext): void {
  app.post(
    '/firmware-versions/:firmwareVersionId/vex',
    {
      config: {
        isExpensive: true,
        scope: 'Vulnerabilities: write',
        previewScope: 'Vulnerabilities: read',
      },
      bodyLimit: MOST_BYTES,
      schema: {
        operationId: 'importVex',
        summary:
          'Import a VEX document about a firmware version, or preview what that would change',
        description:
          'Statements about other products are listed as unmatched. For `dryRun=true` the scope `Vulnerabilities: read` is enough.',
        tags,
        params: FirmwareVersionParams,
        querystring: schemas.ImportQuery,
        body: schemas.VexBody,
        response: { 200: schemas.ImportOutcome, ...defineProblems(400, 404, 409, 413) },
      },
    },
    ({ params, query, body, principal: { actor } }) =>
      importVex(ctx, {
        ...params,
        document: body,
        dryRun: query.dryRun === 'true',
        isForVersion: query.forVersion === 'true',
        actor,
      }),
  )
}
