import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { BlindSpotPage, ListBlindSpotsCommand } from './list/schemas.ts'
import { listBlindSpots, listDevices, summariseDevices } from './list/service.ts'
import { changeDevice, createDevice, deleteDevice, getDevice, importDevices } from './service.ts'
import * as schemas from './schemas.ts'

const tags = ['Devices']
const DeviceParams = defineWorkspaceParams('deviceId')

export function registerDeviceRoutes(app: App, ctx: AppContext): void {
  listRoutes(app, ctx)
  changeRoutes(app, ctx)
}

function listRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/devices/list',
    {
      config: { scope: 'Devices: read', namesIn: 'filter' },
      schema: {
        operationId: 'listDevices',
        summary: 'List devices',
        tags,
        params: WorkspaceParams,
        body: schemas.ListDevicesCommand,
        response: { 200: schemas.DevicePage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listDevices(reading, { ...params, ...body }),
  )

  app.get(
    '/device-summary',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'summariseDevices',
        summary: 'Count devices: connected, by last contact, and with blind spots',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.DeviceSummary, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => summariseDevices(reading, params),
  )

  app.post(
    '/blind-spots/list',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listBlindSpots',
        summary: 'List unknown versions and unexpected images that devices report',
        tags,
        params: WorkspaceParams,
        body: ListBlindSpotsCommand,
        response: { 200: BlindSpotPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body }) => listBlindSpots(ctx, { ...params, ...body }),
  )

  registerEditable(app, {
    path: '/devices/:deviceId',
    tags,
    scope: 'Devices',
    params: DeviceParams,
    command: schemas.ChangeDeviceCommand,
    answer: schemas.Device,
    get: { operationId: 'getDevice', summary: 'Get a device' },
    patch: {
      operationId: 'changeDevice',
      summary: 'Change fields of a device',
      name: 'DevicePatch',
    },
    delete: {
      operationId: 'deleteDevice',
      summary: 'Delete a device with its own keys and data',
      remove: (removal) => deleteDevice(ctx, removal),
    },
    read: ({ workspaceId, deviceId }) => getDevice(ctx, workspaceId, deviceId),
    write: (change) => changeDevice(ctx, change),
  })
}

function changeRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/devices',
    {
      config: { scope: 'Devices: write' },
      schema: {
        operationId: 'createDevice',
        summary: 'Register a device',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateDeviceCommand,
        response: { 201: schemas.Device, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createDevice(ctx, { ...params, ...body, actor })),
  )

  app.post(
    '/devices/import',
    {
      config: { scope: 'Devices: write' },
      schema: {
        operationId: 'importDevices',
        summary: 'Register up to 1,000 devices',
        tags,
        params: WorkspaceParams,
        body: schemas.ImportDevicesCommand,
        response: { 200: schemas.ImportedDevices, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => importDevices(ctx, { ...params, ...body, actor }),
  )
}
