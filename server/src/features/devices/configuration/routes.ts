import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { problems, WorkspaceParams, workspaceParams } from '../../../platform/http/schemas.ts'
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
const DeviceParams = workspaceParams('deviceId')

export function configurationRoutes(app: App, ctx: AppContext): void {
  app.put(
    '/devices/:deviceId/configuration/desired',
    {
      config: { scope: 'Devices: write' },
      schema: {
        operationId: 'setDesiredDeviceConfiguration',
        summary: 'Set the desired configuration of a device',
        tags,
        params: DeviceParams,
        body: schemas.SetDesiredConfigurationCommand,
        response: { 204: Type.Null({ description: 'Set' }), ...problems(400, 404) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) => {
      await setDesiredConfiguration(ctx, { ...params, ...body, actor })
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/devices/:deviceId/configuration/desired',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'getDesiredDeviceConfiguration',
        summary: 'What a device is asked to use, and what it acknowledged of that',
        tags,
        params: DeviceParams,
        response: { 200: schemas.DesiredConfiguration, ...problems(400, 404) },
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
        summary: 'What a device says it uses',
        tags,
        params: DeviceParams,
        response: { 200: schemas.ReportedConfiguration, ...problems(400, 404) },
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
          'The devices are those that are meant when this is asked for. They are changed in the background: read the progress by its id.',
        tags,
        params: WorkspaceParams,
        body: schemas.ChangeConfigurationsCommand,
        response: { 202: schemas.ConfigurationChange, ...problems(400, 404) },
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
        summary: 'The newest 100 changes of many devices, newest first',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.ConfigurationChangeList, ...problems(400, 404) },
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
        summary: 'How far a change of many devices has come',
        tags,
        params: workspaceParams('changeId'),
        response: { 200: schemas.ConfigurationChange, ...problems(400, 404) },
      },
    },
    ({ params }) => getConfigurationChange(ctx.db, params),
  )
}
