import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  Exactly,
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { FindingDetail } from './detail/schemas.ts'
import { getFinding } from './detail/service.ts'
import * as listSchemas from './list/schemas.ts'
import { listFindings, summariseFindings } from './list/service.ts'
import { SsvcCounts, SsvcStated } from '../ssvc/index.ts'
import { AsOfQuery, VulnerabilitySummary } from './schemas.ts'
import { previewSsvc } from './workspace-list/ssvc-service.ts'
import { listWorkspaceFindings } from './workspace-list/service.ts'

const tags = ['Vulnerability findings']
const FirmwareVersionParams = defineWorkspaceParams('firmwareVersionId')

export function registerFindingRoutes(app: App, ctx: AppContext): void {
  listRoutes(app)

  app.get(
    '/vulnerability-findings/:findingId',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getVulnerabilityFinding',
        summary: 'Get a finding with its evidence, advisories and timeline',
        tags,
        params: defineWorkspaceParams('findingId'),
        querystring: AsOfQuery,
        response: { 200: FindingDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => getFinding(ctx, { ...params, ...query }),
  )

  app.post(
    '/ssvc/preview',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'previewSsvc',
        summary: 'Count what other SSVC settings would change, and change nothing',
        tags,
        params: WorkspaceParams,
        body: SsvcStated,
        response: { 200: SsvcCounts, ...defineProblems(400, 404) },
      },
    },
    ({ params, body }) => previewSsvc(ctx, { ...params, ...body }),
  )
}

function listRoutes(app: App): void {
  app.post(
    '/vulnerability-findings/list',
    {
      config: { scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        operationId: 'listWorkspaceVulnerabilityFindings',
        summary: 'List findings of a workspace: a row for each vulnerability and package',
        description:
          'A page after the first shows rows as they are by then, after the last one of the page before.',
        tags,
        params: WorkspaceParams,
        body: listSchemas.ListWorkspaceFindingsCommand,
        response: { 200: listSchemas.WorkspaceFindingPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listWorkspaceFindings(reading, { ...params, ...body }),
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
        body: listSchemas.ListVulnerabilityFindingsCommand,
        // `asOf` belongs in the body; without this it would be ignored in the address.
        querystring: Exactly({}),
        response: { 200: listSchemas.VulnerabilityFindingPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listFindings(reading, { ...params, ...body }),
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
        response: { 200: VulnerabilitySummary, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => summariseFindings(reading, { ...params, ...query }),
  )
}
