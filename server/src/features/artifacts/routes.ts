import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { openBody } from '../../platform/http/body-digest.ts'
import { leaveBodiesUnread, STREAMED } from '../../platform/http/streamed-body.ts'
import { createDownloadRate } from './download-rate.ts'
import { findLinkedArtifact, requireLink, sendArtifact } from './download-service.ts'
import { answerUpload, showUpload } from './uploads/answers.ts'
import { cancelUpload, getUpload } from './uploads/parts-service.ts'
import { registerAddressDownloadRoute, registerAddressRoutes } from './addresses/routes.ts'
import { registerRoleRoutes } from './roles/routes.ts'
import * as schemas from './schemas.ts'
import { deleteArtifact, getArtifact, putArtifact, readImage } from './service.ts'

const tags = ['Firmware']
const path = '/firmware-versions/:firmwareVersionId/artifact'
const params = defineWorkspaceParams('firmwareVersionId')
const deleted = Type.Null({ description: 'Deleted' })

export function registerArtifactRoutes(app: App, ctx: AppContext): void {
  void app.register((upload: App, _options, done) => {
    putRoute(upload, ctx)
    done()
  })

  app.get(
    path,
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'getFirmwareArtifact',
        summary: 'Get name, size and digests of the binary of a firmware version',
        tags,
        params,
        response: { 200: schemas.Artifact, ...defineProblems(400, 404) },
      },
    },
    async ({ params: version }) => shownArtifact(await getArtifact(ctx, version)),
  )

  app.delete(
    path,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteFirmwareArtifact',
        summary: 'Delete the binary of a firmware version that was never deployed',
        tags,
        params,
        response: { 204: deleted, ...defineProblems(400, 404, 409) },
      },
    },
    async (request, reply) => {
      await deleteArtifact(ctx, { ...request.params, actor: request.principal.actor })
      return reply.code(204).send(null)
    },
  )

  contentRoute(app, ctx)
  uploadRoutes(app, ctx)
  registerRoleRoutes(app, ctx)
  registerAddressRoutes(app, ctx)
}

function contentRoute(app: App, ctx: AppContext): void {
  app.get(
    `${path}/content`,
    {
      config: { scope: 'Firmware: read' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'getFirmwareArtifactContent',
        summary: 'Download the binary, or ranges of it',
        tags,
        params,
        ...schemas.describeContentAnswers(),
      },
    },
    async (request, reply) =>
      sendArtifact(ctx, { request, reply }, await getArtifact(ctx, request.params)),
  )
}

function uploadRoutes(app: App, ctx: AppContext): void {
  app.get(
    `${path}/upload`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'getFirmwareArtifactUpload',
        summary: 'Show the progress of an upload in parts',
        tags,
        params,
        response: { 200: schemas.ArtifactUpload, ...defineProblems(400, 404) },
      },
    },
    async ({ params: version }) => {
      const { key } = await readImage(ctx.db, version)
      return showUpload(await getUpload(ctx, key))
    },
  )

  app.delete(
    `${path}/upload`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'cancelFirmwareArtifactUpload',
        summary: 'Cancel an upload in parts and discard what has arrived',
        tags,
        params,
        response: { 204: deleted, ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      const { key } = await readImage(ctx.db, request.params)
      await cancelUpload(ctx, key)
      return reply.code(204).send(null)
    },
  )
}

const DESCRIPTION = `Send the raw bytes. Repr-Digest and Content-Digest (RFC 9530: sha-256 or sha-512) are checked. A Content-Encoding is
refused. Sending the same bytes again answers 200. Other bytes replace the artifact until a deployment holds the version.

Large files can be sent in parts, in order. The first part, with \`Content-Range: bytes 0-8388607/104857600\`, answers 202 with
an uploadId. The other parts send this id in the query. After an interruption GET …/artifact/upload shows where to continue. The
last part answers like an upload of the whole file. \`Content-Range: bytes */104857600\` without a body requests that answer again.`

function putRoute(app: App, ctx: AppContext): void {
  leaveBodiesUnread(app)
  app.put(
    path,
    {
      config: { scope: 'Firmware: write' },
      ...STREAMED,
      schema: {
        operationId: 'uploadFirmwareArtifact',
        summary: 'Upload the binary of a firmware version',
        description: DESCRIPTION,
        tags,
        consumes: ['application/octet-stream'],
        params,
        querystring: schemas.ArtifactQuery,
        body: schemas.ArtifactBody,
        response: {
          200: schemas.Artifact,
          201: schemas.Artifact,
          202: schemas.ArtifactUpload,
          ...defineProblems(400, 404, 409, 413),
        },
      },
    },
    async (request, reply) => {
      const { headers, query, principal } = request
      const body = openBody(request)
      const input = { ...request.params, ...query, headers, body, actor: principal.actor }
      const outcome = await putArtifact(ctx, input)
      return answerUpload(reply, outcome, shownArtifact)
    },
  )
}

type Artifact = Awaited<ReturnType<typeof getArtifact>>

function shownArtifact(artifact: Omit<Artifact, 'workspaceId'>) {
  const { firmwareVersionId, fileName, sizeBytes, sha256, sha1, md5 } = artifact
  const { createdAt, createdByEmail, isDeployed } = artifact
  const digests = { sha256, sha1, md5 }
  const made = { createdAt, createdByEmail }
  return { firmwareVersionId, fileName, sizeBytes, ...digests, ...made, isDeployed }
}

const LinkParams = Type.Object({
  workspaceId: Type.String(),
  updateId: Type.String(),
  fileName: Type.String(),
})

/** Serves the download links of device updates, and standing addresses. They have no guard: the secret in the link authorises the download. */
export function registerArtifactDownloadRoute(app: App, ctx: AppContext): void {
  registerAddressDownloadRoute(app, ctx)
  const takeDownload = createDownloadRate(ctx.config.deviceDownloadBytesPerMinute)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/device/v1/:workspaceId/updates/:updateId/artifacts/:fileName',
    exposeHeadRoute: false,
    schema: { hide: true, params: LinkParams, querystring: schemas.ArtifactOfUpdateQuery },
    handler: async (request, reply) => {
      const link = { ...request.params, ...request.query }
      requireLink(ctx, link)
      const pace = await takeDownload(`${link.workspaceId} ${link.updateId}`)
      const artifact = await findLinkedArtifact(ctx, link)
      return sendArtifact(ctx, { request, reply, pace }, artifact)
    },
  })
}
