import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { AssignedVulnerabilities } from '../discussions/index.ts'
import { OwnerCounts, OwnersPreview, ReplaceOwnerRulesCommand } from '../owners/index.ts'
import { assignMany } from './assign-service.ts'
import { countOwners, previewOwners } from './owner-counts-service.ts'
import { countFindings } from './counts-service.ts'
import { PastVulnerability, PastVulnerabilityQuery, VulnerabilityDetail } from './detail/schemas.ts'
import { readPastVulnerability, readVulnerability } from './detail/service.ts'
import { listFindingFixes } from './fixes/service.ts'
import { ListVulnerableComponentsCommand, VulnerableComponentPage } from './components/schemas.ts'
import { listVulnerabilities, listVulnerableComponents } from '../findings/index.ts'

const VulnerabilityParams = defineWorkspaceParams('cveId')

export function registerVulnerabilityRoutes(app: App, ctx: AppContext): void {
  ownerRoutes(app)

  app.post(
    '/vulnerabilities/list',
    {
      config: { scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        operationId: 'listWorkspaceVulnerabilities',
        summary: 'List vulnerabilities of a workspace: its findings, grouped by vulnerability',
        description:
          'The findings behind a row are those of the list of findings with its `cveId` in `cveIds`. A page after the first shows rows as they are by then, after the last one of the page before.',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        body: schemas.ListVulnerabilitiesCommand,
        response: { 200: schemas.VulnerabilityPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listVulnerabilities(reading, { ...params, ...body }),
  )

  app.post(
    '/vulnerable-components/list',
    {
      config: { scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        operationId: 'listVulnerableComponents',
        summary: 'List vulnerable components of a workspace: its findings, grouped by component',
        description:
          'A row is the component of one name in all versions that have findings of the filter. The findings behind it are those of the list of findings with its packageIds. A page after the first shows rows as they are by then, after the last one of the page before.',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        body: ListVulnerableComponentsCommand,
        response: { 200: VulnerableComponentPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listVulnerableComponents(reading, { ...params, ...body }),
  )

  app.post(
    '/vulnerability-findings/counts',
    {
      config: { scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        operationId: 'countWorkspaceVulnerabilityFindings',
        summary: 'Count the rows that a list of findings would have with further filters',
        description: 'Each number is the `totalCount` of the list with the filter beside it.',
        tags: ['Vulnerability findings'],
        params: WorkspaceParams,
        body: schemas.CountFindingsCommand,
        response: { 200: schemas.FindingCounts, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading, principal: { actor } }) =>
      countFindings(reading, { ...params, ...body, actor }),
  )

  app.post(
    '/firmware-versions/:firmwareVersionId/vulnerability-findings/fixes',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'listFindingFixes',
        summary: 'Tell in which versions findings of a firmware version are fixed',
        description:
          'In the versions of the component that records name, and in the first later version of the firmware from which on none has the vulnerability. Ids that are no findings of the version now are left out.',
        tags: ['Vulnerability findings'],
        params: defineWorkspaceParams('firmwareVersionId'),
        body: schemas.ListFindingFixesCommand,
        response: { 200: schemas.FindingFixes, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listFindingFixes(reading.db, { ...params, ...body }),
  )

  app.post(
    '/vulnerabilities/bulk-assign',
    {
      config: { scope: 'Vulnerabilities: write', namesIn: 'filter' },
      schema: {
        operationId: 'assignVulnerabilities',
        summary: 'Give many vulnerabilities to a member, or to nobody, or preview it',
        tags: ['Discussions'],
        params: WorkspaceParams,
        body: schemas.AssignVulnerabilitiesCommand,
        response: { 200: AssignedVulnerabilities, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) => assignMany(ctx, { ...params, ...body, actor }),
  )

  app.get(
    '/vulnerabilities/:cveId',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getWorkspaceVulnerability',
        summary: 'Show one vulnerability over the whole workspace',
        description:
          'Named by its id or an alias. A vulnerability that the workspace does not have is an answer too: it says what was looked at, and whether any source knows the id.',
        tags: ['Vulnerability findings'],
        params: VulnerabilityParams,
        response: { 200: VulnerabilityDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => readVulnerability(ctx, params),
  )

  app.get(
    '/vulnerabilities/:cveId/past',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'getPastWorkspaceVulnerability',
        summary: 'Show what was known and decided of one vulnerability at a past instant',
        description:
          'Named by its id or an alias. Not known for the past, and so not answered: marks, devices, due dates, EPSS scores, fixes, what records said, and what was compared.',
        tags: ['Vulnerability findings'],
        params: VulnerabilityParams,
        querystring: PastVulnerabilityQuery,
        response: { 200: PastVulnerability, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => readPastVulnerability(reading, { ...params, ...query }),
  )
}

function ownerRoutes(app: App): void {
  app.get(
    '/owners',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'countOwners',
        summary: 'Count the active findings of each owner, by severity',
        description:
          'Each count is that of the list over the workspace with the filter by this owner.',
        tags: ['Owners'],
        params: WorkspaceParams,
        response: { 200: OwnerCounts, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => countOwners(reading, params),
  )

  app.post(
    '/owner-rules/preview',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'previewOwnerRules',
        summary: 'Count what other owner rules would give to whom, and change nothing',
        tags: ['Owners'],
        params: WorkspaceParams,
        body: ReplaceOwnerRulesCommand,
        response: { 200: OwnersPreview, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => previewOwners(reading, { ...params, ...body }),
  )
}
