import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { Nullable, problems, Timestamp, WorkspaceParams } from '../../platform/http/schemas.ts'
import { getSources } from './sources-service.ts'

const VulnerabilitySources = Type.Object({
  sources: Type.Array(
    Type.Object({
      source: Type.Enum(['cvelist', 'nvd', 'osv', 'kev', 'epss']),
      lastAttemptAt: Nullable(Timestamp),
      lastSuccessAt: Nullable(
        Type.String({
          format: 'date-time',
          description: 'The last time all of it was taken in; null: never',
        }),
      ),
      lastError: Nullable(Type.String()),
      snapshotAt: Nullable(
        Type.String({
          format: 'date-time',
          description: 'As of when the source itself says its data is',
        }),
      ),
      recordCount: Type.Integer(),
      skippedCount: Type.Integer(),
    }),
    { description: 'Every source, also one that never brought anything' },
  ),
})

export function advisoryRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/vulnerability-sources',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listVulnerabilitySources',
        summary: 'Where the known vulnerabilities come from, and how fresh each source is',
        tags: ['Vulnerabilities'],
        params: WorkspaceParams,
        response: { 200: VulnerabilitySources, ...problems(400, 404) },
      },
    },
    () => getSources(ctx),
  )
}
