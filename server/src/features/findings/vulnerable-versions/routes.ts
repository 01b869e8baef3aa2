import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { problems, WorkspaceParams } from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import * as schemas from './schemas.ts'
import { readVulnerableVersionsJson } from './store.ts'

export function vulnerableVersionsRoute(app: App, ctx: AppContext): void {
  app.get(
    '/vulnerable-firmware-versions',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listVulnerableFirmwareVersions',
        summary: 'List firmware versions with at least one active finding',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        querystring: schemas.VulnerableVersionsQuery,
        response: { 200: schemas.VulnerableFirmwareVersions, ...problems(400, 404) },
      },
    },
    async ({ params: { workspaceId }, query: { firmwareId } }, reply) => {
      // An invalid id is the id of no firmware, so there are no versions.
      const json =
        firmwareId !== undefined && !isUuid(firmwareId)
          ? '[]'
          : await readVulnerableVersionsJson(ctx.db, { workspaceId, firmwareId }, ctx.now())
      return reply.type('application/json; charset=utf-8').send(json)
    },
  )
}
