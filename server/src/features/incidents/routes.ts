import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, WorkspaceParams, workspaceParams } from '../../platform/http/schemas.ts'
import { INCIDENT_PAGE_POLICY, incidentPage } from './page.ts'
import * as schemas from './schemas.ts'
import { acknowledgeIncident, getIncident, listIncidents, listIncidentSeries } from './service.ts'

const tags = ['Alerts']
const params = workspaceParams('incidentId')
const PATH = '/alert-incidents/:incidentId'

export function alertIncidentRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/alert-incidents/list',
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listAlertIncidents',
        summary: 'Incidents, from first firing to resolution, newest first, page by page',
        tags,
        params: WorkspaceParams,
        body: schemas.ListAlertIncidentsCommand,
        response: { 200: schemas.AlertIncidentPage, ...problems(400, 404) },
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
        summary: 'One incident',
        tags,
        params,
        response: { 200: schemas.AlertIncident, ...problems(400, 404) },
      },
    },
    ({ params: path }) => getIncident(ctx.db, path.workspaceId, path.incidentId),
  )

  app.post(
    `${PATH}/series/list`,
    {
      config: { scope: 'Alerts: read' },
      schema: {
        operationId: 'listAlertIncidentSeries',
        summary: 'What fired in an incident, page by page',
        tags,
        params,
        body: schemas.ListIncidentSeriesCommand,
        response: { 200: schemas.IncidentSeriesPage, ...problems(400, 404) },
      },
    },
    ({ params: path, body }) => listIncidentSeries(ctx, { ...path, ...body }),
  )

  app.post(
    `${PATH}/acknowledge`,
    {
      config: { scope: 'Alerts: write' },
      schema: {
        operationId: 'acknowledgeAlertIncident',
        summary: 'Acknowledge an incident: nobody is reminded of it any more',
        tags,
        params,
        response: { 200: schemas.AlertIncident, ...problems(400, 404) },
      },
    },
    ({ params: path, principal: { actor } }) => acknowledgeIncident(ctx, { ...path, actor }),
  )
}

/** What names nothing gets the same page. */
const AnyPath = Type.Object({ workspaceId: Type.String(), incidentId: Type.String() })

/** Where notices lead. Whoever follows the link has no key with them: it says where to look, and nothing of what is there. */
export function incidentPageRoute(app: App): void {
  app.get(
    '/workspaces/:workspaceId/incidents/:incidentId',
    { schema: { hide: true, params: AnyPath } },
    ({ params: path }, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', INCIDENT_PAGE_POLICY)
        .header('referrer-policy', 'no-referrer')
        .header('x-robots-tag', 'noindex')
        .serializer(String)
        .send(incidentPage(path)),
  )
}
