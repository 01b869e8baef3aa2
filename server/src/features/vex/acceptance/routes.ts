import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  Exactly,
  Nullable,
  defineProblems,
  Shape,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { AssessmentSchema as Assessment, FindingDetail } from '../../findings/index.ts'
import { acceptDocument, acceptStatement } from './service.ts'

const tags = ['VEX']
const write = { scope: 'Vulnerabilities: write' } as const

export function registerAcceptanceRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/vulnerability-findings/:findingId/accept-statement',
    {
      config: write,
      schema: {
        operationId: 'acceptVexStatement',
        summary: 'Decide a finding as a VEX statement says that disagrees with what was decided',
        description:
          'The decision is then a person’s. `disagreements` of the finding lists the statements.',
        tags,
        params: defineWorkspaceParams('findingId'),
        body: Exactly(
          { statementId: Type.String() },
          { examples: [{ statementId: '0198cf00-0000-7000-8000-000000000000' }] },
        ),
        response: { 200: FindingDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => acceptStatement(ctx, { ...params, ...body, actor }),
  )

  app.post(
    '/vex-documents/:documentId/accept',
    {
      config: write,
      schema: {
        operationId: 'acceptVexDocument',
        summary: 'Accept all that a VEX document says otherwise than people have decided',
        tags,
        params: defineWorkspaceParams('documentId'),
        querystring: Exactly({
          dryRun: Type.Optional(
            Type.Enum(['true', 'false'], {
              default: 'false',
              description: 'Show what would change; change nothing',
            }),
          ),
        }),
        response: { 200: Acceptance, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, principal: { actor } }) =>
      acceptDocument(ctx, { ...params, dryRun: query.dryRun === 'true', actor }),
  )
}

const Acceptance = Shape('VexAcceptance', {
  dryRun: Type.Boolean(),
  accepted: Type.Array(
    Shape('AcceptedVexStatement', {
      findingId: Type.String(),
      cveId: Type.String(),
      componentName: Type.String(),
      componentVersion: Nullable(Type.String()),
      from: Assessment,
      to: Assessment,
    }),
  ),
})
