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
  createTrustedKey,
  deleteTrustedKey,
  getTrustedKey,
  listTrustedKeys,
  updateTrustedKey,
} from './service.ts'

const tags = ['Trusted keys']

export function registerTrustedKeyRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/trusted-keys',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'listTrustedKeys',
        summary: 'List the public keys and certificates that may sign images, by name',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.TrustedKeyList, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => listTrustedKeys(reading.db, params),
  )

  app.post(
    '/trusted-keys',
    {
      config: { scope: 'Workspace settings: write' },
      schema: {
        operationId: 'createTrustedKey',
        summary: 'Trust a public key or a certificate',
        description:
          'Images that it signed, or that a certificate signed which it issued, are verified from then on; those that are there are checked again within seconds. Private keys are refused.',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateTrustedKeyCommand,
        response: { 201: schemas.TrustedKey, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createTrustedKey(ctx, { ...params, ...body, actor })),
  )

  registerEditable(app, {
    path: '/trusted-keys/:trustedKeyId',
    tags,
    scope: 'Workspace settings',
    params: defineWorkspaceParams('trustedKeyId'),
    command: schemas.UpdateTrustedKeyCommand,
    answer: schemas.TrustedKey,
    get: { operationId: 'getTrustedKey', summary: 'Get a trusted key' },
    put: {
      operationId: 'updateTrustedKey',
      summary: 'Replace the name and the purpose of a trusted key',
      description: 'The key itself never changes: trust another one, and delete this.',
      mayConflict: true,
    },
    patch: {
      operationId: 'patchTrustedKey',
      summary: 'Change the name or the purpose of a trusted key',
      name: 'TrustedKeyPatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deleteTrustedKey',
      summary: 'Trust a key no more',
      description: 'Images that only it verified are no longer verified from then on.',
      remove: (removal) => deleteTrustedKey(ctx, removal),
    },
    read: (one) => getTrustedKey(ctx.db, one),
    write: (change) => updateTrustedKey(ctx, change),
  })
}
