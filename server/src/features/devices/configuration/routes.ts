import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { readPrecondition } from '../../../platform/http/editing.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import {
  changeConfigurations,
  getConfigurationChange,
  listConfigurationChanges,
} from './changes-service.ts'
import * as schemas from './schemas.ts'
import {
  getDesiredConfiguration,
  getReportedConfiguration,
  setDesiredConfiguration,
} from './service.ts'

const tags = ['Devices']
const DeviceParams = defineWorkspaceParams('deviceId')

export function registerConfigurationRoutes(app: App, ctx: AppContext): void {
  app.put(
    '/devices/:deviceId/configuration/desired',
    {
      config: { scope: 'Devices: write', edits: schemas.SetDesiredConfigurationCommand },
      schema: {
        operationId: 'setDesiredDeviceConfiguration',
        summary: 'Set the desired configuration of a device',
        tags,
        params: DeviceParams,
        body: schemas.SetDesiredConfigurationCommand,
        response: { 204: Type.Null({ description: 'Set' }), ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      const { params, body, principal } = request
      const precondition = readPrecondition(request)
      const { actor } = principal
      await setDesiredConfiguration(ctx, { ...params, ...body, actor, precondition })
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/devices/:deviceId/configuration/desired',
    {
      config: { scope: 'Devices: read', edits: schemas.SetDesiredConfigurationCommand },
      schema: {
        operationId: 'getDesiredDeviceConfiguration',
        summary: 'Get the desired configuration of a device and the version it acknowledged',
        tags,
        params: DeviceParams,
        response: { 200: schemas.DesiredConfiguration, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getDesiredConfiguration(ctx, params),
  )

  app.get(
    '/devices/:deviceId/configuration/reported',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'getReportedDeviceConfiguration',
        summary: 'Get the configuration that a device reports',
        tags,
        params: DeviceParams,
        response: { 200: schemas.ReportedConfiguration, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getReportedConfiguration(ctx, params),
  )

  app.post(
    '/device-configuration-changes',
    {
      config: { scope: 'Devices: write' },
      schema: {
        operationId: 'changeDeviceConfigurations',
        summary: 'Set the desired configuration of many devices',
        description:
          'The devices are selected at the time of the request and changed in the background. Read the progress by the id of the change.',
        tags,
        params: WorkspaceParams,
        body: schemas.ChangeConfigurationsCommand,
        response: { 202: schemas.ConfigurationChange, ...defineProblems(400, 404) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(202).send(await changeConfigurations(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/device-configuration-changes',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listDeviceConfigurationChanges',
        summary: 'List the newest 100 configuration changes',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.ConfigurationChangeList, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => listConfigurationChanges(ctx.db, params.workspaceId),
  )

  app.get(
    '/device-configuration-changes/:changeId',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'getDeviceConfigurationChange',
        summary: 'Get the progress of a configuration change',
        tags,
        params: defineWorkspaceParams('changeId'),
        response: { 200: schemas.ConfigurationChange, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getConfigurationChange(ctx.db, params),
  )
}
