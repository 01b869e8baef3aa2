import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { addStatement, deleteStatement, listStatements, readStatementText } from './service.ts'

const tags = ['Firmware']
const path = '/firmware-versions/:firmwareVersionId/provenance-statements'
const params = defineWorkspaceParams('firmwareVersionId')
const oneParams = defineWorkspaceParams('firmwareVersionId', 'statementId')
/** The text is a string of JSON, in which a quotation mark has two bytes. */
const BODY_BYTES = 2 * schemas.MOST_STATEMENT_BYTES + 4096

export function registerProvenanceRoutes(app: App, ctx: AppContext): void {
  app.get(
    path,
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'listProvenanceStatements',
        summary: 'List the statements about the files of a firmware version',
        tags,
        params,
        response: { 200: schemas.ProvenanceStatementList, ...defineProblems(400, 404) },
      },
    },
    ({ params: version, reading }) => listStatements({ db: reading.db, now: ctx.now }, version),
  )

  app.post(
    path,
    {
      bodyLimit: BODY_BYTES,
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'addProvenanceStatement',
        summary: 'Upload a statement about files of a firmware version',
        description:
          'An in-toto statement by itself, in a DSSE envelope, or in a bundle of Sigstore: SLSA provenance, an attested SBOM, or any other. Signatures are checked with the trusted keys of the workspace, again whenever these change. One whose signature is not valid is refused. Sending the same one again changes nothing.',
        tags,
        params,
        body: schemas.AddProvenanceStatementCommand,
        response: { 201: schemas.ProvenanceStatement, ...defineProblems(400, 404, 409, 413) },
      },
    },
    async ({ params: version, body, principal: { actor } }, reply) =>
      reply.code(201).send(await addStatement(ctx, { ...version, ...body, actor })),
  )

  app.get(
    `${path}/:statementId`,
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'getProvenanceStatement',
        summary: 'The text of a statement, as it was uploaded',
        tags,
        params: oneParams,
        response: { 200: schemas.ProvenanceStatementText, ...defineProblems(400, 404) },
      },
    },
    ({ params: one, reading }) => readStatementText(reading.db, one),
  )

  app.delete(
    `${path}/:statementId`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteProvenanceStatement',
        summary: 'Delete a statement about files of a firmware version',
        tags,
        params: oneParams,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      await deleteStatement(ctx, { ...request.params, actor: request.principal.actor })
      return reply.code(204).send(null)
    },
  )
}
