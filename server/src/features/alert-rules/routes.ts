import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  applyPatch,
  MERGED,
  PATCH_TYPES,
  PatchOf,
  readPrecondition,
} from '../../platform/http/editing.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import type { RuleCommand } from './command-service.ts'
import * as schemas from './schemas.ts'
import {
  createAlertRule,
  deleteAlertRule,
  getAlertRule,
  listAlertEvaluations,
  listAlertRules,
  setAlertRuleState,
  updateAlertRule,
} from './service.ts'

const tags = ['Alerts']
const params = defineWorkspaceParams('alertRuleId')
const PATH = '/alert-rules/:alertRuleId'

export function registerAlertRuleRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/alert-rules',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listAlertRules',
        summary: 'List all alert rules of the workspace, oldest first',
        tags,
        params: WorkspaceParams,
        querystring: schemas.AlertRulesQuery,
        response: { 200: schemas.AlertRuleList, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, query }) => listAlertRules(ctx, { ...path, ...query }),
  )

  app.post(
    '/alert-rules',
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'createAlertRule',
        summary: 'Create an alert rule',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateAlertRuleCommand,
        response: { 201: schemas.AlertRule, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params: path, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createAlertRule(ctx, { ...path, ...body, actor })),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Alerts: read', edits: schemas.UpdateAlertRuleCommand },
      schema: {
        operationId: 'getAlertRule',
        summary: 'Get an alert rule',
        tags,
        params,
        response: { 200: schemas.AlertRule, ...defineProblems(400, 404) },
      },
    },
    ({ params: path }) => getAlertRule(ctx.db, path.workspaceId, path.alertRuleId),
  )

  app.put(
    PATH,
    {
      config: { scope: 'Alerts: write', edits: schemas.UpdateAlertRuleCommand },
      schema: {
        operationId: 'updateAlertRule',
        summary: 'Replace an alert rule',
        tags,
        params,
        body: schemas.UpdateAlertRuleCommand,
        response: { 200: schemas.AlertRule, ...defineProblems(400, 404) },
      },
    },
    (request) => {
      const { params: path, body, principal } = request
      const { actor } = principal
      return updateAlertRule(ctx, {
        ...path,
        ...body,
        actor,
        precondition: readPrecondition(request),
      })
    },
  )

  app.patch(
    PATH,
    {
      config: { scope: 'Alerts: write', edits: schemas.UpdateAlertRuleCommand },
      ...MERGED,
      schema: {
        operationId: 'patchAlertRule',
        summary: 'Change some fields of an alert rule',
        tags,
        consumes: PATCH_TYPES,
        params,
        body: PatchOf('AlertRulePatch', schemas.UpdateAlertRuleCommand),
        response: { 200: schemas.AlertRule, ...defineProblems(400, 404) },
      },
    },
    (request) => {
      const { params: path, principal } = request
      const { actor } = principal
      return applyPatch(request, {
        read: () => getAlertRule(ctx.db, path.workspaceId, path.alertRuleId),
        write: (command: RuleCommand, precondition) =>
          updateAlertRule(ctx, { ...path, ...command, actor, precondition }),
      })
    },
  )

  app.delete(
    PATH,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'deleteAlertRule',
        summary: 'Delete an alert rule; its incidents can still be read',
        tags,
        params,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params: path, principal: { actor } }, reply) => {
      await deleteAlertRule(ctx, { ...path, actor })
      return reply.code(204).send(null)
    },
  )

  stateRoutes(app, ctx)

  app.get(
    `${PATH}/evaluations`,
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listAlertRuleEvaluations',
        summary: 'List the evaluations of a rule, newest first, page by page',
        description:
          'The service keeps evaluations of the last two days, and at least the latest 100 of a rule.',
        tags,
        params,
        querystring: schemas.EvaluationsQuery,
        response: { 200: schemas.EvaluationPage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, query }) => listAlertEvaluations(ctx, { ...path, ...query }),
  )
}

function stateRoutes(app: App, ctx: AppContext): void {
  const response = { 200: schemas.AlertRule, ...defineProblems(400, 404) }

  app.post(
    `${PATH}/enable`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'enableAlertRule',
        summary: 'Enable an alert rule; events before this do not count as new',
        tags,
        params,
        response,
      },
    },
    ({ params: path, principal: { actor } }) =>
      setAlertRuleState(ctx, { ...path, actor, state: 'Enabled' }),
  )

  app.post(
    `${PATH}/disable`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'disableAlertRule',
        summary: 'Disable an alert rule and end its open incident',
        tags,
        params,
        response,
      },
    },
    ({ params: path, principal: { actor } }) =>
      setAlertRuleState(ctx, { ...path, actor, state: 'Disabled' }),
  )
}
