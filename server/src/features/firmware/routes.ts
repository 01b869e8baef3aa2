import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { registerBadgeRoute } from './badge/routes.ts'
import { registerLineRoutes } from './lines/routes.ts'
import * as schemas from './schemas.ts'
import {
  createFirmware,
  deleteFirmware,
  deleteFirmwareVersion,
  getFirmware,
  getFirmwareVersion,
  updateFirmware,
} from './service.ts'
import { listFirmwares, listFirmwareVersions } from './store.ts'
import {
  changeFirmwareVersion,
  createFirmwareVersion,
  withDevicesAndMarks,
  withDevicesAndMark,
} from './version-service.ts'

const tags = ['Firmware']
const FirmwareParams = defineWorkspaceParams('firmwareId')
const FirmwareVersionParams = defineWorkspaceParams('firmwareVersionId')

export function registerFirmwareRoutes(app: App, ctx: AppContext): void {
  registerBadgeRoute(app, ctx)
  registerLineRoutes(app, ctx)

  app.post(
    '/firmwares',
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'createFirmware',
        summary: 'Create a firmware',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateFirmwareCommand,
        response: { 201: schemas.Firmware, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createFirmware(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/firmwares',
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'listFirmwares',
        summary: 'All firmwares of the workspace',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.FirmwareList, ...defineProblems(400, 404) },
      },
    },
    async ({ params }) => ({ firmwares: await listFirmwares(ctx.db, params.workspaceId) }),
  )

  registerEditable(app, {
    path: '/firmwares/:firmwareId',
    tags,
    scope: 'Firmware',
    params: FirmwareParams,
    command: schemas.UpdateFirmwareCommand,
    answer: schemas.Firmware,
    get: { operationId: 'getFirmware', summary: 'One firmware' },
    put: {
      operationId: 'updateFirmware',
      summary: 'Replace the fields of a firmware',
      mayConflict: true,
    },
    patch: {
      operationId: 'patchFirmware',
      summary: 'Change some fields of a firmware',
      name: 'FirmwarePatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deleteFirmware',
      summary: 'Delete a firmware with its versions and their SBOMs',
      mayConflict: true,
      remove: (removal) => deleteFirmware(ctx, removal),
    },
    read: ({ workspaceId, firmwareId }) => getFirmware(ctx.db, workspaceId, firmwareId),
    write: (change) => updateFirmware(ctx, change),
  })

  app.post(
    '/firmwares/:firmwareId/versions',
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'createFirmwareVersion',
        summary: 'Create a firmware version',
        tags,
        params: FirmwareParams,
        body: schemas.CreateFirmwareVersionCommand,
        response: { 201: schemas.FirmwareVersion, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) => {
      const input = { ...params, ...body, actor }
      const version = await createFirmwareVersion(ctx, input)
      return reply.code(201).send(await withDevicesAndMark(ctx, params.workspaceId, version))
    },
  )

  app.get(
    '/firmwares/:firmwareId/versions',
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'listFirmwareVersions',
        summary: 'All versions of a firmware, newest first',
        tags,
        params: FirmwareParams,
        response: { 200: schemas.FirmwareVersionList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, firmwareId }, reading }) => {
      const { id } = await getFirmware(reading.db, workspaceId, firmwareId)
      const versions = await listFirmwareVersions(reading.db, workspaceId, id)
      return { firmwareVersions: await withDevicesAndMarks(reading, workspaceId, versions) }
    },
  )

  registerEditable(app, {
    path: '/firmware-versions/:firmwareVersionId',
    tags,
    scope: 'Firmware',
    params: FirmwareVersionParams,
    command: schemas.ChangeFirmwareVersionCommand,
    answer: schemas.FirmwareVersion,
    get: { operationId: 'getFirmwareVersion', summary: 'One firmware version' },
    patch: {
      operationId: 'changeFirmwareVersion',
      summary: 'Change fields of a firmware version',
      name: 'FirmwareVersionPatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deleteFirmwareVersion',
      summary: 'Delete a firmware version with its SBOMs',
      mayConflict: true,
      remove: (removal) => deleteFirmwareVersion(ctx, removal),
    },
    read: async ({ workspaceId, firmwareVersionId }) =>
      withDevicesAndMark(
        ctx,
        workspaceId,
        await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId),
      ),
    write: async (change) =>
      withDevicesAndMark(ctx, change.workspaceId, await changeFirmwareVersion(ctx, change)),
  })
}
