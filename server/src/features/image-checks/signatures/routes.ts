import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { addArtifactSignature, deleteArtifactSignature, listArtifactSignatures } from './service.ts'

const tags = ['Firmware']
const path = '/firmware-versions/:firmwareVersionId/artifact/signatures'
const params = defineWorkspaceParams('firmwareVersionId')

export function registerArtifactSignatureRoutes(app: App, ctx: AppContext): void {
  app.get(
    path,
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'listArtifactSignatures',
        summary: 'List the signatures that stand beside the artifacts of a firmware version',
        tags,
        params,
        response: { 200: schemas.ArtifactSignatureList, ...defineProblems(400, 404) },
      },
    },
    ({ params: version, reading }) => listArtifactSignatures(reading.db, version),
  )

  app.post(
    path,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'addArtifactSignature',
        summary: 'Put a signature beside an artifact of a firmware version',
        description:
          'For formats that hold none: of minisign, of cosign (sign-blob with a key), or of openssl. The artifact is checked again with it, so one that is not of these bytes makes it `Broken` or `Untrusted`. Another artifact of the version has none. Sending the same one again changes nothing.',
        tags,
        params,
        body: schemas.AddSignatureCommand,
        response: { 201: schemas.ArtifactSignature, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: version, body, principal: { actor } }, reply) =>
      reply.code(201).send(await addArtifactSignature(ctx, { ...version, ...body, actor })),
  )

  app.delete(
    `${path}/:signatureId`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteArtifactSignature',
        summary: 'Take away a signature that stands beside an artifact',
        tags,
        params: defineWorkspaceParams('firmwareVersionId', 'signatureId'),
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      await deleteArtifactSignature(ctx, { ...request.params, actor: request.principal.actor })
      return reply.code(204).send(null)
    },
  )
}
