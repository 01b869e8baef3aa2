import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  applyPatch,
  MERGED,
  PATCH_TYPES,
  PatchOf,
  readPrecondition,
} from '../../platform/http/editing.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { registerBadgeRoute } from './badge/routes.ts'
import * as schemas from './schemas.ts'
import {
  createFirmware,
  deleteFirmware,
  deleteFirmwareVersion,
  type FirmwareFields,
  getFirmware,
  getFirmwareVersion,
  updateFirmware,
} from './service.ts'
import { listFirmwares, listFirmwareVersions } from './store.ts'
import {
  changeFirmwareVersion,
  createFirmwareVersion,
  type VersionFields,
  withDevicesAndMarks,
  withDevicesAndMark,
} from './version-service.ts'

const tags = ['Firmware']
const FirmwareParams = defineWorkspaceParams('firmwareId')
const FirmwareVersionParams = defineWorkspaceParams('firmwareVersionId')
const Deleted = Type.Null({ description: 'Deleted' })

export function registerFirmwareRoutes(app: App, ctx: AppContext): void {
  registerBadgeRoute(app, ctx)

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

  app.get(
    '/firmwares/:firmwareId',
    {
      config: { scope: 'Firmware: read', edits: schemas.UpdateFirmwareCommand },
      schema: {
        operationId: 'getFirmware',
        summary: 'One firmware',
        tags,
        params: FirmwareParams,
        response: { 200: schemas.Firmware, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getFirmware(ctx.db, params.workspaceId, params.firmwareId),
  )

  app.put(
    '/firmwares/:firmwareId',
    {
      config: { scope: 'Firmware: write', edits: schemas.UpdateFirmwareCommand },
      schema: {
        operationId: 'updateFirmware',
        summary: 'Replace the fields of a firmware',
        tags,
        params: FirmwareParams,
        body: schemas.UpdateFirmwareCommand,
        response: { 200: schemas.Firmware, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params, body, principal } = request
      const { actor } = principal
      return updateFirmware(ctx, {
        ...params,
        ...body,
        actor,
        precondition: readPrecondition(request),
      })
    },
  )

  app.patch(
    '/firmwares/:firmwareId',
    {
      config: { scope: 'Firmware: write', edits: schemas.UpdateFirmwareCommand },
      ...MERGED,
      schema: {
        operationId: 'patchFirmware',
        summary: 'Change some fields of a firmware',
        tags,
        consumes: PATCH_TYPES,
        params: FirmwareParams,
        body: PatchOf('FirmwarePatch', schemas.UpdateFirmwareCommand),
        response: { 200: schemas.Firmware, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params: path, principal } = request
      const { actor } = principal
      return applyPatch(request, {
        read: () => getFirmware(ctx.db, path.workspaceId, path.firmwareId),
        write: (command: FirmwareFields, precondition) =>
          updateFirmware(ctx, { ...path, ...command, actor, precondition }),
      })
    },
  )

  app.delete(
    '/firmwares/:firmwareId',
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteFirmware',
        summary: 'Delete a firmware with its versions and their SBOMs',
        tags,
        params: FirmwareParams,
        response: { 204: Deleted, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteFirmware(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )

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
      config: { readsReplica: true, scope: 'Firmware: read' },
      schema: {
        operationId: 'listFirmwareVersions',
        summary: 'All versions of a firmware, newest first',
        tags,
        params: FirmwareParams,
        response: { 200: schemas.FirmwareVersionList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, firmwareId } }) => {
      const { id } = await getFirmware(ctx.db, workspaceId, firmwareId)
      const versions = await listFirmwareVersions(ctx.db, workspaceId, id)
      return { firmwareVersions: await withDevicesAndMarks(ctx, workspaceId, versions) }
    },
  )

  app.get(
    '/firmware-versions/:firmwareVersionId',
    {
      config: { scope: 'Firmware: read', edits: schemas.ChangeFirmwareVersionCommand },
      schema: {
        operationId: 'getFirmwareVersion',
        summary: 'One firmware version',
        tags,
        params: FirmwareVersionParams,
        response: { 200: schemas.FirmwareVersion, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, firmwareVersionId } }) => {
      const version = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
      return withDevicesAndMark(ctx, workspaceId, version)
    },
  )

  app.patch(
    '/firmware-versions/:firmwareVersionId',
    {
      config: { scope: 'Firmware: write', edits: schemas.ChangeFirmwareVersionCommand },
      ...MERGED,
      schema: {
        operationId: 'changeFirmwareVersion',
        summary: 'Change fields of a firmware version',
        tags,
        consumes: PATCH_TYPES,
        params: FirmwareVersionParams,
        body: PatchOf('FirmwareVersionPatch', schemas.ChangeFirmwareVersionCommand),
        response: { 200: schemas.FirmwareVersion, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params: path, principal } = request
      const { actor } = principal
      return applyPatch(request, {
        read: () => getFirmwareVersion(ctx.db, path.workspaceId, path.firmwareVersionId),
        write: (command: VersionFields, precondition) =>
          changeFirmwareVersion(ctx, { ...path, ...command, actor, precondition }),
      }).then((version) => withDevicesAndMark(ctx, path.workspaceId, version))
    },
  )

  app.delete(
    '/firmware-versions/:firmwareVersionId',
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteFirmwareVersion',
        summary: 'Delete a firmware version with its SBOMs',
        tags,
        params: FirmwareVersionParams,
        response: { 204: Deleted, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteFirmwareVersion(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}
