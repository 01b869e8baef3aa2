import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import { readPrecondition } from '../../platform/http/editing.ts'
import { sendPage } from '../../platform/http/pages.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { registerAdvisoryMailRoutes } from './mails/routes.ts'
import {
  previewPage,
  publishAdvisory,
  readDocument,
  withdrawAdvisory,
} from './publication-service.ts'
import { getPublisher, updatePublisher } from './publisher-service.ts'
import * as schemas from './schemas.ts'
import {
  createAdvisory,
  deleteAdvisory,
  getAdvisory,
  listAdvisories,
  updateAdvisory,
} from './service.ts'

const tags = ['Advisories']
const AdvisoryParams = defineWorkspaceParams('advisoryId')
const PATH = '/security-advisories/:advisoryId'
/** What leaves the house cannot be called back: people decide it, and no program by itself. */
const PUBLISH = {
  scope: 'Cases: decide',
  needsPerson: 'or terminal',
  edits: schemas.UpdateAdvisoryCommand,
} as const

export function registerSecurityAdvisoryRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/security-advisories',
    {
      config: { scope: 'Cases: write' },
      schema: {
        operationId: 'createSecurityAdvisory',
        summary:
          'Draft an advisory of a case, a finding, a vulnerability or the difference of two versions',
        description:
          'It says what was decided, and claims nothing that nobody has decided. Nothing is published.',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateAdvisoryCommand,
        response: { 201: schemas.SecurityAdvisory, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createAdvisory(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/security-advisories',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listSecurityAdvisories',
        summary: 'List advisories, drafts and published ones',
        tags,
        params: WorkspaceParams,
        querystring: schemas.AdvisoriesQuery,
        response: { 200: schemas.SecurityAdvisoryList, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => listAdvisories(reading.db, { ...params, ...query }),
  )

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Cases',
    params: AdvisoryParams,
    command: schemas.UpdateAdvisoryCommand,
    answer: schemas.SecurityAdvisory,
    get: {
      operationId: 'getSecurityAdvisory',
      summary: 'Get an advisory by its id or tracking id',
    },
    put: {
      operationId: 'updateSecurityAdvisory',
      summary: 'Replace what an advisory says; what was published stays until the next revision',
    },
    patch: {
      operationId: 'changeSecurityAdvisory',
      summary: 'Change members of an advisory',
      name: 'SecurityAdvisoryPatch',
    },
    delete: {
      operationId: 'deleteSecurityAdvisory',
      summary: 'Delete a draft that was never published',
      mayConflict: true,
      remove: (removal) => deleteAdvisory(ctx, removal),
    },
    read: (one) => getAdvisory(ctx, ctx.db, one),
    write: (change) => updateAdvisory(ctx, change),
  })

  registerAdvisoryMailRoutes(app, ctx)
  registerPublication(app, ctx)
  registerPublisher(app, ctx)
}

function registerPublication(app: App, ctx: AppContext): void {
  app.get(
    `${PATH}/document`,
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'getSecurityAdvisoryDocument',
        summary: 'The CSAF document of a revision, or of the draft as it would be published',
        tags,
        params: AdvisoryParams,
        querystring: schemas.DocumentQuery,
        response: { 200: schemas.CsafDocument, ...defineProblems(400, 404) },
      },
    },
    async ({ params, query, reading }, reply) => {
      const document = await readDocument(reading, reading.db, { ...params, ...query })
      return reply.type('application/json; charset=utf-8').send(Buffer.from(document))
    },
  )

  app.get(
    `${PATH}/page`,
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'previewSecurityAdvisory',
        summary: 'The page for people of a revision, or of the draft as it would be published',
        tags,
        produces: ['text/html'],
        params: AdvisoryParams,
        querystring: schemas.DocumentQuery,
        response: {
          200: { content: { 'text/html': { schema: Type.String() } } },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, query, reading }, reply) =>
      sendPage(reply, await previewPage(reading, reading.db, { ...params, ...query })),
  )

  app.post(
    `${PATH}/publish`,
    {
      config: PUBLISH,
      schema: {
        operationId: 'publishSecurityAdvisory',
        summary: 'Publish an advisory as a new revision, which is kept for ever',
        description:
          'With `If-Match`, exactly what was read is published. Whether everybody can read it is a setting of the workspace.',
        tags,
        params: AdvisoryParams,
        body: schemas.PublishAdvisoryCommand,
        response: { 200: schemas.SecurityAdvisory, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params, body, principal } = request
      const precondition = readPrecondition(request)
      return publishAdvisory(ctx, { ...params, ...body, actor: principal.actor, precondition })
    },
  )

  app.post(
    `${PATH}/withdraw`,
    {
      config: PUBLISH,
      schema: {
        operationId: 'withdrawSecurityAdvisory',
        summary: 'Withdraw an advisory by a revision that says so; earlier ones are kept',
        tags,
        params: AdvisoryParams,
        body: schemas.WithdrawAdvisoryCommand,
        response: { 200: schemas.SecurityAdvisory, ...defineProblems(400, 404, 409) },
      },
    },
    (request) => {
      const { params, body, principal } = request
      const precondition = readPrecondition(request)
      return withdrawAdvisory(ctx, { ...params, ...body, actor: principal.actor, precondition })
    },
  )
}

function registerPublisher(app: App, ctx: AppContext): void {
  registerEditable(app, {
    path: '/advisory-publisher',
    tags,
    scope: 'Workspace settings',
    params: WorkspaceParams,
    command: schemas.UpdatePublisherCommand,
    answer: schemas.AdvisoryPublisher,
    get: {
      operationId: 'getAdvisoryPublisher',
      summary: 'How the workspace publishes advisories, with the text of a security.txt',
    },
    put: {
      operationId: 'updateAdvisoryPublisher',
      summary: 'Replace how advisories are published, and whether at all',
    },
    patch: {
      operationId: 'changeAdvisoryPublisher',
      summary: 'Change how advisories are published',
      name: 'AdvisoryPublisherPatch',
    },
    read: (one) => getPublisher(ctx, ctx.db, one),
    write: (change) => updatePublisher(ctx, change),
  })
}
