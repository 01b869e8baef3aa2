import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import { createDownloadRate } from '../download-rate.ts'
import { sendArtifact } from '../download-service.ts'
import * as schemas from './schemas.ts'
import {
  createAddress,
  createUseCount,
  deleteAddress,
  findAddressed,
  listAddresses,
} from './service.ts'

const tags = ['Firmware']
const path = '/firmware-versions/:firmwareVersionId/artifact-addresses'
const params = defineWorkspaceParams('firmwareVersionId')

export function registerAddressRoutes(app: App, ctx: AppContext): void {
  app.get(
    path,
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'listArtifactAddresses',
        summary: 'List the standing addresses of files of a firmware version',
        tags,
        params,
        response: { 200: schemas.ArtifactAddressList, ...defineProblems(400, 404) },
      },
    },
    ({ params: version }) => listAddresses(ctx, version),
  )

  app.post(
    path,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'createArtifactAddress',
        summary: 'Make a standing address of a file of a firmware version',
        description:
          'For programs on devices that have no key, such as SWUpdate’s delta handler: whoever knows the address downloads the file, whole or in ranges, until it ends or is revoked, whether a device update is open or not. The file may be uploaded later.',
        tags,
        params,
        body: schemas.CreateAddressCommand,
        response: { 201: schemas.ArtifactAddress, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: version, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createAddress(ctx, { ...version, ...body, actor })),
  )

  app.delete(
    `${path}/:addressId`,
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteArtifactAddress',
        summary: 'Revoke a standing address',
        tags,
        params: defineWorkspaceParams('firmwareVersionId', 'addressId'),
        response: { 204: Type.Null({ description: 'Revoked' }), ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      await deleteAddress(ctx, { ...request.params, actor: request.principal.actor })
      return reply.code(204).send(null)
    },
  )
}

const AddressParams = Type.Object({ workspaceId: Type.String(), addressId: Type.String() })
const AddressQuery = Type.Object({ secret: Type.String({ maxLength: 200 }) })

/** It has no guard: the secret in the address authorises the download. */
export function registerAddressDownloadRoute(app: App, ctx: AppContext): void {
  const takeDownload = createDownloadRate(ctx.config.deviceDownloadBytesPerMinute)
  const uses = createUseCount(ctx)
  app.addHook('onClose', uses.flush)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/device/v1/:workspaceId/files/:addressId',
    exposeHeadRoute: false,
    schema: { hide: true, params: AddressParams, querystring: AddressQuery },
    handler: async (request, reply) => {
      const given = { ...request.params, ...request.query }
      // Nobody says which device asks: those behind one address share.
      const pace = await takeDownload(`${given.addressId} ${request.ip}`)
      const file = await findAddressed(ctx, given)
      await uses.count(given)
      return sendArtifact(ctx, { request, reply, pace }, file)
    },
  })
}
