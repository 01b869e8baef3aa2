import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { countDifferences, diffFirmwareVersions } from './service.ts'

export function diffRoute(app: App): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/diff',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'diffFirmwareVersions',
        summary: 'Compare components and findings with another firmware version',
        tags: ['Vulnerability findings'],
        params: defineWorkspaceParams('firmwareVersionId'),
        querystring: schemas.DiffQuery,
        response: { 200: schemas.FirmwareVersionDiff, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => diffFirmwareVersions(reading, { ...params, ...query }),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/diff-counts',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'countFirmwareVersionDifferences',
        summary: 'Count what a firmware version changed against another one',
        tags: ['Vulnerability findings'],
        params: defineWorkspaceParams('firmwareVersionId'),
        querystring: schemas.DiffQuery,
        response: { 200: schemas.FirmwareVersionDiffCounts, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => countDifferences(reading, { ...params, ...query }),
  )
}
