import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import {
  deleteCrashLines,
  listCrashAddresses,
  listCrashBuilds,
  putCrashLines,
} from './lines/service.ts'
import * as lines from './lines/schemas.ts'
import * as schemas from './schemas.ts'
import {
  closeCrashGroup,
  getCrashGroup,
  getDeviceCrashes,
  getVersionCrashes,
  listCrashGroups,
  reopenCrashGroup,
} from './service.ts'

const tags = ['Crashes']

export function registerCrashRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/crash-groups',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listCrashGroups',
        summary: 'List groups of crashes of devices',
        description:
          'Crashes with the same reason and the same functions at the top of the stack are a group; or the same addresses of one build, until its lines are uploaded.',
        tags,
        params: WorkspaceParams,
        querystring: schemas.CrashGroupsQuery,
        response: { 200: schemas.CrashGroupPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listCrashGroups(reading, { ...params, ...query }),
  )

  app.get(
    '/crash-groups/:crashGroupId',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'getCrashGroup',
        summary: 'Get a group of crashes with its versions, devices and newest reports',
        tags,
        params: defineWorkspaceParams('crashGroupId'),
        response: { 200: schemas.CrashGroupDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getCrashGroup(reading, params),
  )

  app.post(
    '/crash-groups/:crashGroupId/close',
    {
      config: { scope: 'Devices: write' },
      schema: {
        operationId: 'closeCrashGroup',
        summary: 'Close a group of crashes as mended in a version',
        description:
          'It opens again by itself when devices with this version, or with one that was created later, crash alike.',
        tags,
        params: defineWorkspaceParams('crashGroupId'),
        body: schemas.CloseCrashGroupCommand,
        response: { 200: schemas.CrashGroupDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => closeCrashGroup(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/crash-groups/:crashGroupId/reopen',
    {
      config: { scope: 'Devices: write' },
      schema: {
        operationId: 'reopenCrashGroup',
        summary: 'Open a closed group of crashes again',
        tags,
        params: defineWorkspaceParams('crashGroupId'),
        response: { 200: schemas.CrashGroupDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params, principal: { actor } }) => reopenCrashGroup(ctx, { ...params, actor }),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/crashes',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'getVersionCrashes',
        summary: 'Show how a firmware version crashes, and what of it is new',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.VersionCrashes, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getVersionCrashes(reading, params),
  )

  app.get(
    '/devices/:deviceId/crashes',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'getDeviceCrashes',
        summary: 'Show the newest crashes of a device',
        tags,
        params: defineWorkspaceParams('deviceId'),
        response: { 200: schemas.DeviceCrashes, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getDeviceCrashes(reading, params),
  )

  registerLineRoutes(app, ctx)
}

function registerLineRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/crash-builds',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listCrashBuilds',
        summary: 'List the builds that crashes name, and how many of their addresses have no lines',
        tags,
        params: WorkspaceParams,
        querystring: lines.CrashBuildsQuery,
        response: { 200: lines.CrashBuildPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listCrashBuilds(reading, { ...params, ...query }),
  )

  app.get(
    '/crash-builds/:buildId/addresses',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listCrashAddresses',
        summary: 'List the addresses of a build to look up in its debug information',
        tags,
        params: defineWorkspaceParams('buildId'),
        querystring: lines.CrashAddressesQuery,
        response: { 200: lines.CrashAddresses, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listCrashAddresses(reading.db, { ...params, ...query }),
  )

  app.put(
    '/crash-builds/:buildId/lines',
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'putCrashLines',
        summary: 'Upload where addresses of a build lie in the source',
        description:
          'Lines of other addresses stay. Crashes whose top addresses all have lines are grouped by names of functions, with those of other builds. `plimsoll crash resolve` does it with addr2line.',
        tags,
        params: defineWorkspaceParams('buildId'),
        body: lines.PutCrashLinesCommand,
        response: { 200: lines.PutCrashLines, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => putCrashLines(ctx, { ...params, ...body, actor }),
  )

  app.delete(
    '/crash-builds/:buildId/lines',
    {
      config: { scope: 'Firmware: write' },
      schema: {
        operationId: 'deleteCrashLines',
        summary: 'Take the lines of a build back, such as those of a wrong file',
        description: 'Its crashes are grouped by addresses again, until other lines are uploaded.',
        tags,
        params: defineWorkspaceParams('buildId'),
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteCrashLines(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}
