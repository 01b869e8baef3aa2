import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { DeviceSelectionCommand } from '../bulk-devices/index.ts'
import {
  DeviceSchema,
  issueDeviceKey,
  listDeviceKeys,
  listFewDeviceKeys,
  revokeDeviceKey,
} from '../devices/index.ts'
import { getKeyAges } from './key-ages-service.ts'
import * as schemas from './schemas.ts'
import { askKeyRotation, cancelKeyRotation, rotateKeys, undoKeyRotations } from './service.ts'

const tags = ['Devices']
const config = { scope: 'Devices: write' } as const
const OF_DEVICE = '/devices/:deviceId/key-rotation'

export function registerDeviceKeyRoutes(app: App, ctx: AppContext): void {
  keyRoutes(app, ctx)
  rotationRoutes(app, ctx)
}

function keyRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/device-keys',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listDeviceKeys',
        summary: 'List the keys with which devices connect, without the keys themselves',
        description:
          'All of them in one answer. Of more than 1,000 read pages: `POST …/device-keys/list`.',
        tags,
        params: WorkspaceParams,
        querystring: schemas.DeviceKeysQuery,
        response: { 200: schemas.DeviceKeys, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => listFewDeviceKeys(ctx, { ...params, ...query }),
  )

  app.post(
    '/device-keys/list',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listDeviceKeyPages',
        summary: 'List the keys with which devices connect page by page',
        tags,
        params: WorkspaceParams,
        body: schemas.ListDeviceKeysCommand,
        response: { 200: schemas.DeviceKeyPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body }) => listDeviceKeys(ctx, { ...params, ...body }),
  )

  app.post(
    '/device-keys',
    {
      config: { scope: 'Devices: write', needsPerson: 'or terminal', showsSecret: true },
      schema: {
        operationId: 'createDeviceKey',
        summary: 'Create a device key, for one device or for all',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateDeviceKeyCommand,
        response: { 201: schemas.CreatedDeviceKey, ...defineProblems(400, 404) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await issueDeviceKey(ctx, { ...params, ...body, actor })),
  )

  app.delete(
    '/device-keys/:deviceKeyId',
    {
      config: { scope: 'Devices: write', needsPerson: 'or terminal' },
      schema: {
        operationId: 'revokeDeviceKey',
        summary: 'Revoke a device key; the connections that use it end',
        tags,
        params: defineWorkspaceParams('deviceKeyId'),
        response: { 204: Type.Null({ description: 'Revoked' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, deviceKeyId: id }, principal: { actor } }, reply) => {
      await revokeDeviceKey(ctx, { workspaceId, id, actor })
      return reply.code(204).send(null)
    },
  )
}

function rotationRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/device-key-ages',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'getDeviceKeyAges',
        summary: 'Count devices by the age of their keys, as it is or as it would be',
        description:
          'Keys of devices are replaced by age where `deviceKeyRotationDays` of the settings or `keyRotationDays` of a cohort says so.',
        tags,
        params: WorkspaceParams,
        querystring: schemas.KeyAgesQuery,
        response: { 200: schemas.KeyAges, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => getKeyAges(ctx, reading.db, { ...params, ...query }),
  )

  const ofDevice = {
    tags,
    params: defineWorkspaceParams('deviceId'),
    response: { 200: DeviceSchema, ...defineProblems(400, 404, 409) },
  }
  app.post(
    OF_DEVICE,
    {
      config,
      schema: {
        operationId: 'askKeyRotation',
        summary:
          'Ask a device to fetch its next key; the present one ends when the new one was used',
        ...ofDevice,
      },
    },
    ({ params, principal: { actor } }) => askKeyRotation(ctx, { ...params, actor }),
  )

  app.delete(
    OF_DEVICE,
    {
      config,
      schema: {
        operationId: 'cancelKeyRotation',
        summary: 'Ask a device no more to fetch its next key, unless it has fetched it',
        ...ofDevice,
      },
    },
    ({ params, principal: { actor } }) => cancelKeyRotation(ctx, { ...params, actor }),
  )

  app.post(
    '/devices/bulk-rotate-keys',
    {
      config: { ...config, namesIn: 'filter' },
      schema: {
        operationId: 'rotateDeviceKeys',
        summary: 'Ask many devices to fetch their next keys, or preview which can',
        tags,
        params: WorkspaceParams,
        body: DeviceSelectionCommand,
        response: { 200: schemas.RotatedKeys, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => rotateKeys(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/devices/bulk-rotate-keys/:keyRotationBatchId/undo',
    {
      config,
      schema: {
        operationId: 'undoRotateDeviceKeys',
        summary: 'Ask devices no more to fetch their next keys, unless they have fetched them',
        tags,
        params: defineWorkspaceParams('keyRotationBatchId'),
        response: { 200: schemas.UndoneKeyRotations, ...defineProblems(400, 404) },
      },
    },
    ({ params, principal: { actor } }) => undoKeyRotations(ctx, { ...params, actor }),
  )
}
