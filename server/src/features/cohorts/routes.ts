import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { applyPatch, MERGED, PATCH_TYPES, PatchOf } from '../../platform/http/editing.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { listCohortDevices, setCohortDevices } from './members/service.ts'
import * as schemas from './schemas.ts'
import {
  changeCohort,
  type CohortFields,
  createCohort,
  deleteCohort,
  getCohort,
  previewTagRule,
} from './service.ts'
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
      config: { scope: 'Deployments: read', isDear: true },
      schema: {
        operationId: 'previewCohortRule',
        summary: 'Preview which devices a tag rule would move between cohorts; changes nothing',
        tags,
        params: WorkspaceParams,
        body: schemas.PreviewTagRuleCommand,
        response: { 200: schemas.TagRulePreview, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body }) => previewTagRule(ctx.db, { ...path, ...body }),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Deployments: read', edits: schemas.ChangeCohortCommand },
      schema: {
        operationId: 'getDeploymentCohort',
        summary: 'Get a cohort',
        tags,
        params,
        response: { 200: schemas.Cohort, ...defineProblems(400, 404) },
      },
    },
    ({ params: path }) => getCohort(ctx.db, path.workspaceId, path.deploymentCohortId),
  )

  app.patch(
    PATH,
    {
      config: { scope: 'Deployments: write', edits: schemas.ChangeCohortCommand },
      ...MERGED,
      schema: {
        operationId: 'changeDeploymentCohort',
        summary: 'Change fields of a cohort',
        tags,
        consumes: PATCH_TYPES,
        params,
        body: PatchOf('DeploymentCohortPatch', schemas.ChangeCohortCommand),
        response: { 200: schemas.Cohort, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params: path, principal } = request
      const { actor } = principal
      return applyPatch(request, {
        read: () => getCohort(ctx.db, path.workspaceId, path.deploymentCohortId),
        write: (command: CohortFields, precondition) =>
          changeCohort(ctx, { ...path, ...command, actor, precondition }),
      })
    },
  )

  app.delete(
    PATH,
    {
      config: { scope: 'Deployments: write' },
      schema: {
        operationId: 'deleteDeploymentCohort',
        summary: 'Delete a cohort with its past deployments',
        tags,
        params,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) => {
      await deleteCohort(ctx, { ...path, actor })
      return reply.code(204).send(null)
    },
  )

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
