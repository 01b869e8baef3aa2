/** Dry runs: what a rule would have done. */
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { DryRun, DryRunQuery } from './schemas.ts'
import { tryRuleCommand, tryRule } from './dry-run/service.ts'
import { CreateAlertRuleCommand } from '../alert-rules/index.ts'

const tags = ['Alerts']
const DESCRIPTION =
  'Metric rules are replayed evaluation by evaluation. For the other types the service knows only the present: they are evaluated once, now, as if they had been created at the beginning of the time.'

export function registerDryRunRoutes(app: App): void {
  app.post(
    '/alert-rules/dry-run',
    {
      // A dry run shows what a rule reads, so it needs the right to create one.
      config: { isExpensive: true, changesNothing: true, scope: 'Alerts: write' },
      schema: {
        operationId: 'dryRunAlertRuleCommand',
        summary: 'Show what a rule would have done over the last days, before it is created',
        description: DESCRIPTION,
        tags,
        params: WorkspaceParams,
        querystring: DryRunQuery,
        body: CreateAlertRuleCommand,
        response: { 200: DryRun, ...defineProblems(400, 404) },
      },
    },
    ({ params, query: { days }, body, reading }) =>
      tryRuleCommand(reading, { ...params, ...body, days }),
  )

  app.post(
    '/alert-rules/:alertRuleId/dry-run',
    {
      config: { isExpensive: true, scope: 'Alerts: read' },
      schema: {
        operationId: 'dryRunAlertRule',
        summary: 'Show what an existing rule would have done over the last days',
        description: DESCRIPTION,
        tags,
        params: defineWorkspaceParams('alertRuleId'),
        querystring: DryRunQuery,
        response: { 200: DryRun, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => tryRule(reading, { ...params, ...query }),
  )
}
