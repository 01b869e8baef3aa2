import { Type } from 'typebox'
import { hideVariableNames } from '../../config/warnings.ts'
import { listPortalTemplates } from '../../formats/portal-pages.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEventsRoute } from './events/routes.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import { readPrecondition } from '../../platform/http/editing.ts'
import { VERSION } from '../../version.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { describeOwnKey, requireScope, revokeOwnKey, ROLE_MEANINGS } from '../auth/index.ts'
import {
  ChangeRoleCommand,
  MemberDuties,
  RemoveMemberQuery,
  Roles,
  UpdateWorkspaceSettingsCommand,
  WhoAmI,
  WorkspaceMember,
  WorkspaceMembers,
  WorkspaceSettings,
} from './schemas.ts'
import {
  changeRole,
  getMember,
  getMemberDuties,
  getSettings,
  removeMember,
  updateSettings,
} from './service.ts'
import { listMembers } from './store.ts'

export function registerWorkspaceRoutes(app: App, ctx: AppContext): void {
  registerEventsRoute(app, ctx)

  registerEditable(app, {
    path: '/settings',
    tags: ['Workspaces'],
    scope: 'Workspace settings',
    params: WorkspaceParams,
    command: UpdateWorkspaceSettingsCommand,
    answer: WorkspaceSettings,
    get: { operationId: 'getWorkspaceSettings', summary: 'Get the settings of the workspace' },
    put: {
      operationId: 'updateWorkspaceSettings',
      summary: 'Replace the settings of the workspace',
      mayConflict: true,
    },
    patch: {
      operationId: 'patchWorkspaceSettings',
      summary: 'Change some settings of the workspace',
      name: 'WorkspaceSettingsPatch',
      mayConflict: true,
    },
    read: ({ workspaceId }) => getSettings(ctx, workspaceId),
    write: (change, { hasSecondFactor }) => updateSettings(ctx, { ...change, hasSecondFactor }),
  })

  app.get(
    '/members',
    {
      config: { scope: 'Workspace members: read' },
      schema: {
        operationId: 'listWorkspaceMembers',
        summary: 'List the members of the workspace',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        response: { 200: WorkspaceMembers, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => listMembers(ctx.db, params.workspaceId),
  )

  memberRoutes(app, ctx)
}

function memberRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/roles',
    {
      config: { scope: 'Workspace members: read' },
      schema: {
        operationId: 'listRoles',
        summary: 'List the roles of members, with what each may do',
        tags: ['Workspaces'],
        params: WorkspaceParams,
        response: { 200: Roles, ...defineProblems(400, 404) },
      },
    },
    () => ROLE_MEANINGS,
  )

  app.get(
    '/members/:subjectId/duties',
    {
      config: { scope: 'Workspace members: read' },
      schema: {
        operationId: 'getMemberDuties',
        summary: 'Count what a member looks after, before the member is removed',
        tags: ['Workspaces'],
        params: defineWorkspaceParams('subjectId'),
        response: { 200: MemberDuties, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getMemberDuties(ctx, params),
  )

  app.get(
    '/members/:subjectId',
    {
      config: { scope: 'Workspace members: read', edits: ChangeRoleCommand },
      schema: {
        operationId: 'getWorkspaceMember',
        summary: 'Get a member of the workspace',
        tags: ['Workspaces'],
        params: defineWorkspaceParams('subjectId'),
        response: { 200: WorkspaceMember, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getMember(ctx, params),
  )

  app.put(
    '/members/:subjectId',
    {
      config: { scope: 'Workspace members: write', needsPerson: true, edits: ChangeRoleCommand },
      schema: {
        operationId: 'changeRole',
        summary: 'Change the role of a member, from the next request on',
        tags: ['Workspaces'],
        params: defineWorkspaceParams('subjectId'),
        body: ChangeRoleCommand,
        response: { 204: Type.Null({ description: 'Changed' }), ...defineProblems(400, 404) },
      },
    },
    async (request, reply) => {
      const { params, body, principal } = request
      const { actor, role: by } = principal
      const precondition = readPrecondition(request)
      await changeRole(ctx, { ...params, ...body, by, actor, precondition })
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/members/:subjectId',
    {
      config: { scope: 'Workspace members: write' },
      schema: {
        operationId: 'removeWorkspaceMember',
        summary: 'Remove a member from the workspace',
        description:
          'Sessions, terminal logins and invitations of the member end. API keys that the member made stay unless `revokesKeys` says otherwise; the list of keys names them by `createdByEmail`.',
        tags: ['Workspaces'],
        params: defineWorkspaceParams('subjectId'),
        querystring: RemoveMemberQuery,
        response: { 204: Type.Null({ description: 'Removed' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params, query, principal }, reply) => {
      const { actor, role: by } = principal
      const revokesKeys = query.revokesKeys === 'true'
      if (revokesKeys) requireScope(principal, 'Workspace settings: write')
      const { acceptancesTo: acceptancesToId, handOverTo: heirId } = query
      if (acceptancesToId !== undefined) requireScope(principal, 'Vulnerabilities: write')
      if (heirId !== undefined) for (const scope of HEIR_SCOPES) requireScope(principal, scope)
      await removeMember(ctx, { ...params, revokesKeys, acceptancesToId, heirId, by, actor })
      return reply.code(204).send(null)
    },
  )
}

/** What handing over changes. */
const HEIR_SCOPES = [
  'Vulnerabilities: write',
  'Alerts: write',
  'Workspace settings: write',
] as const

/** A client that has only a key finds its workspace here. */
export function registerWhoamiRoute(
  app: App,
  ctx: AppContext,
  { hasPortal }: { hasPortal: boolean },
): void {
  app.get(
    '/whoami',
    {
      schema: {
        operationId: 'whoAmI',
        summary: 'Get the workspace and the scopes of the key',
        tags: ['Workspaces'],
        response: { 200: WhoAmI, ...defineProblems() },
      },
    },
    async ({ principal: { workspaceId, scopes, actor } }) => {
      const key = await describeOwnKey(ctx, actor)
      const { name } = await getSettings(ctx, workspaceId)
      const mayChange = scopes.has('Workspace settings: write')
      const warnings = mayChange ? hideVariableNames(ctx.config) : []
      const portalPages = hasPortal ? listPortalTemplates(ctx.config.publicUrl, workspaceId) : null
      return {
        version: VERSION,
        workspaceId,
        workspaceName: name,
        key,
        scopes: [...scopes],
        warnings,
        portalPages,
      }
    },
  )

  app.delete(
    '/whoami',
    {
      schema: {
        operationId: 'logOut',
        summary: 'Revoke the key that asks, if a login made it',
        tags: ['Workspaces'],
        response: { 204: Type.Null({ description: 'Revoked' }), ...defineProblems() },
      },
    },
    async ({ principal }, reply) => {
      await revokeOwnKey(ctx, principal)
      return reply.code(204).send(null)
    },
  )
}
