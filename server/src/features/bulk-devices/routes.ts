import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { undoDeviceBatch } from './batches-service.ts'
import * as schemas from './schemas.ts'
import { deleteDevices, moveDevices, tagDevices } from './service.ts'

const tags = ['Devices']

export function registerBulkDeviceRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/devices/bulk-tag',
    {
      config: { scope: 'Devices: write', namesIn: 'filter' },
      schema: {
        operationId: 'tagDevices',
        summary: 'Add and remove tags of many devices, or preview what would change',
        description: 'Tag rules of cohorts decide at once about devices whose tags changed.',
        tags,
        params: WorkspaceParams,
        body: schemas.TagDevicesCommand,
        response: { 200: schemas.TaggedDevices, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => tagDevices(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/devices/bulk-move',
    {
      config: { scope: 'Deployments: write', namesIn: 'filter' },
      schema: {
        operationId: 'moveDevices',
        summary: 'Pick many devices for a cohort or leave them to tag rules, or preview the moves',
        tags,
        params: WorkspaceParams,
        body: schemas.MoveDevicesCommand,
        response: { 200: schemas.MovedDevices, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => moveDevices(ctx, { ...params, ...body, actor }),
  )

  registerUndo(app, ctx)

  app.post(
    '/devices/bulk-delete',
    {
      config: { scope: 'Devices: write', namesIn: 'filter' },
      schema: {
        operationId: 'deleteDevices',
        summary: 'Delete many devices with their keys and data, or preview how many',
        tags,
        params: WorkspaceParams,
        body: schemas.DeviceSelectionCommand,
        response: { 200: schemas.DeletedDevices, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => deleteDevices(ctx, { ...params, ...body, actor }),
  )
}

const UNDOES =
  'Each device gets the tags and the cohort that it had before, also where they differed. Devices that were changed since are left as they are.'

function registerUndo(app: App, ctx: AppContext): void {
  const params = defineWorkspaceParams('deviceBatchId')
  const response = { 200: schemas.UndoneDeviceBatch, ...defineProblems(400, 404, 409) }
  app.post(
    '/devices/bulk-tag/:deviceBatchId/undo',
    {
      config: { scope: 'Devices: write' },
      schema: {
        operationId: 'undoTagDevices',
        summary: 'Take back a change of tags of many devices',
        description: UNDOES,
        tags,
        params,
        response,
      },
    },
    ({ params: path, principal: { actor } }) =>
      undoDeviceBatch(ctx, { ...path, act: 'Tag', actor }),
  )

  app.post(
    '/devices/bulk-move/:deviceBatchId/undo',
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'undoMoveDevices',
        summary: 'Take back a move of many devices',
        description: UNDOES,
        tags,
        params,
        response,
      },
    },
    ({ params: path, principal: { actor } }) =>
      undoDeviceBatch(ctx, { ...path, act: 'Move', actor }),
  )
}
