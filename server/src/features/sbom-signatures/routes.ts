import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { addSbomSignature, deleteSbomSignature, listSbomVerifications } from './service.ts'

const tags = ['SBOMs']

/** An envelope may hold the document itself. */
const ENVELOPE_BODY_BYTES = 32 * 1024 * 1024

const DESCRIPTION = `Checked on the bytes that were uploaded: a signature inside CycloneDX JSON (JSF), and those that stand beside the document. The answer holds with the
keys that are trusted now. States: \`Verified\` by a trusted key; \`Untrusted\`: signed, by no trusted key; \`NotSigned\`; \`NotChecked\`: it could not be checked,
and the reason says why; \`Broken\`: the document is not what was signed; \`Checking\`: not done yet. A broken signature refuses no upload.`

export function registerSbomSignatureRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/sbom-signatures',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listSbomVerifications',
        summary: 'Show who signed the SBOMs of a firmware version',
        description: DESCRIPTION,
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.SbomVerificationList, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => listSbomVerifications({ db: reading.db, now: ctx.now }, params),
  )

  app.post(
    '/sboms/:sbomId/signatures',
    {
      config: { scope: 'SBOMs: write' },
      bodyLimit: ENVELOPE_BODY_BYTES,
      schema: {
        operationId: 'addSbomSignature',
        summary: 'Put a signature beside an SBOM',
        description:
          'Of minisign, of cosign (sign-blob with a key), of openssl, or a DSSE envelope. The SBOM is checked again with it. Sending the same one again changes nothing.',
        tags,
        params: defineWorkspaceParams('sbomId'),
        body: schemas.AddSbomSignatureCommand,
        response: { 201: schemas.SignatureBesideSbom, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await addSbomSignature(ctx, { ...params, ...body, actor })),
  )

  app.delete(
    '/sboms/:sbomId/signatures/:signatureId',
    {
      config: { scope: 'SBOMs: write' },
      schema: {
        operationId: 'deleteSbomSignature',
        summary: 'Take away a signature that stands beside an SBOM',
        tags,
        params: defineWorkspaceParams('sbomId', 'signatureId'),
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      await deleteSbomSignature(ctx, { ...request.params, actor: request.principal.actor })
      return reply.code(204).send(null)
    },
  )
}
