import { Type } from 'typebox'
import { warningsForOwners } from '../../config/warnings.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, WorkspaceParams, workspaceParams } from '../../platform/http/schemas.ts'
import {
  UpdateWorkspaceSettingsCommand,
  WhoAmI,
  WorkspaceMembers,
  WorkspaceSettings,
} from './schemas.ts'
import { getSettings, removeMember, updateSettings } from './service.ts'
import { listMembers } from './store.ts'

export function workspaceRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/settings',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'getWorkspaceSettings',
        summary: 'Get the settings of the workspace',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        response: { 200: WorkspaceSettings, ...problems(400, 404) },
      },
    },
    ({ params }) => getSettings(ctx, params.workspaceId),
  )

  app.put(
    '/settings',
    {
      config: { scope: 'Workspace settings: write' },
      schema: {
        operationId: 'updateWorkspaceSettings',
        summary: 'Replace the settings of the workspace',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        body: UpdateWorkspaceSettingsCommand,
        response: { 200: WorkspaceSettings, ...problems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => updateSettings(ctx, { ...params, ...body, actor }),
  )

  app.get(
    '/members',
    {
      config: { scope: 'Workspace members: read' },
      schema: {
        operationId: 'listWorkspaceMembers',
        summary: 'List the members of the workspace',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        response: { 200: WorkspaceMembers, ...problems(400, 404) },
      },
    },
    ({ params }) => listMembers(ctx.db, params.workspaceId),
  )

  app.delete(
    '/members/:subjectId',
    {
      config: { scope: 'Workspace members: write' },
      schema: {
        operationId: 'removeWorkspaceMember',
        summary: 'Remove a member from the workspace',
        tags: ['Workspaces'],
        params: workspaceParams('subjectId'),
        response: { 204: Type.Null({ description: 'Removed' }), ...problems(400, 404) },
      },
    },
    async ({ params, principal: { actor } }, reply) => {
      await removeMember(ctx, { ...params, actor })
      return reply.code(204).send(null)
    },
  )
}

/** A client that has only a key finds its workspace here. */
export function whoamiRoute(app: App, ctx: AppContext): void {
  app.get(
    '/whoami',
    {
      schema: {
        operationId: 'whoAmI',
        summary: 'Get the workspace and the scopes of the key',
        tags: ['Workspaces'],
        response: { 200: WhoAmI, ...problems() },
      },
    },
    async ({ principal: { workspaceId, scopes } }) => {
      const { name } = await getSettings(ctx, workspaceId)
      const mayChange = scopes.has('Workspace settings: write')
      const warnings = mayChange ? warningsForOwners(ctx.config) : []
      return { workspaceId, workspaceName: name, scopes: [...scopes], warnings }
    },
  )
}
