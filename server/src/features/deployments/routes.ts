import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import * as updates from './device-updates/schemas.ts'
import { changeDeployment } from './change-service.ts'
import * as schemas from './schemas.ts'
import { cancelDeployment, createDeployment, listDeployments, showDeployment } from './service.ts'
import { listDeviceUpdates, listUpdatesOfDevice } from './device-updates/service.ts'
import { rollBackDeployment } from './rollback/service.ts'
import {
  beginNextPhase,
  pauseDeployment,
  resumeDeployment,
  retryDeviceUpdates,
} from './schedule/service.ts'

const tags = ['Deployments']
const CohortParams = defineWorkspaceParams('deploymentCohortId')
const params = defineWorkspaceParams('deploymentCohortId', 'deploymentId')
const COHORT = '/deployment-cohorts/:deploymentCohortId/deployments'
const PATH = `${COHORT}/:deploymentId`

export function registerDeploymentRoutes(app: App, ctx: AppContext): void {
  app.post(
    COHORT,
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'createDeployment',
        summary: 'Deploy firmware versions to the devices of a cohort',
        description: 'Ends the active deployment of the cohort, if there is one.',
        tags,
        params: CohortParams,
        body: schemas.CreateDeploymentCommand,
        response: { 201: schemas.Deployment, ...defineProblems(400, 404, 409) },
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
        summary: 'List the deployments of a cohort, newest first',
        tags,
        params: CohortParams,
        querystring: schemas.DeploymentListQuery,
        response: { 200: schemas.DeploymentPage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, query, reading }) => listDeployments(reading, { ...path, ...query }),
  )

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Deployments',
    params,
    command: schemas.ChangeDeploymentCommand,
    answer: schemas.Deployment,
    get: { operationId: 'getDeployment', summary: 'Get a deployment' },
    patch: {
      operationId: 'changeDeployment',
      summary: 'Change what has not begun of an active deployment',
      description:
        'Name and note; the start of a scheduled one; later phases; waiting time and thresholds of the present phase; deadlines, attempts, window and consent of devices that begin from now on. A deployment that stopped goes on when it is resumed.',
      name: 'DeploymentPatch',
      mayConflict: true,
    },
    read: (path) => showDeployment(ctx, path),
    write: (change) => changeDeployment(ctx, change),
  })

  app.post(
    `${PATH}/device-updates/list`,
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listDeviceUpdates',
        summary: 'List the device updates of a deployment, ordered by device id',
        tags,
        params,
        body: updates.ListDeviceUpdatesCommand,
        response: { 200: updates.DeviceUpdatePage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body, reading }) => listDeviceUpdates(reading, { ...path, ...body }),
  )

  app.post(
    `${PATH}/device-updates/retry`,
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'retryDeviceUpdates',
        summary: 'Have devices that failed try again; a stopped deployment goes on',
        description:
          'Each of them gets a new attempt, whatever maxAttempts says. Devices that left the cohort do not. When a stopped deployment goes on, the other failures up to now no longer count.',
        tags,
        params,
        body: updates.RetryDeviceUpdatesCommand,
        response: { 200: schemas.Deployment, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params: path, body, principal: { actor } }) =>
      retryDeviceUpdates(ctx, { ...path, ...body, actor }),
  )

  app.get(
    '/devices/:deviceId/updates',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listUpdatesOfDevice',
        summary: 'List the updates of a device, newest first',
        description:
          'One for each deployment that reached it, with its latest attempt; those of deleted cohorts are gone.',
        tags,
        params: defineWorkspaceParams('deviceId'),
        querystring: schemas.DeploymentListQuery,
        response: { 200: updates.UpdatesOfDevicePage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, query }) => listUpdatesOfDevice(ctx, { ...path, ...query }),
  )

  void app.register((bodiless: App) => {
    ignoreBodies(bodiless)
    commandRoutes(bodiless, ctx)
    return Promise.resolve()
  })
}

/** Clients send a Content-Type even without a body. */
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
        summary: 'Roll back to the previous firmware version',
        description:
          'Creates a new deployment for all devices of the cohort, with the artifacts of the newest earlier deployment with other versions that devices of the cohort took. Versions that a rollback left are not restored. It has no phases, and the release gate does not block it.',
        tags,
        params,
        querystring: schemas.RollbackQuery,
        response: { 200: schemas.Deployment, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params: path, query, principal: { actor } }) =>
      rollBackDeployment(ctx, { ...path, ...query, actor }),
  )

  const changes = [
    {
      path: 'cancel',
      operationId: 'cancelDeployment',
      summary: 'Cancel a deployment; devices that work on it are asked to stop',
      change: cancelDeployment,
    },
    {
      path: 'pause',
      operationId: 'pauseDeployment',
      summary: 'Pause a deployment; no further device begins',
      change: pauseDeployment,
    },
  ]
  for (const { path, operationId, summary, change } of changes)
    app.post(
      `${PATH}/${path}`,
      {
        config: { scope: 'Deployments: write' },
        schema: {
          operationId,
          summary,
          tags,
          params,
          response: { 200: schemas.Deployment, ...defineProblems(400, 404, 409) },
        },
      },
      ({ params: named, principal: { actor } }) => change(ctx, { ...named, actor }),
    )

  app.post(
    `${PATH}/resume`,
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'resumeDeployment',
        summary:
          'Resume a deployment; failures up to now no longer count, and what its comparison found is accepted',
        tags,
        params,
        querystring: schemas.ResumeQuery,
        response: { 200: schemas.Deployment, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params: named, query, principal: { actor } }) =>
      resumeDeployment(ctx, { ...named, ...query, actor }),
  )

  app.post(
    `${PATH}/next-phase`,
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'beginNextPhase',
        summary:
          'Begin the next phase now; failures up to now no longer count, and what the comparison found is accepted',
        tags,
        params,
        querystring: schemas.NextPhaseQuery,
        response: { 200: schemas.Deployment, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params: named, query, principal: { actor } }) =>
      beginNextPhase(ctx, { ...named, ...query, actor }),
  )
}
