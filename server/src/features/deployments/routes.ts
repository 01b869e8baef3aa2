import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, workspaceParams } from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  cancelDeployment,
  createDeployment,
  listDeployments,
  pauseDeployment,
  resumeDeployment,
  showDeployment,
} from './service.ts'
import { rollBackDeployment } from './rollback-service.ts'
import { listDeviceUpdates } from './device-updates/list-service.ts'

const tags = ['Deployments']
const CohortParams = workspaceParams('deploymentCohortId')
const params = workspaceParams('deploymentCohortId', 'deploymentId')
const COHORT = '/deployment-cohorts/:deploymentCohortId/deployments'
const PATH = `${COHORT}/:deploymentId`

export function deploymentRoutes(app: App, ctx: AppContext): void {
  app.post(
    COHORT,
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'createDeployment',
        summary: 'Deploy firmware versions to the devices of a cohort',
        description: "The cohort's active deployment, if it has one, ends.",
        tags,
        params: CohortParams,
        body: schemas.CreateDeploymentCommand,
        response: { 201: schemas.Deployment, ...problems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createDeployment(ctx, { ...path, ...body, actor })),
  )

  app.get(
    COHORT,
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listDeployments',
        summary: 'The deployments of a cohort, newest first',
        tags,
        params: CohortParams,
        querystring: schemas.DeploymentListQuery,
        response: { 200: schemas.DeploymentPage, ...problems(400, 404) },
      },
    },
    ({ params: path, query }) => listDeployments(ctx, { ...path, ...query }),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'getDeployment',
        summary: 'One deployment',
        tags,
        params,
        response: { 200: schemas.Deployment, ...problems(400, 404) },
      },
    },
    ({ params: path }) => showDeployment(ctx.db, path),
  )

  app.post(
    `${PATH}/device-updates/list`,
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listDeviceUpdates',
        summary: 'How far a deployment is on each device, by device id, page by page',
        tags,
        params,
        body: schemas.ListDeviceUpdatesCommand,
        response: { 200: schemas.DeviceUpdatePage, ...problems(400, 404) },
      },
    },
    ({ params: path, body }) => listDeviceUpdates(ctx, { ...path, ...body }),
  )

  void app.register((bodiless: App) => {
    ignoreBodies(bodiless)
    commandRoutes(bodiless, ctx)
    return Promise.resolve()
  })
}

/** Clients name a media type also where they send nothing. */
function ignoreBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, _body, done) => {
    done(null, undefined)
  })
}

function commandRoutes(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/rollback`,
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'rollBackDeployment',
        summary: 'Take the devices back to the firmware versions before',
        description:
          'A new deployment holds the artifacts of the one before, and all devices of the cohort. Phases and the release gate do not hold it back.',
        tags,
        params,
        response: { 200: schemas.Deployment, ...problems(400, 404, 409) },
      },
    },
    ({ params: path, principal: { actor } }) => rollBackDeployment(ctx, { ...path, actor }),
  )

  const changes = [
    ['cancel', 'End a deployment; devices that work on it are told to stop', cancelDeployment],
    ['pause', 'No further device begins', pauseDeployment],
    ['resume', 'Devices begin again, whatever failed up to now', resumeDeployment],
  ] as const
  for (const [name, summary, change] of changes)
    app.post(
      `${PATH}/${name}`,
      {
        config: { scope: 'Deployments: write' },
        schema: {
          operationId: `${name}Deployment`,
          summary,
          tags,
          params,
          response: { 200: schemas.Deployment, ...problems(400, 404, 409) },
        },
      },
      ({ params: path, principal: { actor } }) => change(ctx, { ...path, actor }),
    )
}
