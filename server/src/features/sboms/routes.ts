import type { FastifyError } from 'fastify'
import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { openBody } from '../../platform/http/body-digest.ts'
import { leaveBodiesUnread, STREAMED } from '../../platform/http/streamed-body.ts'
import { isUuid } from '../../platform/ids.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import { nameSbomBlob, isContentLinkValid } from './stored-file.ts'
import { registerPackageOverrideRoutes } from './package-overrides/routes.ts'
import { registerReplacementRoutes } from './replacement/routes.ts'
import * as schemas from './schemas.ts'
import { deleteSbom, getStoredSbom, linkContent, listSboms, uploadSboms } from './service.ts'
import { registerSourceFileRoutes } from './source-files/routes.ts'

const tags = ['SBOMs']
const SbomParams = defineWorkspaceParams('sbomId')
const FirmwareVersionParams = defineWorkspaceParams('firmwareVersionId')

export function registerSbomRoutes(app: App, ctx: AppContext): void {
  registerPackageOverrideRoutes(app, ctx)
  void app.register((upload: App, _options, done) => {
    uploadRoute(upload, ctx)
    done()
  })

  app.get(
    '/firmware-versions/:firmwareVersionId/sboms',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listSboms',
        summary: 'All SBOMs of a firmware version',
        tags,
        params: FirmwareVersionParams,
        response: { 200: schemas.SbomList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, firmwareVersionId } }) => {
      const { id } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
      return { sboms: await listSboms(ctx, workspaceId, id) }
    },
  )

  app.get(
    '/sboms/:sbomId/content',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'getSbomContentLink',
        summary: 'A link to the uploaded file that needs no API key and expires',
        tags,
        params: SbomParams,
        response: { 200: schemas.SbomContentLink, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => linkContent(ctx, params),
  )

  app.delete(
    '/sboms/:sbomId',
    {
      config: { scope: 'SBOMs: write' },
      schema: {
        operationId: 'deleteSbom',
        summary: 'Delete an SBOM; findings that no other SBOM supports are resolved',
        tags,
        params: SbomParams,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteSbom(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )

  registerReplacementRoutes(app, ctx)
  registerSourceFileRoutes(app, ctx)
}

/** The interface has 400 for content types that the upload does not take. */
function refuseMediaType(error: FastifyError): never {
  if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error
  throw invalid('The Content-Type is not a media type. Send application/octet-stream.')
}

function uploadRoute(app: App, ctx: AppContext): void {
  leaveBodiesUnread(app)
  app.post(
    '/firmware-versions/:firmwareVersionId/sboms',
    {
      config: { scope: 'SBOMs: write' },
      ...STREAMED,
      errorHandler: refuseMediaType,
      schema: {
        operationId: 'uploadSboms',
        summary: 'Upload one or more SBOMs',
        description:
          'Send multipart/form-data with one or more file parts (any field name), or one document as the raw body. The content tells the format: CycloneDX (JSON, XML) or SPDX (2 JSON, 2 tag-value, 3 JSON-LD); gzip, zstd and a tar of SPDX documents are accepted, too. Parsing runs after the answer: poll the list of SBOMs until parsingState is no longer InProgress.',
        tags,
        consumes: ['multipart/form-data', 'application/octet-stream'],
        params: FirmwareVersionParams,
        querystring: schemas.UploadQuery,
        body: schemas.UploadBody,
        response: { 202: schemas.UploadAccepted, ...defineProblems(400, 404, 413, 429) },
      },
    },
    async (sent, reply) => {
      const { params, query, headers, principal } = sent
      const { actor } = principal
      const request = { headers, body: openBody(sent), fileName: query.fileName }
      return reply
        .code(202)
        .send(await uploadSboms(ctx, { ...params, actor, request, replace: query.replace }))
    },
  )
}

const ContentParams = Type.Object({ workspaceId: Type.String(), sbomId: Type.String() })
const ContentQuery = Type.Object({
  expires: Type.Integer(),
  signature: Type.String({ maxLength: 100 }),
})

/** Answers the file of a signed link. It needs no API key: the signature authorises. */
export function registerSbomContentRoute(app: App, ctx: AppContext): void {
  app.get(
    '/content/sboms/:workspaceId/:sbomId',
    { schema: { hide: true, params: ContentParams, querystring: ContentQuery } },
    async ({ params, query }, reply) => {
      const valid =
        isUuid(params.workspaceId) &&
        isContentLinkValid(ctx.signingKey, { ...params, ...query }, ctx.now())
      if (!valid)
        throw new AppError(
          'forbidden',
          'content-link-invalid',
          'This link is not valid or has expired. Request a new one.',
        )
      const { workspaceId } = params
      const {
        id: sbomId,
        firmwareVersionId,
        fileName,
        sizeBytes,
      } = await getStoredSbom(ctx, workspaceId, params.sbomId)
      // Opened before the headers are set: a problem must not have the headers of the file.
      const content = await ctx.blobs.get(nameSbomBlob({ workspaceId, firmwareVersionId, sbomId }))
      return reply
        .type('application/octet-stream')
        .header('content-length', sizeBytes)
        .header('content-disposition', formatAttachmentHeader(fileName))
        .header('cache-control', 'private, no-store')
        .send(content)
    },
  )
}
