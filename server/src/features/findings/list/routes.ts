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
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listWorkspaceVulnerabilityFindings',
        summary: 'A row for each vulnerability and package of the workspace, page by page',
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
        summary: 'The vulnerabilities found in a firmware version, page by page',
        tags,
        params: FirmwareVersionParams,
        body: schemas.ListVulnerabilityFindingsCommand,
        // `asOf` belongs in the body: in the address it would be left unread.
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
        summary: 'How many active findings a firmware version has, by severity',
        tags,
        params: FirmwareVersionParams,
        querystring: AsOfQuery,
        response: { 200: schemas.VulnerabilitySummary, ...problems(400, 404) },
      },
    },
    ({ params, query }) => summariseFindings(ctx, { ...params, ...query }),
  )
}
