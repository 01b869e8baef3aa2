import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { getSsvc, updateSsvc } from './service.ts'
import { addTree, getTree, listTrees } from './trees-service.ts'

const tags = ['Vulnerability findings']

export function registerSsvcRoutes(app: App, ctx: AppContext): void {
  registerEditable(app, {
    path: '/ssvc',
    tags,
    scope: 'Workspace settings',
    params: WorkspaceParams,
    command: schemas.UpdateSsvcCommand,
    answer: schemas.SsvcSettings,
    get: {
      operationId: 'getSsvcSettings',
      summary: 'What SSVC decides by: the tree, and what is known of products and cohorts',
    },
    put: {
      operationId: 'updateSsvcSettings',
      summary: 'Choose the SSVC tree, and state what is known of products and cohorts',
      description:
        'Lists follow within a minute. `POST …/ssvc/preview` with the same body says what would change.',
    },
    patch: {
      operationId: 'patchSsvcSettings',
      summary: 'Change some of what SSVC decides by',
      name: 'SsvcSettingsPatch',
    },
    read: ({ workspaceId }) => getSsvc(ctx, workspaceId),
    write: (change) => updateSsvc(ctx, change),
  })

  app.get(
    '/ssvc/trees',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'listSsvcTrees',
        summary: 'List the SSVC trees that the workspace can choose from',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.SsvcTrees, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => listTrees(ctx, params.workspaceId),
  )

  app.post(
    '/ssvc/trees',
    {
      config: { scope: 'Workspace settings: write' },
      schema: {
        operationId: 'addSsvcTree',
        summary: 'Add an SSVC tree of one’s own; it does not hold until it is chosen',
        tags,
        params: WorkspaceParams,
        body: schemas.AddTreeCommand,
        response: { 201: schemas.SsvcTree, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await addTree(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/ssvc/trees/:ssvcTreeId',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'getSsvcTree',
        summary: 'Get an SSVC tree as decision tables',
        tags,
        params: defineWorkspaceParams('ssvcTreeId'),
        response: { 200: schemas.SsvcTreeDetail, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => getTree(ctx, params),
  )
}
