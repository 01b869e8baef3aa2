import type { FastifyReply } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { App } from '../../platform/http/app.ts'
import {
  Exactly,
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import {
  ListVulnerabilityFindingsCommand,
  ListWorkspaceFindingsCommand,
} from '../findings/index.ts'
import { ListDeviceUpdatesCommand } from '../deployments/index.ts'
import { ListDevicesCommand } from '../devices/index.ts'
import { ListAcceptancesCommand } from '../triage/index.ts'
import { ListWorkspaceComponentsCommand } from '../components/index.ts'
import { ListAlertIncidentsCommand } from '../incidents/index.ts'
import { ListNotificationsCommand } from '../notifications/index.ts'
import {
  ListVulnerabilitiesCommand,
  ListVulnerableComponentsCommand,
} from '../vulnerabilities/index.ts'
import { exportIncidents, exportNotifications } from './alerts-service.ts'
import type { ExportedList } from './define-export-service.ts'
import * as lists from './lists-service.ts'

/** All of what the list of the body has, not one page. */
function unpaged<Properties extends TProperties>({ properties }: { properties: Properties }) {
  const { limit: _, cursor: __, ...rest } = properties
  return Exactly(rest)
}

const ofCsv = {
  description:
    'All rows that the list beside it has with the same filter, in its order. Texts that a spreadsheet would read as a formula begin with an apostrophe.',
  produces: ['text/csv'],
  response: {
    200: { content: { 'text/csv': { schema: Type.String() } } },
    ...defineProblems(400, 404),
  },
}

function answer(reply: FastifyReply, { content, fileName }: ExportedList) {
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', formatAttachmentHeader(fileName))
    .send(content)
}

const tags = ['Vulnerability findings']

export function listExportRoutes(app: App): void {
  deploymentExportRoutes(app)
  alertExportRoutes(app)
  acceptanceExportRoute(app)

  app.post(
    '/vulnerabilities/export',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        ...ofCsv,
        operationId: 'exportWorkspaceVulnerabilities',
        summary: 'Export vulnerabilities of a workspace as CSV',
        tags,
        params: WorkspaceParams,
        body: unpaged(ListVulnerabilitiesCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportVulnerabilities(reading, { ...params, ...body })),
  )

  app.post(
    '/vulnerable-components/export',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        ...ofCsv,
        operationId: 'exportVulnerableComponents',
        summary: 'Export vulnerable components of a workspace as CSV',
        tags,
        params: WorkspaceParams,
        body: unpaged(ListVulnerableComponentsCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportVulnerableComponents(reading, { ...params, ...body })),
  )

  app.post(
    '/vulnerability-findings/export',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        ...ofCsv,
        operationId: 'exportWorkspaceVulnerabilityFindings',
        summary: 'Export findings of a workspace as CSV: a row for each vulnerability and package',
        tags,
        params: WorkspaceParams,
        body: unpaged(ListWorkspaceFindingsCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportWorkspaceFindings(reading, { ...params, ...body })),
  )

  app.post(
    '/firmware-versions/:firmwareVersionId/vulnerability-findings/export',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        ...ofCsv,
        operationId: 'exportListedVulnerabilityFindings',
        summary: 'Export the findings of a firmware version that a filter selects as CSV',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        body: unpaged(ListVulnerabilityFindingsCommand),
        querystring: Exactly({}),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportListedFindings(reading, { ...params, ...body })),
  )

  app.post(
    '/components/export',
    {
      config: { isExpensive: true, scope: 'SBOMs: read', namesIn: 'filter' },
      schema: {
        ...ofCsv,
        operationId: 'exportWorkspaceComponents',
        summary: 'Export components of all SBOMs of the workspace as CSV',
        tags: ['SBOMs'],
        params: WorkspaceParams,
        body: unpaged(ListWorkspaceComponentsCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportWorkspaceComponents(reading, { ...params, ...body })),
  )

  app.post(
    '/devices/export',
    {
      config: { isExpensive: true, scope: 'Devices: read', namesIn: 'filter' },
      schema: {
        ...ofCsv,
        operationId: 'exportDevices',
        summary: 'Export devices as CSV',
        tags: ['Devices'],
        params: WorkspaceParams,
        body: unpaged(ListDevicesCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportDevices(reading, { ...params, ...body })),
  )
}

/** The list beside it takes no filter. */
const NoFilter = Exactly({}, { examples: [{}] })

function deploymentExportRoutes(app: App): void {
  app.post(
    '/deployment-cohorts/:deploymentCohortId/deployments/export',
    {
      config: { isExpensive: true, scope: 'Deployments: read' },
      schema: {
        ...ofCsv,
        operationId: 'exportDeployments',
        summary: 'Export the deployments of a cohort as CSV',
        tags: ['Deployments'],
        params: defineWorkspaceParams('deploymentCohortId'),
        body: NoFilter,
      },
    },
    async ({ params, reading }, reply) =>
      answer(reply, await lists.exportDeployments(reading, params)),
  )

  app.post(
    '/deployment-cohorts/:deploymentCohortId/deployments/:deploymentId/device-updates/export',
    {
      config: { isExpensive: true, scope: 'Deployments: read' },
      schema: {
        ...ofCsv,
        operationId: 'exportDeviceUpdates',
        summary: 'Export the device updates of a deployment as CSV',
        tags: ['Deployments'],
        params: defineWorkspaceParams('deploymentCohortId', 'deploymentId'),
        body: unpaged(ListDeviceUpdatesCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportDeviceUpdates(reading, { ...params, ...body })),
  )

  app.post(
    '/devices/:deviceId/updates/export',
    {
      config: { isExpensive: true, scope: 'Deployments: read' },
      schema: {
        ...ofCsv,
        operationId: 'exportUpdatesOfDevice',
        summary: 'Export the updates of a device as CSV',
        tags: ['Deployments'],
        params: defineWorkspaceParams('deviceId'),
        body: NoFilter,
      },
    },
    async ({ params, reading }, reply) =>
      answer(reply, await lists.exportUpdatesOfDevice(reading, params)),
  )
}

function acceptanceExportRoute(app: App): void {
  app.post(
    '/acceptances/export',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read', namesIn: 'filter' },
      schema: {
        ...ofCsv,
        operationId: 'exportAcceptances',
        summary: 'Export accepted risks as CSV',
        tags: ['Accepted risks'],
        params: WorkspaceParams,
        body: unpaged(ListAcceptancesCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await lists.exportAcceptances(reading, { ...params, ...body })),
  )
}

function alertExportRoutes(app: App): void {
  app.post(
    '/alert-incidents/export',
    {
      config: { isExpensive: true, scope: 'Alerts: read' },
      schema: {
        ...ofCsv,
        operationId: 'exportAlertIncidents',
        summary: 'Export incidents as CSV',
        tags: ['Alerts'],
        params: WorkspaceParams,
        body: unpaged(ListAlertIncidentsCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await exportIncidents(reading, { ...params, ...body })),
  )

  app.post(
    '/notifications/export',
    {
      config: { isExpensive: true, scope: 'Alerts: read' },
      schema: {
        ...ofCsv,
        operationId: 'exportNotifications',
        summary: 'Export notifications, sent and waiting, as CSV',
        tags: ['Alerts'],
        params: WorkspaceParams,
        body: unpaged(ListNotificationsCommand),
      },
    },
    async ({ params, body, reading }, reply) =>
      answer(reply, await exportNotifications(reading, { ...params, ...body })),
  )
}
