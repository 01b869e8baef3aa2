import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, WorkspaceParams, workspaceParams } from '../../platform/http/schemas.ts'
import { DryRun } from './dry-run-schemas.ts'
import { dryRunCommand, dryRunRule } from './dry-run-service.ts'
import { CreateAlertRuleCommand } from './rules-schemas.ts'

const tags = ['Alerts']

export function dryRunRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/alert-rules/dry-run',
    {
      // What rules may look at is for those to see who may make them.
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'dryRunAlertRuleCommand',
        summary: 'What a rule on a metric would have done over the last day, before it is made',
        tags,
        params: WorkspaceParams,
        body: CreateAlertRuleCommand,
        response: { 200: DryRun, ...problems(400, 404) },
      },
    },
    ({ params, body }) => dryRunCommand(ctx, { ...params, ...body }),
  )

  app.post(
    '/alert-rules/:alertRuleId/dry-run',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'dryRunAlertRule',
        summary: 'What a rule on a metric, as it is now, would have done over the last day',
        tags,
        params: workspaceParams('alertRuleId'),
        response: { 200: DryRun, ...problems(400, 404) },
      },
    },
    ({ params }) => dryRunRule(ctx, params),
  )
}
