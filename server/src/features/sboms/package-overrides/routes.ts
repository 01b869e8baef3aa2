import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  applyPatch,
  MERGED,
  PATCH_TYPES,
  PatchOf,
  readPrecondition,
} from '../../../platform/http/editing.ts'
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
  type OverrideInput,
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

  app.get(
    '/package-overrides/:overrideId',
    {
      config: { scope: 'SBOMs: read', edits: schemas.ReplaceOverrideCommand },
      schema: {
        operationId: 'getPackageOverride',
        summary: 'One package override',
        tags,
        params: OverrideParams,
        response: { 200: schemas.PackageOverride, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getOverride(ctx.db, params.workspaceId, params.overrideId),
  )

  app.put(
    '/package-overrides/:overrideId',
    {
      config: { scope: 'SBOMs: write', edits: schemas.ReplaceOverrideCommand },
      schema: {
        operationId: 'updatePackageOverride',
        summary: 'Replace a package override',
        tags,
        params: OverrideParams,
        body: schemas.ReplaceOverrideCommand,
        response: { 200: schemas.PackageOverride, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params, body, principal } = request
      const { actor } = principal
      return updateOverride(ctx, {
        ...params,
        ...body,
        actor,
        precondition: readPrecondition(request),
      })
    },
  )

  app.patch(
    '/package-overrides/:overrideId',
    {
      config: { scope: 'SBOMs: write', edits: schemas.ReplaceOverrideCommand },
      ...MERGED,
      schema: {
        operationId: 'patchPackageOverride',
        summary: 'Change some fields of a package override',
        tags,
        consumes: PATCH_TYPES,
        params: OverrideParams,
        body: PatchOf('PackageOverridePatch', schemas.ReplaceOverrideCommand),
        response: { 200: schemas.PackageOverride, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params: path, principal } = request
      const { actor } = principal
      return applyPatch(request, {
        read: () => getOverride(ctx.db, path.workspaceId, path.overrideId),
        write: (command: OverrideInput, precondition) =>
          updateOverride(ctx, { ...path, ...command, actor, precondition }),
      })
    },
  )

  app.delete(
    '/package-overrides/:overrideId',
    {
      config: { scope: 'SBOMs: write' },
      schema: {
        operationId: 'deletePackageOverride',
        summary: 'Delete a package override; its components are identified as declared again',
        tags,
        params: OverrideParams,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await deleteOverride(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}
