import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, WorkspaceParams, workspaceParams } from '../../platform/http/schemas.ts'
import { DryRun } from './schemas.ts'
import { dryRunCommand, dryRunRule } from './dry-run/service.ts'
import { CreateAlertRuleCommand } from '../alert-rules/index.ts'

const tags = ['Alerts']
const DESCRIPTION =
  'Rules on metrics are replayed turn by turn. Of the other types only the present is kept: they have one turn, now, as if they had been made a day ago'

export function dryRunRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/alert-rules/dry-run',
    {
      // What rules may look at is for those to see who may make them.
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'dryRunAlertRuleCommand',
        summary: 'What a rule would have done over the last day, before it is made',
        description: DESCRIPTION,
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
        summary: 'What a rule, as it is now, would have done over the last day',
        description: DESCRIPTION,
        tags,
        params: workspaceParams('alertRuleId'),
        response: { 200: DryRun, ...problems(400, 404) },
      },
    },
    ({ params }) => dryRunRule(ctx, params),
  )
}
