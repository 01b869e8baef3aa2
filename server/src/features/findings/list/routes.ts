import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  Exactly,
  problems,
  WorkspaceParams,
  workspaceParams,
} from '../../../platform/http/schemas.ts'
import { AsOfQuery } from '../schemas.ts'
import * as schemas from './schemas.ts'
import { listFindings, summariseFindings } from './service.ts'
import { listWorkspaceFindings } from '../workspace-list/service.ts'
import { vulnerableVersionsRoute } from '../vulnerable-versions/routes.ts'

const tags = ['Vulnerability findings']
const FirmwareVersionParams = workspaceParams('firmwareVersionId')

export function listRoutes(app: App, ctx: AppContext): void {
  vulnerableVersionsRoute(app, ctx)

  app.post(
    '/vulnerability-findings/list',
    {
      config: { scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        operationId: 'listWorkspaceVulnerabilityFindings',
        summary: 'List findings of a workspace: a row for each vulnerability and package',
        tags,
        params: WorkspaceParams,
        body: schemas.ListWorkspaceFindingsCommand,
        response: { 200: schemas.WorkspaceFindingPage, ...problems(400, 404) },
      },
    },
    ({ params, body }) => listWorkspaceFindings(ctx, { ...params, ...body }),
  )

  app.post(
    '/firmware-versions/:firmwareVersionId/vulnerability-findings/list',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listVulnerabilityFindings',
        summary: 'List the findings of a firmware version',
        tags,
        params: FirmwareVersionParams,
        body: schemas.ListVulnerabilityFindingsCommand,
        // `asOf` belongs in the body; without this it would be ignored in the address.
        querystring: Exactly({}),
        response: { 200: schemas.VulnerabilityFindingPage, ...problems(400, 404) },
      },
    },
    ({ params, body }) => listFindings(ctx, { ...params, ...body }),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/vulnerability-findings/summary',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getFirmwareVersionVulnerabilitySummary',
        summary: 'Count the active findings of a firmware version by severity',
        tags,
        params: FirmwareVersionParams,
        querystring: AsOfQuery,
        response: { 200: schemas.VulnerabilitySummary, ...problems(400, 404) },
      },
    },
    ({ params, query }) => summariseFindings(ctx, { ...params, ...query }),
  )
}
