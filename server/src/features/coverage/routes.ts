import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { Coverage } from './schemas.ts'
import { readCoverage } from './service.ts'

export function registerCoverageRoutes(app: App): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/coverage',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getFirmwareVersionCoverage',
        summary:
          'How many components of a firmware version could be judged, and why not the others',
        description:
          'Without this, a version without findings may be one of which nothing is known. Components count as their SBOMs declare them.',
        tags: ['Vulnerability findings'],
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: Coverage, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => readCoverage(reading, params),
  )
}
