/** The pages and the API of a customer. They need no key: the token of the link authorises. */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import { isKnownTag } from '../../../platform/http/entity-tags.ts'
import { sendPage } from '../../../platform/http/pages.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  PageRequest,
} from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import { renderPublished } from '../../security-advisories/index.ts'
import { readInTurn } from '../asking-service.ts'
import { countUse, hashGivenToken, linkDoesNotWork } from '../links/service.ts'
import { findCustomerLink } from '../links/store.ts'
import { readToken } from '../links/token.ts'
import { getCustomer } from '../service.ts'
import { type LinkTo, renderCustomer, renderStatements } from './pages.ts'
import * as view from './service.ts'

const hide = true
const PATH = '/customer/:workspaceId'
const Params = Type.Object({ workspaceId: Type.String() })
const AdvisoryParams = Type.Object({
  workspaceId: Type.String(),
  year: Type.String(),
  file: Type.String(),
})
/** What else stands in the address is ignored: mail programs add to it. */
const Query = Type.Object({
  token: Type.Optional(Type.String({ maxLength: 200 })),
  ...PageRequest,
})
const VersionQuery = Type.Object({
  ...Query.properties,
  firmware: Type.String({ maxLength: 200 }),
  version: Type.String({ maxLength: 200 }),
})

type Asked = FastifyRequest<{
  Params: { workspaceId: string }
  Querystring: { token?: string }
}>

async function openCustomer(ctx: AppContext, request: Asked): Promise<view.CustomerScope> {
  const { workspaceId } = request.params
  const tokenHash = hashGivenToken(readToken(request))
  const link =
    isUuid(workspaceId) && tokenHash !== null
      ? await findCustomerLink(ctx.db, { workspaceId, tokenHash, now: ctx.now() })
      : undefined
  if (!link) throw linkDoesNotWork()
  const { customerId, customerName, endsAt } = link
  await countUse(ctx, { workspaceId, link, customerId })
  return { workspaceId, customerId, customerName, linkEndsAt: endsAt }
}

export function registerCustomerPageRoutes(app: App, ctx: AppContext): void {
  const open = <Answer>(request: Asked, read: (seen: view.CustomerScope) => Promise<Answer>) =>
    readInTurn(ctx, request.params.workspaceId, async () => read(await openCustomer(ctx, request)))
  const linksOf = (request: Asked): LinkTo => {
    const { token } = request.query
    const base = `/customer/${request.params.workspaceId}`
    return (path, query = {}) => formatLink(base + path, { ...query, ...(token && { token }) })
  }
  const schema = { hide, params: Params, querystring: Query }

  for (const path of [PATH, `${PATH}/`])
    app.get(path, { schema }, async (request, reply) =>
      sendOwnPage(
        request,
        reply,
        await open(request, (seen) => renderAll(ctx, seen, request.query, linksOf(request))),
      ),
    )
  app.get(
    `${PATH}/version`,
    { schema: { ...schema, querystring: VersionQuery } },
    async (request, reply) =>
      sendOwnPage(
        request,
        reply,
        await open(request, async (seen) =>
          renderStatements(await view.showStatements(ctx, seen, request.query), linksOf(request)),
        ),
      ),
  )
  app.get(`${PATH}/api`, { schema }, async (request, reply) =>
    sendJson(request, reply, await open(request, (seen) => view.showCustomer(ctx, seen))),
  )
  app.get(`${PATH}/api/devices`, { schema }, async (request, reply) =>
    sendJson(
      request,
      reply,
      await open(request, (seen) => view.showDevices(ctx, seen, request.query)),
    ),
  )
  app.get(
    `${PATH}/api/statements`,
    { schema: { ...schema, querystring: VersionQuery } },
    async (request, reply) =>
      sendJson(
        request,
        reply,
        await open(request, (seen) => view.showStatements(ctx, seen, request.query)),
      ),
  )
  app.get(
    `${PATH}/advisories/:year/:file`,
    { schema: { hide, params: AdvisoryParams, querystring: Query } },
    async (request, reply) => {
      const { name, ending } = readAdvisoryName(request.params)
      const published = await open(request, (seen) => view.readOwnAdvisory(ctx, seen, name))
      const linkTo = linksOf(request)
      if (ending === 'html')
        return sendOwnPage(
          request,
          reply,
          renderPublished(published, {
            url: linkTo(`/advisories/${name}.json`),
            listUrl: linkTo(''),
          }),
        )
      const text = published.document
      return sendText(request, reply, { text, tag: createTag(text), type: JSON_TYPE })
    },
  )
}

