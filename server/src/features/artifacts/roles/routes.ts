import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { openBody } from '../../../platform/http/body-digest.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import { leaveBodiesUnread, STREAMED } from '../../../platform/http/streamed-body.ts'
import { sendArtifact } from '../download-service.ts'
import { ArtifactBody, ArtifactUpload, describeContentAnswers } from '../schemas.ts'
import { answerUpload, showUpload } from '../uploads/answers.ts'
import { cancelUpload, getUpload } from '../uploads/parts-service.ts'
import * as schemas from './schemas.ts'
import {
  deleteRoleArtifact,
  getRoleArtifact,
  listVersionArtifacts,
  putRoleArtifact,
  readRole,
} from './service.ts'

const tags = ['Firmware']
const path = '/firmware-versions/:firmwareVersionId/artifacts'

export function registerRoleRoutes(app: App, ctx: AppContext): void {
  void app.register((upload: App, _options, done) => {
    putRoute(upload, ctx)
    done()
  })
  uploadRoutes(app, ctx)

  app.get(
    path,
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'listFirmwareArtifacts',
        summary: 'List the full image of a firmware version, its parts and its deltas',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.RoleArtifacts, ...defineProblems(400, 404) },
      },
    },
    async ({ params }) => {
      const { isDeployed, artifacts, uploads } = await listVersionArtifacts(ctx, params)
      return {
        isDeployed,
        artifacts: artifacts.map(showArtifact),
        uploads: uploads.map(showUnfinished),
      }
    },
  )

  app.get(
    `${path}/:role/content`,
    {
      config: { scope: 'Firmware: read' },
      exposeHeadRoute: false,
      schema: {
        operationId: 'getFirmwareRoleArtifactContent',
        summary: 'Download a part or a delta, or ranges of it',
        tags,
        params: schemas.RoleParams,
        querystring: schemas.RoleQuery,
        ...describeContentAnswers(),
      },
    },
    async (request, reply) => {
      const artifact = await getRoleArtifact(ctx, { ...request.params, ...request.query })
      return sendArtifact(ctx, { request, reply }, artifact)
    },
  )

  app.delete(
    `${path}/:role`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteFirmwareRoleArtifact',
        summary: 'Delete a part or a delta of a firmware version that no deployment offers',
        tags,
        params: schemas.RoleParams,
        querystring: schemas.RoleQuery,
        response: {
          204: Type.Null({ description: 'Deleted' }),
          ...defineProblems(400, 404, 409),
        },
      },
    },
    async (request, reply) => {
      const { params, query, principal } = request
      await deleteRoleArtifact(ctx, { ...params, ...query, actor: principal.actor })
      return reply.code(204).send(null)
    },
  )
}

function uploadRoutes(app: App, ctx: AppContext): void {
  app.get(
    `${path}/:role/upload`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'getFirmwareRoleArtifactUpload',
        summary: 'Show the progress of an upload of a part or a delta',
        tags,
        params: schemas.RoleParams,
        querystring: schemas.RoleQuery,
        response: { 200: ArtifactUpload, ...defineProblems(400, 404) },
      },
    },
    async ({ params, query }) => {
      const { key } = await readRole(ctx.db, { ...params, ...query })
      return showUpload(await getUpload(ctx, key))
    },
  )

  app.delete(
    `${path}/:role/upload`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'cancelFirmwareRoleArtifactUpload',
        summary: 'Cancel an upload of a part or a delta and discard what has arrived',
        tags,
        params: schemas.RoleParams,
        querystring: schemas.RoleQuery,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params, query }, reply) => {
      const { key } = await readRole(ctx.db, { ...params, ...query })
      await cancelUpload(ctx, key)
      return reply.code(204).send(null)
    },
  )
}

const DESCRIPTION = `Send the raw bytes, whole or in parts, with digests, as for the full image. A \`delta\` names in \`baseVersionId\` the version that
it begins with: a device that reports to run exactly this version is offered the delta in place of the full image. Any other role is a
part, which is offered beside the image to devices whose client takes several artifacts. Sending other bytes replaces what was there,
until a deployment offers it. Once a deployment holds the version, only deltas can be added: deployments that are made from then on
offer them, those before go on as they are.`

function putRoute(app: App, ctx: AppContext): void {
  leaveBodiesUnread(app)
  app.put(
    `${path}/:role`,
    {
      config: { scope: 'Firmware: write' },
      ...STREAMED,
      schema: {
        operationId: 'uploadFirmwareRoleArtifact',
        summary: 'Upload a part or a delta of a firmware version',
        description: DESCRIPTION,
        tags,
        consumes: ['application/octet-stream'],
        params: schemas.RoleParams,
        querystring: schemas.RoleUploadQuery,
        body: ArtifactBody,
        response: {
          200: schemas.RoleArtifact,
          201: schemas.RoleArtifact,
          202: ArtifactUpload,
          ...defineProblems(400, 404, 409, 413),
        },
      },
    },
    async (request, reply) => {
      const { params, headers, query, principal } = request
      const body = openBody(request)
      const input = { ...params, ...query, headers, body, actor: principal.actor }
      return answerUpload(reply, await putRoleArtifact(ctx, input), showArtifact)
    },
  )
}

type Version = Awaited<ReturnType<typeof listVersionArtifacts>>
type Listed = Version['artifacts'][number]

function showUnfinished(upload: Version['uploads'][number]) {
  const { role, baseVersionId, baseVersion, createdByEmail } = upload
  return { role, baseVersionId, baseVersion, ...showUpload(upload), createdByEmail }
}

function showArtifact(artifact: Listed) {
  const { role, baseVersionId, baseVersion, fileName, sizeBytes } = artifact
  const { sha256, sha1, md5, createdAt, createdByEmail, isDeployed } = artifact
  const named = { role, baseVersionId, baseVersion, fileName, sizeBytes }
  return { ...named, sha256, sha1, md5, createdAt, createdByEmail, isDeployed }
}
