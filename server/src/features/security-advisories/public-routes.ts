/** What everybody can read of a workspace that publishes its advisories. It needs no key, and never redirects. */
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { isKnownTag } from '../../platform/http/entity-tags.ts'
import { sendPage } from '../../platform/http/pages.ts'
import {
  CHANGES_FILE,
  FEED_FILE,
  INDEX_FILE,
  METADATA_FILE,
  writeChanges,
  writeIndex,
} from './provider.ts'
import * as publicService from './public-service.ts'

const hide = true
const PATH = '/public/:workspaceId'
const Params = Type.Object({ workspaceId: Type.String() })
const YearParams = Type.Object({ workspaceId: Type.String(), year: Type.String() })
const FileParams = Type.Object({
  workspaceId: Type.String(),
  year: Type.String(),
  file: Type.String(),
})

const LISTINGS = [
  [INDEX_FILE, writeIndex, 'text/plain'],
  [CHANGES_FILE, writeChanges, 'text/csv'],
] as const

export function registerPublicAdvisoryRoutes(app: App, ctx: AppContext): void {
  for (const path of [PATH, `${PATH}/`])
    app.get(path, { schema: { hide, params: Params } }, async (request, reply) =>
      sendPublic(request, reply, {
        type: 'page',
        text: await publicService.renderPublicList(ctx, request.params.workspaceId),
      }),
    )

  app.get(
    `${PATH}/${METADATA_FILE}`,
    { schema: { hide, params: Params } },
    async (request, reply) =>
      sendPublic(request, reply, {
        type: JSON_TYPE,
        text: await publicService.readPublicMetadata(ctx, request.params.workspaceId),
      }),
  )

  app.get(`${PATH}/${FEED_FILE}`, { schema: { hide, params: Params } }, async (request, reply) =>
    sendPublic(request, reply, {
      type: JSON_TYPE,
      text: await publicService.readPublicFeed(ctx, request.params.workspaceId),
    }),
  )

  app.get(`${PATH}/:year/`, { schema: { hide, params: YearParams } }, async (request, reply) => {
    const { workspaceId, year } = request.params
    const text = await publicService.renderPublicList(ctx, workspaceId, year)
    return sendPublic(request, reply, { type: 'page', text })
  })

  for (const [file, write, type] of LISTINGS)
    app.get(`${PATH}/${file}`, { schema: { hide, params: Params } }, async (request, reply) =>
      sendPublic(request, reply, {
        type: `${type}; charset=utf-8`,
        text: await publicService.readPublicListing(ctx, request.params.workspaceId, write),
      }),
    )

  app.get(
    `${PATH}/:year/:file`,
    { schema: { hide, params: FileParams } },
    async (request, reply) => {
      const { workspaceId, year, file } = request.params
      const [, name, ending] = /^([+\-a-z0-9_]+)\.(json|json\.sha512|html)$/.exec(file) ?? []
      if (name === undefined || ending === undefined || !/^\d{4}$/.test(year))
        throw notFound('security advisory', file)
      const of = { workspaceId, path: `${year}/${name}.json` }
      if (ending === 'html')
        return sendPublic(request, reply, {
          type: 'page',
          text: await publicService.renderPublicAdvisory(ctx, of),
        })
      const { document, sha512 } = await publicService.readPublicDocument(ctx, of)
      if (ending === 'json')
        return sendPublic(request, reply, {
          type: JSON_TYPE,
          text: document,
        })
      const text = `${sha512}  ${name}.json\n`
      return sendPublic(request, reply, { type: 'text/plain; charset=utf-8', text })
    },
  )
}

interface PublicAnswer {
  /** `page` for HTML. */
  type: string
  text: string
}

/** Without a charset, which JSON has none of (RFC 8259, section 11): readers of CSAF compare it to the letter. */
const JSON_TYPE = 'application/json'

/** A minute: what was published by mistake is withdrawn everywhere soon. */
const CACHE = 'public, max-age=60'

function sendPublic(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, text }: PublicAnswer,
): FastifyReply {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  void reply.header('etag', tag).header('cache-control', CACHE)
  if (isKnownTag(headers['if-none-match'], tag)) return reply.code(304).send()
  if (type === 'page') return sendPage(reply, text)
  // Bytes, as a charset would be added to a text.
  return reply.type(type).send(Buffer.from(text))
}
