/** Standing addresses. They need no key: they are for everybody, or their token authorises. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { isKnownTag } from '../../../platform/http/entity-tags.ts'
import { sendPage } from '../../../platform/http/pages.ts'
import { readToken } from '../links/token.ts'
import { renderAddress } from './page.ts'
import * as documents from './service.ts'

const hide = true
const PATH = '/standing/:workspaceId/:addressId'
const Params = Type.Object({ workspaceId: Type.String(), addressId: Type.String() })
const SbomParams = Type.Object({ ...Params.properties, sbomId: Type.String() })
const querystring = Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) })

type Asked = FastifyRequest<{
  Params: { workspaceId: string; addressId: string }
  Querystring: { token?: string }
}>

const VEX = {
  'openvex.json': 'openvex',
  'cyclonedx.json': 'cyclonedx',
  'csaf.json': 'csaf',
} as const
const JSON_TYPE = 'application/json; charset=utf-8'

export function registerStandingAddressRoutes(app: App, ctx: AppContext): void {
  const schema = { hide, params: Params, querystring }
  const open = (request: Asked) => {
    return documents.openAddress(ctx, { ...request.params, token: readToken(request) })
  }

  for (const path of [PATH, `${PATH}/`])
    app.get(path, { schema }, async (request, reply) => {
      const opened = await open(request)
      const { workspaceId, addressId } = request.params
      const { token } = request.query
      const search = token === undefined ? '' : `?${new URLSearchParams({ token }).toString()}`
      const base = `/standing/${workspaceId}/${addressId}`
      const page = renderAddress(await documents.describeAddress(ctx, opened), {
        linkTo: (file) => `${base}/${file}${search}`,
        isOfOneVersion: opened.address.firmwareVersionId !== null,
      })
      if (isSame(request, reply, opened, documents.createTag(page))) return reply.send()
      return sendPage(reply, page)
    })
  app.get(`${PATH}/index.json`, { schema }, async (request, reply) => {
    const opened = await open(request)
    return sendJson(request, reply, opened, await documents.describeAddress(ctx, opened))
  })
  app.get(`${PATH}/support.json`, { schema }, async (request, reply) => {
    const opened = await open(request)
    return sendJson(request, reply, opened, documents.describeSupport(ctx, opened))
  })
  for (const [file, format] of Object.entries(VEX))
    app.get(`${PATH}/${file}`, { schema }, async (request, reply) => {
      const opened = await open(request)
      const { text, tag } = await documents.readVex(ctx, opened, format)
      if (isSame(request, reply, opened, tag)) return reply.send()
      return reply.type(JSON_TYPE).serializer(String).send(text)
    })
  app.get(`${PATH}/sbom`, { schema }, async (request, reply) => {
    const opened = await open(request)
    return sendSbom(request, reply, opened, await documents.findCurrentSbom(ctx, opened))
  })
  app.get(
    `${PATH}/sboms/:sbomId`,
    { schema: { ...schema, params: SbomParams } },
    async (request, reply) => {
      const opened = await open(request)
      const { sbomId } = request.params
      return sendSbom(request, reply, opened, await documents.findCurrentSbom(ctx, opened, sbomId))
    },
  )
}

/** Sets the headers of all answers. True: whoever asks has the document already, and the answer is 304. */
function isSame(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { address }: documents.OpenedAddress,
  tag: string,
): boolean {
  void reply
    .header('etag', tag)
    .header('cache-control', address.isPublic ? 'public, max-age=60' : 'private, no-cache')
    .header('referrer-policy', 'no-referrer')
    .header('x-robots-tag', 'noindex')
  if (!isKnownTag(headers['if-none-match'], tag)) return false
  void reply.code(304)
  return true
}

function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  opened: documents.OpenedAddress,
  value: object,
): FastifyReply {
  const text = `${JSON.stringify(value, undefined, 2)}\n`
  if (isSame(request, reply, opened, documents.createTag(text))) return reply.send()
  return reply.type(JSON_TYPE).serializer(String).send(text)
}

async function sendSbom(
  request: FastifyRequest,
  reply: FastifyReply,
  opened: documents.OpenedAddress,
  sbom: Awaited<ReturnType<typeof documents.findCurrentSbom>>,
): Promise<FastifyReply> {
  if (isSame(request, reply, opened, `"${sbom.sha256}"`)) return reply.send()
  const content = await sbom.open()
  return reply
    .type('application/octet-stream')
    .header('content-length', sbom.sizeBytes)
    .header('content-disposition', formatAttachmentHeader(sbom.fileName))
    .send(content)
}
