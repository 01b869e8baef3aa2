import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { listCohortDevices, setCohortDevices } from './members/service.ts'
import * as schemas from './schemas.ts'
import { changeCohort, createCohort, deleteCohort, getCohort, previewTagRule } from './service.ts'
import { listCohorts } from './store.ts'

const tags = ['Deployments']
const params = defineWorkspaceParams('deploymentCohortId')
const PATH = '/deployment-cohorts/:deploymentCohortId'
const DEVICE_LIST_BYTES = 16 * 1024 * 1024

export function registerCohortRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/deployment-cohorts',
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'createDeploymentCohort',
        summary: 'Create a cohort: devices that are updated together',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateCohortCommand,
        response: { 201: schemas.Cohort, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createCohort(ctx, { ...path, ...body, actor })),
  )

  app.get(
    '/deployment-cohorts',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listDeploymentCohorts',
        summary: 'List all cohorts of the workspace, oldest first',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.CohortList, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId } }) => ({
      deploymentCohorts: await listCohorts(ctx.db, workspaceId),
    }),
  )

  app.post(
    '/deployment-cohorts/preview',
    {
      config: { scope: 'Deployments: read', isExpensive: true },
      schema: {
        operationId: 'previewCohortRule',
        summary: 'Preview which devices a tag rule would move between cohorts; changes nothing',
        tags,
        params: WorkspaceParams,
        body: schemas.PreviewTagRuleCommand,
        response: { 200: schemas.TagRulePreview, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body, reading }) => previewTagRule(reading.db, { ...path, ...body }),
  )

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Deployments',
    params,
    command: schemas.ChangeCohortCommand,
    answer: schemas.Cohort,
    get: { operationId: 'getDeploymentCohort', summary: 'Get a cohort' },
    patch: {
      operationId: 'changeDeploymentCohort',
      summary: 'Change fields of a cohort',
      name: 'DeploymentCohortPatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deleteDeploymentCohort',
      summary: 'Delete a cohort with its past deployments',
      mayConflict: true,
      remove: (removal) => deleteCohort(ctx, removal),
    },
    read: ({ workspaceId, deploymentCohortId }) =>
      getCohort(ctx.db, workspaceId, deploymentCohortId),
    write: (change) => changeCohort(ctx, change),
  })

  app.put(
    `${PATH}/devices`,
    {
      bodyLimit: DEVICE_LIST_BYTES,
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'setDeploymentCohortDevices',
        summary: 'Replace the hand-picked devices of a cohort',
        tags,
        params,
        body: schemas.SetCohortDevicesCommand,
        response: { 200: schemas.Cohort, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params: path, body, principal: { actor } }) =>
      setCohortDevices(ctx, { ...path, ...body, actor }),
  )

  app.get(
    `${PATH}/devices`,
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'listDeploymentCohortDevices',
        summary: 'List the devices of a cohort, ordered by id',
        tags,
        params,
        querystring: schemas.CohortDevicesQuery,
        response: { 200: schemas.CohortDevicePage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, query }) => listCohortDevices(ctx, { ...path, ...query }),
  )
}