async function renderAll(
  ctx: AppContext,
  seen: view.CustomerScope,
  { cursor, limit }: { cursor?: string; limit?: number },
  linkTo: LinkTo,
): Promise<string> {
  const request = { ...(cursor !== undefined && { cursor }), ...(limit !== undefined && { limit }) }
  const devices = await view.showDevices(ctx, seen, request)
  return renderCustomer(await view.showCustomer(ctx, seen), devices, linkTo)
}

function formatLink(path: string, query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  return search === '' ? path : `${path}?${search}`
}

function readAdvisoryName({ year, file }: { year: string; file: string }) {
  const [, name, ending] = /^([+\-a-z0-9_]+)\.(json|html)$/.exec(file) ?? []
  if (/^\d{4}$/.test(year) && name !== undefined) return { name: `${year}/${name}`, ending }
  throw new AppError('notFound', 'document-not-there', 'No advisory has this name.')
}

/** When it was read, and where the next page begins as of then: they differ each time, and say nothing of the devices. */
const PASSING = new Set(['asOf', 'nextCursor'])

/** The tag is of all that lasts, so that whoever asks again gets nothing while nothing changed. */
function sendJson(request: FastifyRequest, reply: FastifyReply, value: object): FastifyReply {
  const lasting = JSON.stringify(value, (name, member: unknown) =>
    PASSING.has(name) ? undefined : member,
  )
  return sendText(request, reply, {
    text: `${JSON.stringify(value, undefined, 2)}\n`,
    tag: `W/${createTag(lasting)}`,
    type: JSON_TYPE,
  })
}

const sendOwnPage = (request: FastifyRequest, reply: FastifyReply, text: string) =>
  sendText(request, reply, { text, tag: createTag(text) })

const JSON_TYPE = 'application/json; charset=utf-8'
const createTag = (text: string) =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`

/** Kept by whoever asks alone, and asked for again each time, so that a revoked link shows nothing more. */
function sendText(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { text, tag, type }: { text: string; tag: string; type?: string },
): FastifyReply {
  void reply
    .header('etag', tag)
    .header('cache-control', 'private, no-cache')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
  if (isKnownTag(headers['if-none-match'], tag.replace(/^W\//, ''))) return reply.code(304).send()
  return type === undefined ? sendPage(reply, text) : reply.type(type).serializer(String).send(text)
}

const page = {
  tags: ['Customers'],
  produces: ['text/html'],
  response: {
    200: { content: { 'text/html': { schema: Type.String() } } },
    ...defineProblems(400, 404),
  },
}
const CustomerParams = defineWorkspaceParams('customerId')
const TeamQuery = Type.Object(PageRequest, { additionalProperties: false })
const TeamVersionQuery = Type.Object(
  {
    ...PageRequest,
    firmware: Type.String({ maxLength: 200, examples: ['gateway'] }),
    version: Type.String({ maxLength: 200, examples: ['2.4.1'] }),
  },
  { additionalProperties: false },
)

/** The same pages for the team. They are of the same code, so that nothing is shown otherwise. */
export function registerCustomerPreviewRoutes(app: App): void {
  const config = { isExpensive: true, scope: 'Customers: read' } as const
  const see = async (
    ctx: AppContext,
    { workspaceId, customerId }: { workspaceId: string; customerId: string },
  ) => {
    const { id, name } = await getCustomer(ctx, ctx.db, { workspaceId, customerId })
    const linkTo: LinkTo = (path, query) =>
      /^\/(?:version)?$|^$/.test(path)
        ? formatLink(`/workspaces/${workspaceId}/customers/${id}/page${path}`, query ?? {})
        : '#'
    const seen = { workspaceId, customerId: id, customerName: name, linkEndsAt: null }
    return { seen, linkTo }
  }
  app.get(
    '/customers/:customerId/page',
    {
      config,
      schema: {
        ...page,
        operationId: 'showCustomerPage',
        summary: 'The page of a customer as its links show it',
        description:
          'The same page, made by the same code, without the day on which a link ends. Looking at it counts as no view of the customer.',
        params: CustomerParams,
        querystring: TeamQuery,
      },
    },
    async ({ params, query, reading }, reply) => {
      const { seen, linkTo } = await see(reading, params)
      return sendPage(reply, await renderAll(reading, seen, query, linkTo))
    },
  )
  app.get(
    '/customers/:customerId/page/version',
    {
      config,
      schema: {
        ...page,
        operationId: 'showCustomerVersionPage',
        summary: 'What a customer reads about a version that its devices run',
        params: CustomerParams,
        querystring: TeamVersionQuery,
      },
    },
    async ({ params, query, reading }, reply) => {
      const { seen, linkTo } = await see(reading, params)
      return sendPage(
        reply,
        renderStatements(await view.showStatements(reading, seen, query), linkTo),
      )
    },
  )
}
