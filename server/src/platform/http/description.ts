/** The API description: routes say their own part, and what is alike for many of them is added here. */
import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import swagger from '@fastify/swagger'
import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { PROBLEMS, defineProblems } from './schemas.ts'

export async function installDescription(
  app: FastifyInstance,
  version: string,
  publicUrl: string,
): Promise<void> {
  const cookie = publicUrl.startsWith('https:') ? '__Host-plimsoll_session' : 'plimsoll_session'
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Plimsoll',
        version,
        description:
          'Knows what is inside every firmware version, which of it is vulnerable, and which devices run it. Faults are problem details (RFC 9457); a browser that opens an address in a tab (`Sec-Fetch-Mode: navigate`) gets them as a page.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: publicUrl }],
      components: {
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key: plm_ and 40 characters',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: cookie,
            description:
              'The session of a person who signed in. Requests that change something come from our own pages: Sec-Fetch-Site or Origin says so',
          },
          deviceKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'A device key: plmd_ and 40 characters',
          },
        },
      },
      security: [{ apiKey: [] }, { session: [] }],
    },
    transform: ({ schema, url, route }) => ({
      schema: withSayings(
        withIdempotencyKey(
          withEntityTag(withAnswers(withScope(schema, route.config)), route),
          route,
        ),
      ) as FastifySchema,
      url,
    }),
    transformObject: (document) =>
      'openapiObject' in document ? withComponents(document.openapiObject) : document.swaggerObject,
  })
}

const ANSWERED: Record<string, string> = { 200: 'Done', 201: 'Created', 202: 'Accepted' }

/** Swagger has another use of `$id`, so that a schema keeps its name here until all routes are described. */
const NAME = 'x-schema-name'
const BESIDE = 'x-beside-name'

/** Puts what `Saying` added to a schema into it, or beside its name. */
function withSayings(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withSayings)
  if (typeof schema !== 'object' || schema === null) return schema
  const { says, $id, ...rest } = schema as { says?: object; $id?: unknown }
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, one]) => [name, withSayings(one)]),
  )
  return typeof $id === 'string' ? { ...inner, [NAME]: $id, [BESIDE]: says } : { ...inner, ...says }
}

/** Adds the problem answers of every route, and descriptions for its other answers. */
function withAnswers<Schema extends FastifySchema>(schema: Schema): Schema {
  const { response, params, querystring, body } = schema
  if (typeof response !== 'object' || response === null) return schema
  const answers = Object.entries(response as NamedNodes).map(([status, answer]) => {
    const text = answer['description'] ?? ANSWERED[status]
    return [status, { ...answer, ...(text !== undefined && { 'x-response-description': text }) }]
  })
  // A Content-Type that names no media type is refused before a route that reads its body itself sees the request.
  const isChecked = [params, querystring, body].some((part) => part !== undefined)
  const common = defineProblems(
    431,
    500,
    ...(isChecked ? [400] : []),
    // What the path names may not be there, whatever its characters.
    ...(params === undefined ? [] : [404]),
    ...(body === undefined ? [] : [413, 415]),
  )
  return { ...schema, response: { ...common, ...(Object.fromEntries(answers) as Node) } }
}

const IF_MATCH = {
  type: 'string',
  description:
    'The ETag of an answer: the request is refused with 412 when somebody else has changed the resource since then',
}
const ETAG = { type: 'string', description: 'Names the state of what can be written' }

/** Of routes that edit a resource, and of those that read one which can be edited. */
function withEntityTag<Schema extends FastifySchema>(schema: Schema, route: RouteOptions): Schema {
  if (!route.config?.edits || typeof schema.response !== 'object') return schema
  const { 200: answer, ...others } = schema.response as Record<string, object>
  const response = { ...others, ...(answer && { 200: { headers: { etag: ETAG }, ...answer } }) }
  if (route.method === 'GET') return { ...schema, response }
  const headers = { type: 'object', properties: { 'if-match': IF_MATCH } }
  return { ...schema, headers, response: { ...response, ...defineProblems(412) } }
}

