import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { registerEditable } from '../../../platform/http/editable-resource.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  createOverride,
  deleteOverride,
  getOverride,
  listOverrides,
  updateOverride,
} from './service.ts'

const tags = ['SBOMs']
const OverrideParams = defineWorkspaceParams('overrideId')

export function registerPackageOverrideRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/package-overrides',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listPackageOverrides',
        summary: 'All package overrides of the workspace',
        tags,
        params: WorkspaceParams,
        querystring: schemas.PackageOverrideQuery,
        response: { 200: schemas.PackageOverrideList, ...defineProblems(400, 404) },
      },
    },
    async ({ params, query }) => ({ overrides: await listOverrides(ctx, { ...params, ...query }) }),
  )

  app.post(
    '/package-overrides',
    {
      config: { scope: 'SBOMs: write' },
      schema: {
        operationId: 'createPackageOverride',
        summary: 'Create a package override; its components are identified and matched again',
        tags,
        params: WorkspaceParams,
        body: schemas.PackageOverrideCommand,
        response: { 201: schemas.PackageOverride, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createOverride(ctx, { ...params, ...body, actor })),
  )

  registerEditable(app, {
    path: '/package-overrides/:overrideId',
    tags,
    scope: 'SBOMs',
    params: OverrideParams,
    command: schemas.ReplaceOverrideCommand,
    answer: schemas.PackageOverride,
    get: { operationId: 'getPackageOverride', summary: 'One package override' },
    put: {
      operationId: 'updatePackageOverride',
      summary: 'Replace a package override',
      mayConflict: true,
    },
    patch: {
      operationId: 'patchPackageOverride',
      summary: 'Change some fields of a package override',
      name: 'PackageOverridePatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deletePackageOverride',
      summary: 'Delete a package override; its components are identified as declared again',
      remove: (removal) => deleteOverride(ctx, removal),
    },
    read: ({ workspaceId, overrideId }) => getOverride(ctx.db, workspaceId, overrideId),
    write: (change) => updateOverride(ctx, change),
  })
}
