/**
 * Checks every answer that a test gets against server/openapi.json: its status, its content type, and its body, in which
 * every member has to be described. What deviates fails the test file at its end.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import type { App } from '../src/platform/http/app.ts'
import { failAtEndOfFile } from './end-of-file.ts'

export interface Answer {
  method: string
  /** As the route has it: `/workspaces/:workspaceId/settings`. undefined: no route. */
  route: string | undefined
  status: number
  contentType: string | undefined
  /** undefined: no text, so that nothing is known of it but the content type. */
  body: string | undefined
}

type Content = Record<string, { schema?: object } | undefined>
type Operation = { responses: Record<string, { content?: Content } | undefined> }
interface Description {
  components: { schemas: Record<string, object> }
  paths: Record<string, Record<string, Operation | undefined> | undefined>
}

type Node = Record<string, unknown>

let description: Description | undefined

/** The API description with what it refers to in its place. */
export function readDescription(): Description {
  const file = resolve(import.meta.dirname, '../openapi.json')
  description ??= withoutReferences(JSON.parse(readFileSync(file, 'utf8')) as Description)
  return description
}

function withoutReferences(document: Description): Description {
  const known = new Map<string, unknown>()
  const named = (reference: string) => {
    if (!known.has(reference)) {
      const [, ...path] = reference.split('/')
      const inDocument = path.reduce<unknown>((node, name) => (node as Node)[name], document)
      known.set(reference, inPlace(inDocument))
    }
    return known.get(reference) as Node
  }
  const inPlace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inPlace)
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...beside } = node as Node
    const inner = Object.fromEntries(
      Object.entries(beside).map(([key, one]) => [key, inPlace(one)]),
    )
    if (typeof $ref !== 'string') return inner
    const schema = named($ref)
    return Object.keys(inner).length === 0 ? schema : { ...schema, ...inner }
  }
  return inPlace(document) as Description
}

/** Answers of more bytes are not read. */
const MOST_BYTES = 32 * 1024 * 1024

type Report = (fault: string, requestId: string) => void

const reportToTest: Report = (fault) =>
  failAtEndOfFile(`${fault} (in "${expect.getState().currentTestName ?? 'a hook'}")`)

let report = reportToTest

/** What deviates is told to `other` instead. @returns what undoes that. */
export function reportAnswersTo(other: Report): () => void {
  report = other
  return () => {
    report = reportToTest
  }
}

export function checkAnswers(app: App): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const contentType = reply.getHeader('content-type')?.toString()
    const { method, id, routeOptions, headers } = request
    // The description says it once for all: a tab of a browser gets faults as a page.
    const isPage = headers['sec-fetch-mode'] === 'navigate' && reply.statusCode >= 400
    if (isPage) return done(null, payload)
    const told = { method, route: routeOptions.url, status: reply.statusCode, contentType }
    const check = (body: string | undefined) => {
      const fault = faultOf({ ...told, body })
      if (fault !== undefined) report(fault, id)
    }
    if (payload instanceof Readable) {
      const isText = jsonType(contentType) !== undefined
      if (!isText) check(undefined)
      done(null, isText ? Readable.from(listenIn(payload, check)) : payload)
      return
    }
    check(typeof payload === 'string' ? payload : payload ? undefined : '')
    done(null, payload)
  })
}

async function* listenIn(source: Readable, check: (body: string) => void) {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of source as AsyncIterable<Buffer | string>) {
    const read = Buffer.from(chunk)
    bytes += read.length
    if (bytes < MOST_BYTES) chunks.push(read)
    yield chunk
  }
  if (bytes < MOST_BYTES) check(Buffer.concat(chunks).toString())
}

/** What of the answer is not as the API description says; undefined: nothing. */
export function faultOf(answer: Answer): string | undefined {
  const fault = deviation(answer)
  return fault && `${answer.method} ${answer.route} answered ${answer.status}: ${fault}`
}

function deviation({ method, route, status, contentType, body }: Answer): string | undefined {
  // HEAD has the headers of GET.
  const isHead = method === 'HEAD'
  const operation = operationOf(isHead ? 'GET' : method, route)
  if (!operation)
    return isOwnProtocol(route, status) ? undefined : faultOfProblem(contentType, body)
  const documented = operation.responses[status]
  if (!documented) return 'the status is not documented'
  const { content } = documented
  // Node sends none.
  if (status === 204 || status === 304) return content && 'a body is documented that is never sent'
  if (!content)
    return body === undefined || body === '' ? undefined : 'a body that is not documented'
  if (isHead && body === '') return undefined
  const type = contentType?.split(';')[0]?.trim() ?? ''
  const media = content[type]
  if (!media) return `${type} is not among the documented ${Object.keys(content).join(', ')}`
  if (!media.schema || body === undefined || jsonType(type) === undefined) return undefined
  return faultOfBody(media.schema, body)
}

function operationOf(method: string, route = ''): Operation | undefined {
  const path = route.replaceAll(/:(\w+)/g, '{$1}')
  return readDescription().paths[path]?.[method.toLowerCase()]
}

/** An MQTT broker asks at /mqtt, and knows no problems. */
function isOwnProtocol(route: string | undefined, status: number): boolean {
  return status < 400 || route?.startsWith('/mqtt/') === true
}

/** Routes that are not described answer with problems too. */
function faultOfProblem(contentType = '', body: string | undefined): string | undefined {
  // Pages for people.
  if (contentType.startsWith('text/html')) return undefined
  const { Problem } = readDescription().components.schemas
  if (contentType !== 'application/problem+json') return `${contentType} is not a problem`
  return Problem && body !== undefined ? faultOfBody(Problem, body) : undefined
}

function jsonType(contentType = ''): string | undefined {
  return /^application\/([\w.-]+\+)?json\b/.exec(contentType)?.[0]
}

function faultOfBody(schema: object, body: string): string | undefined {
  const validate = validatorOf(schema)
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return `not JSON: ${body.slice(0, 200)}`
  }
  if (validate(value)) return undefined
  const told = (validate.errors ?? []).slice(0, 5).map(({ instancePath, message, params }) => {
    const named = Object.values(params).map((one) => JSON.stringify(one))
    return `${instancePath} ${message} (${named.join(', ')})`
  })
  return told.join('; ')
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Formats are checked. */
export const AJV_OPTIONS = {
  strictTypes: false,
  strictRequired: false,
  formats: {
    'date-time': (text: string) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text)),
    date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
    uuid: UUID,
    uri: (text: string) => URL.canParse(text),
    binary: true,
  },
} as const
const ajv = new Ajv2020(AJV_OPTIONS)
ajv.addVocabulary(['example'])

const validators = new WeakMap<object, ValidateFunction>()

/** Compiled when the first answer comes. */
function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  const compiled = ajv.compile(closed(schema) as object)
  validators.set(schema, compiled)
  return compiled
}

/** The schema without members that it does not describe. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.entries(schema as Record<string, unknown>).map(
    ([name, value]) =>
      [name, name === 'properties' ? closedEach(value as object) : closed(value)] as const,
  )
  const isOpen = 'properties' in schema && !('additionalProperties' in schema)
  return { ...Object.fromEntries(inner), ...(isOpen && { unevaluatedProperties: false }) }
}

/** Members may have any name, also that of a keyword. */
function closedEach(properties: object): unknown {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, closed(schema)]),
  )
}
