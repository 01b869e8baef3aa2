import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
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

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Alerts',
    params,
    command: schemas.UpdateAlertRuleCommand,
    answer: schemas.AlertRule,
    get: { operationId: 'getAlertRule', summary: 'Get an alert rule' },
    put: { operationId: 'updateAlertRule', summary: 'Replace an alert rule' },
    patch: {
      operationId: 'patchAlertRule',
      summary: 'Change some fields of an alert rule',
      name: 'AlertRulePatch',
    },
    delete: {
      operationId: 'deleteAlertRule',
      summary: 'Delete an alert rule; its incidents can still be read',
      remove: (removal) => deleteAlertRule(ctx, removal),
    },
    read: ({ workspaceId, alertRuleId }) => getAlertRule(ctx.db, workspaceId, alertRuleId),
    write: (change) => updateAlertRule(ctx, change),
  })

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
