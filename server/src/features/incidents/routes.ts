import { Type } from 'typebox'
import { formatPortalPath } from '../../formats/portal-pages.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { sendPage } from '../../platform/http/pages.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { registerBulkRoutes } from './bulk/routes.ts'
import { listIncidentChanges } from './changes/service.ts'
import { registerHandlingRoutes } from './handling/routes.ts'
import { writeIncidentPage } from './page.ts'
import * as schemas from './schemas.ts'
import { getIncident, listIncidents, listIncidentSeries } from './service.ts'
import { registerSilenceRoutes } from './silences/routes.ts'

const tags = ['Alerts']
const params = defineWorkspaceParams('incidentId')
const PATH = '/alert-incidents/:incidentId'

export function registerAlertIncidentRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/alert-incidents/list',
    {
      config: { scope: 'Alerts: read', namesIn: 'filter' },
      schema: {
        operationId: 'listAlertIncidents',
        summary: 'List incidents, newest first, page by page',
        tags,
        params: WorkspaceParams,
        body: schemas.ListAlertIncidentsCommand,
        response: { 200: schemas.AlertIncidentPage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body }) => listIncidents(ctx, { ...path, ...body }),
  )

  app.get(
    PATH,
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'getAlertIncident',
        summary: 'Get an incident',
        tags,
        params,
        response: { 200: schemas.AlertIncident, ...defineProblems(400, 404) },
      },
    },
    ({ params: path }) => getIncident(ctx, path),
  )

  app.post(
    `${PATH}/series/list`,
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listAlertIncidentSeries',
        summary: 'List the series that fired in an incident, page by page',
        tags,
        params,
        body: schemas.ListIncidentSeriesCommand,
        response: { 200: schemas.IncidentSeriesPage, ...defineProblems(400, 404) },
      },
    },
    ({ params: path, body }) => listIncidentSeries(ctx, { ...path, ...body }),
  )

  app.get(
    `${PATH}/changes`,
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listAlertIncidentChanges',
        summary: 'List what else changed on the devices of an incident',
        description:
          'From an hour before it began until it ended, or now. Firmware: devices began to run the version that they run now. Deployment: it began or ended on devices. Configuration: the desired configuration of devices changed for the last time. Incident: another one of the devices began.',
        tags,
        params,
        response: { 200: schemas.IncidentChanges, ...defineProblems(400, 404) },
      },
    },
    ({ params: path }) => listIncidentChanges(ctx, path),
  )

  registerBulkRoutes(app, ctx)
  registerHandlingRoutes(app, ctx)
  registerSilenceRoutes(app, ctx)
}

/** Any path gets the page, so that the answer does not reveal which incidents exist. */
const AnyPath = Type.Object({ workspaceId: Type.String(), incidentId: Type.String() })

/**
 * Links in notices open it. It leads to the page of the portal; without a portal it explains where to look up the incident,
 * since nobody is signed in.
 */
export function registerIncidentPageRoute(app: App, { hasPortal }: { hasPortal: boolean }): void {
  app.get(
    '/workspaces/:workspaceId/incidents/:incidentId',
    { schema: { hide: true, params: AnyPath } },
    ({ params: path }, reply) =>
      hasPortal
        ? reply.redirect(formatPortalPath('incident', path))
        : sendPage(reply.header('x-robots-tag', 'noindex'), writeIncidentPage(path)),
  )
}
