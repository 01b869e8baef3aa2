import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import {
  defineProblems,
  Exactly,
  Shape,
  Timestamp,
  WorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import { VulnerabilityCounts } from '../../findings/index.ts'
import { affectedDevicesFields, MarkSchema } from '../../firmware/index.ts'
import { readVulnerableVersionsJson } from './store.ts'

const VulnerableVersionsQuery = Exactly({
  firmwareId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only versions of this firmware' }),
  ),
})

const VulnerableFirmwareVersions = Type.Array(
  Shape('VulnerableFirmwareVersion', {
    firmwareId: Type.String(),
    firmwareName: Type.String({ examples: ['Gateway'] }),
    firmwareVersionId: Type.String(),
    firmwareVersionName: Type.String({ examples: ['2.4.1'] }),
    createdAt: Timestamp,
    mark: MarkSchema,
    vulnerabilitySummary: Type.Object({
      ...VulnerabilityCounts.properties,
      ...affectedDevicesFields,
      lastEvaluatedAt: Timestamp,
    }),
  }),
  { description: 'Sorted by the number of critical findings, then of high ones, and so on' },
)

export function registerVulnerableVersionsRoute(app: App): void {
  app.get(
    '/vulnerable-firmware-versions',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listVulnerableFirmwareVersions',
        summary: 'List firmware versions with at least one active finding',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        querystring: VulnerableVersionsQuery,
        response: { 200: VulnerableFirmwareVersions, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId }, query: { firmwareId }, reading }, reply) => {
      // An invalid id is the id of no firmware, so there are no versions.
      const json =
        firmwareId !== undefined && !isUuid(firmwareId)
          ? '[]'
          : await readVulnerableVersionsJson(reading, { workspaceId, firmwareId })
      return reply.type('application/json; charset=utf-8').send(Buffer.from(json))
    },
  )
}
