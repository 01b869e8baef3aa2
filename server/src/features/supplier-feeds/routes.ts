import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  createSupplierFeed,
  deleteSupplierFeed,
  getSupplierFeed,
  listSupplierAffected,
  listSupplierDocuments,
  listSupplierFeeds,
  readSupplierFeedNow,
  updateSupplierFeed,
} from './service.ts'

const tags = ['VEX']
const FeedParams = defineWorkspaceParams('supplierFeedId')
const PATH = '/supplier-feeds/:supplierFeedId'
const read = { scope: 'Vulnerabilities: read' } as const
const write = { scope: 'Vulnerabilities: write' } as const

export function registerSupplierFeedRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/supplier-feeds',
    {
      config: write,
      schema: {
        operationId: 'createSupplierFeed',
        summary: "Subscribe to a supplier's CSAF documents, for this workspace alone",
        description:
          'What the documents say decides findings of this workspace, unless a person has decided otherwise. They reach no other workspace.',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateSupplierFeedCommand,
        response: { 201: schemas.SupplierFeed, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createSupplierFeed(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/supplier-feeds',
    {
      config: read,
      schema: {
        operationId: 'listSupplierFeeds',
        summary: "List the suppliers' feeds, how current they are and what they change",
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.SupplierFeedList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listSupplierFeeds(ctx, reading.db, params),
  )

  app.post(
    `${PATH}/read`,
    {
      config: write,
      schema: {
        operationId: 'readSupplierFeed',
        summary: "Read a supplier's feed now, and not only when it is due",
        tags,
        params: FeedParams,
        response: { 200: schemas.SupplierFeed, ...defineProblems(404) },
      },
    },
    ({ params }) => readSupplierFeedNow(ctx, params),
  )

  app.get(
    `${PATH}/documents`,
    {
      config: read,
      schema: {
        operationId: 'listSupplierDocuments',
        summary: "List the documents of a supplier's feed, those that cannot be used first",
        tags,
        params: FeedParams,
        response: { 200: schemas.SupplierDocumentList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listSupplierDocuments(reading.db, params),
  )

  app.get(
    `${PATH}/affected-without-finding`,
    {
      config: read,
      schema: {
        operationId: 'listSupplierAffected',
        summary: 'List what the supplier says is affected and no source of the service knows',
        description:
          'Findings come from the sources of the service. These statements make none: they count in no list, counter, gate or alert. Look at each of them.',
        tags,
        params: FeedParams,
        response: { 200: schemas.SupplierAffectedList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listSupplierAffected(reading.db, params),
  )

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Vulnerabilities',
    params: FeedParams,
    command: schemas.UpdateSupplierFeedCommand,
    answer: schemas.SupplierFeed,
    get: { operationId: 'getSupplierFeed', summary: "Get a supplier's feed" },
    put: {
      operationId: 'updateSupplierFeed',
      summary: "Replace a supplier's feed; with another address it is read anew",
      mayConflict: true,
    },
    patch: {
      operationId: 'changeSupplierFeed',
      summary: "Change fields of a supplier's feed",
      name: 'SupplierFeedPatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deleteSupplierFeed',
      summary: "Delete a supplier's feed; its statements count no more, decisions they made stay",
      remove: (removal) => deleteSupplierFeed(ctx, removal),
    },
    read: (one) => getSupplierFeed(ctx, ctx.db, one),
    write: (change) => updateSupplierFeed(ctx, change),
  })
}
