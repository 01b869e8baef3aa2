import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import { WorkspaceParams } from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { getOwnerRules, replaceOwnerRules } from './service.ts'

export function registerOwnerRoutes(app: App, ctx: AppContext): void {
  registerEditable(app, {
    path: '/owner-rules',
    tags: ['Owners'],
    scope: 'Workspace settings',
    params: WorkspaceParams,
    command: schemas.ReplaceOwnerRulesCommand,
    answer: schemas.OwnerRules,
    get: {
      operationId: 'getOwnerRules',
      summary: 'The teams, and the rules that give findings to members and teams',
    },
    put: {
      operationId: 'replaceOwnerRules',
      summary: 'Replace the teams and the owner rules',
      description:
        'They hold at once, as owners are derived when they are asked for: whoever is assigned to a vulnerability, else the first rule that fits. `POST …/owner-rules/preview` with the same body says what would change. Sending an earlier answer takes a change back.',
    },
    patch: {
      operationId: 'patchOwnerRules',
      summary: 'Change the teams and the owner rules by a merge patch',
      name: 'OwnerRulesPatch',
    },
    read: (named) => getOwnerRules(ctx.db, named),
    write: (change) => replaceOwnerRules(ctx, change),
  })
}
