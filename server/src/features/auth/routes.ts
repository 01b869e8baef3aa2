import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { sendPage } from '../../platform/http/pages.ts'
import {
  Exactly,
  Name,
  Nullable,
  OneOf,
  defineProblems,
  Shape,
  Timestamp,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { createOwnApiKey, revokeApiKey } from './service.ts'
import { SCOPES } from './scopes.ts'
import { listApiKeys } from './store.ts'
import { SETUP_PAGE, SETUP_SCRIPT } from './setup-page.ts'

/**
 * The page of a new person's setup link, where the portal does not show its own. The token of the link is the
 * authorisation; a browser keeps it over the redirection, as it is in the fragment.
 */
export function registerSetupRoutes(app: App, { hasPortal }: { hasPortal: boolean }): void {
  app.get('/setup', { schema: { hide: true } }, (_request, reply) =>
    hasPortal ? reply.redirect('/link') : sendPage(reply, SETUP_PAGE),
  )

  app.get('/setup.js', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').serializer(String).send(SETUP_SCRIPT),
  )
}

const CreateApiKeyCommand = Exactly(
  {
    name: Name,
    scopes: Type.Array(OneOf('Scope', SCOPES), { minItems: 1 }),
    expiresAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'From then on the key is refused' }),
    ),
  },
  { examples: [{ name: 'CI', scopes: ['SBOMs: write', 'Firmware: write'] }] },
)

const ApiKeys = Type.Array(
  Shape('ApiKey', {
    id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    createdByEmail: Type.String(),
    isMakerMember: Type.Boolean({
      description: 'Who made the key is a member of the workspace still',
    }),
    isLogin: Type.Boolean({
      description:
        'Made by `plimsoll login`: it does no more than its maker may, and ends when they leave the workspace',
    }),
    createdAt: Timestamp,
    expiresAt: Nullable(Timestamp),
    revokedAt: Nullable(Timestamp),
    lastUsedAt: Nullable(Timestamp, { description: 'Written at most once a minute' }),
  }),
)

const CreatedApiKey = Shape('CreatedApiKey', {
  id: Type.String(),
  apiKey: Type.String({ description: 'Shown this once', examples: ['plm_…'] }),
})

const keyTags = ['Keys']

export function registerApiKeyRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/api-keys',
    {
      config: { scope: 'Workspace settings: read' },
      schema: {
        operationId: 'listApiKeys',
        summary: 'List the API keys of the workspace, without the keys themselves',
        tags: keyTags,
        params: WorkspaceParams,
        response: { 200: ApiKeys, ...defineProblems(400, 404) },
      },
    },
    ({ params }) => listApiKeys(ctx.db, params.workspaceId),
  )

  app.post(
    '/api-keys',
    {
      config: { scope: 'Workspace settings: write', needsPerson: true, showsSecret: true },
      schema: {
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description: 'It has no scope that you do not hold.',
        tags: keyTags,
        params: WorkspaceParams,
        body: CreateApiKeyCommand,
        response: { 201: CreatedApiKey, ...defineProblems(400, 404) },
      },
    },
    async ({ params, body, principal: { actor, scopes: held } }, reply) =>
      reply.code(201).send(await createOwnApiKey(ctx, { ...params, ...body, held, actor })),
  )

  app.delete(
    '/api-keys/:apiKeyId',
    {
      config: { scope: 'Workspace settings: write', needsPerson: true },
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key, from the next request on',
        tags: keyTags,
        params: defineWorkspaceParams('apiKeyId'),
        response: { 204: Type.Null({ description: 'Revoked' }), ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, apiKeyId: id }, principal: { actor } }, reply) => {
      await revokeApiKey(ctx, { workspaceId, id, actor })
      return reply.code(204).send(null)
    },
  )
}