const IDEMPOTENCY_KEY = {
  type: 'string',
  description:
    'Names this request for a day: a repetition with the same key does nothing, and gets the answer of the first',
}

/** Of routes of a workspace that change something. */
function withIdempotencyKey<Schema extends FastifySchema>(
  schema: Schema,
  { config }: RouteOptions,
): Schema {
  if (config?.scope?.endsWith(': write') !== true || config.changesNothing === true) return schema
  const headers = schema.headers as { properties?: object } | undefined
  const properties = { ...headers?.properties, 'idempotency-key': IDEMPOTENCY_KEY }
  const response = { ...defineProblems(400, 409), ...(schema.response as object) }
  return { ...schema, headers: { type: 'object', properties }, response }
}

const WHOSE = {
  session: ' and somebody who is signed in; keys are refused',
  either: ' and somebody who is signed in, or the key of `plimsoll login`; other keys are refused',
}

function withScope<Schema extends FastifySchema>(
  schema: Schema,
  { scope, needsPerson }: FastifyContextConfig = {},
): Schema {
  if (scope === undefined || !schema) return schema
  const whose = needsPerson === undefined ? '' : WHOSE[needsPerson === true ? 'session' : 'either']
  const text = `Needs the scope \`${scope}\`${whose}.`
  const described = 'description' in schema && typeof schema.description === 'string'
  const security = needsPerson === true ? { security: [{ session: [] }] } : {}
  const description = described ? `${String(schema.description)}\n\n${text}` : text
  return { ...schema, description, ...security }
}

type Node = Record<string, unknown>
type NamedNodes = Record<string, Node>

/**
 * Moves every schema with an `$id` to the components, where it stands once, and refers to it by this name. Clients get a type
 * of this name.
 */
function referToNamed(node: unknown, schemas: NamedNodes): unknown {
  if (Array.isArray(node)) return node.map((one) => referToNamed(one, schemas))
  if (typeof node !== 'object' || node === null) return node
  const inner = Object.entries(node).map(([key, value]) => [key, referToNamed(value, schemas)])
  const { [NAME]: name, [BESIDE]: beside, ...schema } = Object.fromEntries(inner) as Node
  if (typeof name !== 'string') return schema
  schemas[name] ??= schema
  if (!isDeepStrictEqual(schemas[name], schema))
    throw new Error(`Two schemas have the name ${name}: give one of them another $id.`)
  return { $ref: `#/components/schemas/${name}`, ...(beside as object | undefined) }
}

/** An answer that says something of its own about a status stays where it is. */
function referToProblems(answers: NamedNodes, components: NamedNodes): void {
  for (const [status, answer] of Object.entries(answers)) {
    const name = STATUS_CODES[status]?.replaceAll(/\W/g, '')
    if (name === undefined || answer['description'] !== PROBLEMS[Number(status)]) continue
    components[name] = answer
    answers[status] = { $ref: `#/components/responses/${name}` }
  }
}

/** A route takes a request without a body as one with null. */
function markOptionalBody(requestBody: unknown): void {
  const body = requestBody as { required?: boolean; content: NamedNodes } | undefined
  const { schema } = (body?.content['application/json'] ?? {}) as { schema?: { anyOf?: Node[] } }
  if (body && schema?.anyOf?.some(({ type }) => type === 'null')) body.required = false
}

/** With schemas and problem answers in the components, by name. */
function withComponents<Document extends object>(document: Document): Document {
  const described = document as { paths?: object; components?: object }
  const schemas: NamedNodes = {}
  const responses: NamedNodes = {}
  const paths = referToNamed(described.paths, schemas) as Record<string, NamedNodes>
  for (const operation of Object.values(paths).flatMap((path) => Object.values(path))) {
    referToProblems(operation['responses'] as NamedNodes, responses)
    markOptionalBody(operation['requestBody'])
  }
  const components = { ...described.components, responses, schemas: byName(schemas) }
  return { ...document, paths, components }
}

const byName = (nodes: NamedNodes) =>
  Object.fromEntries(Object.entries(nodes).toSorted(([one], [other]) => (one < other ? -1 : 1)))
