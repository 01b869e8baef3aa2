import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { Exactly, defineProblems, Shape, WorkspaceParams } from '../../../platform/http/schemas.ts'
import { VulnerabilityCounts } from '../../findings/index.ts'
import { getTrend } from './service.ts'

const Trend = Shape('FindingTrend', {
  days: Type.Array(
    Type.Object({
      day: Type.String({ format: 'date', examples: ['2026-11-21'] }),
      ...VulnerabilityCounts.properties,
    }),
    {
      description:
        'Oldest first; today has the present counts. Days without recorded counts are left out',
    },
  ),
})

export function registerTrendRoute(app: App): void {
  app.get(
    '/vulnerability-trend',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getVulnerabilityTrend',
        summary: 'Count active findings by day (UTC), of one firmware version or of the workspace',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        querystring: Exactly({
          firmwareVersionId: Type.Optional(Type.String()),
          days: Type.Optional(
            Type.String({ pattern: '^[1-9]\\d{0,3}$', description: 'Number of days; default 90' }),
          ),
        }),
        response: { 200: Trend, ...defineProblems(400, 404) },
      },
    },
    ({ params, query: { days, ...query }, reading }) =>
      getTrend(reading, { ...params, ...query, ...(days !== undefined && { days: Number(days) }) }),
  )
}
