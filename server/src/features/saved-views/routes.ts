import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { readPrecondition } from '../../platform/http/editing.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { changeView, deleteView, getSavedView, listSavedViews, saveView } from './service.ts'

const tags = ['Workspaces']
const ViewParams = defineWorkspaceParams('savedViewId')
/** A view of one's own changes nothing that others see. Sharing needs more. */
const ofPeople = { scope: 'Workspace settings: read', needsPerson: true } as const

export function registerSavedViewRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/saved-views',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'listSavedViews',
        summary: 'List the views of one’s own and those that others share',
        tags,
        params: WorkspaceParams,
        querystring: schemas.ListViewsQuery,
        response: { 200: schemas.SavedViews, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, principal }) => listSavedViews(ctx, { ...params, ...query, principal }),
  )

  app.post(
    '/saved-views',
    {
      config: ofPeople,
      schema: {
        operationId: 'saveView',
        summary: 'Save a list as it is seen now, under a name',
        description:
          'To share it needs the scope that changes what the list shows, such as `Vulnerabilities: write` for findings.',
        tags,
        params: WorkspaceParams,
        body: schemas.SaveViewCommand,
        response: { 201: schemas.SavedView, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal }, reply) =>
      reply.code(201).send(await saveView(ctx, { ...params, ...body, principal })),
  )

  app.get(
    '/saved-views/:savedViewId',
    {
      config: { scope: 'Workspace settings: read', edits: schemas.ChangeViewCommand },
      schema: {
        operationId: 'getSavedView',
        summary: 'Get a view of one’s own, or one that is shared',
        tags,
        params: ViewParams,
        response: { 200: schemas.SavedView, ...defineProblems(400, 404) },
      },
    },
    ({ params, principal }) => getSavedView(ctx, { ...params, principal }),
  )

  app.put(
    '/saved-views/:savedViewId',
    {
      config: { ...ofPeople, edits: schemas.ChangeViewCommand },
      schema: {
        operationId: 'changeSavedView',
        summary: 'Change a view of one’s own, or one that is shared',
        tags,
        params: ViewParams,
        body: schemas.ChangeViewCommand,
        response: { 200: schemas.SavedView, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params, body, principal } = request
      const precondition = readPrecondition(request)
      return changeView(ctx, { ...params, ...body, principal, precondition })
    },
  )

  app.delete(
    '/saved-views/:savedViewId',
    {
      config: { ...ofPeople, edits: schemas.ChangeViewCommand },
      schema: {
        operationId: 'deleteSavedView',
        summary: 'Delete a view of one’s own, or one that is shared',
        tags,
        params: ViewParams,
        response: { 204: Type.Null({ description: 'Deleted' }), ...defineProblems(404) },
      },
    },
    async (request, reply) => {
      const { params, principal } = request
      await deleteView(ctx, { ...params, principal, precondition: readPrecondition(request) })
      return reply.code(204).send(null)
    },
  )
}
