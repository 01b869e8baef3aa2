/** The REST interface: requests that fit openapi.json, and those changed in structure, syntax, ids and headers. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { AJV_OPTIONS, readDescription } from '../answers.ts'
import { stored, type StoredBytes } from './bytes.ts'
import { type Door, Fault, openDoor } from './door.ts'
import { fitting, type Known, type Schema } from './from-schema.ts'
import { jsonBytes, mutated, oddTexts, spoiled } from './mutations.ts'
import { ask, type FuzzRequest, type FuzzAnswer, type World } from './world.ts'

interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  required?: boolean
  schema: Schema
}

interface Operation {
  method: string
  path: string
  parameters: Parameter[]
  body: { type: string; schema: Schema }[]
  needsPerson: boolean
}

interface RestCase extends FuzzRequest {
  /** As openapi.json has it. */
  operation: string
}

/** Devices have doors of their own. */
function operations(): Operation[] {
  return Object.entries(readDescription().paths).flatMap(([path, methods]) =>
    path.startsWith('/device/')
      ? []
      : Object.entries(methods ?? {}).map(([method, described]) => {
          const {
            parameters = [],
            requestBody,
            security,
          } = described as unknown as {
            parameters?: Parameter[]
            requestBody?: { content: Record<string, { schema: Schema }> }
            security?: Record<string, unknown>[]
          }
          const body = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({
            type,
            schema,
          }))
          const needsPerson =
            security?.some((one) => 'session' in one && !('apiKey' in one)) === true
          return { method: method.toUpperCase(), path, parameters, body, needsPerson }
        }),
  )
}

/** Members and parameters that name something, and the name of an id of it. */
const NAMED: Record<string, string> = {
  workspaceId: 'workspaceId',
  firmwareId: 'firmwareId',
  firmware: 'slug',
  firmwareVersionId: 'firmwareVersionId',
  predecessorId: 'firmwareVersionId',
  baseVersionId: 'laterVersionId',
  slug: 'slug',
  deviceId: 'deviceId',
  device: 'deviceId',
  cohortId: 'deploymentCohortId',
  cohort: 'deploymentCohortId',
  deploymentCohortId: 'deploymentCohortId',
  deploymentId: 'deploymentId',
  updateId: 'updateId',
  sbomId: 'sbomId',
  componentId: 'componentId',
  component: 'product',
  findingId: 'findingId',
  cveId: 'cveId',
  cpe: 'cpe',
  overrideId: 'overrideId',
  alertRuleId: 'alertRuleId',
  incidentId: 'incidentId',
  notificationTargetId: 'notificationTargetId',
  webhookId: 'webhookId',
  subjectId: 'subjectId',
  invitationId: 'invitationId',
  apiKeyId: 'apiKeyId',
  deviceKeyId: 'deviceKeyId',
  sessionId: 'sessionId',
  email: 'email',
  cursor: 'cursor',
}

const idsOf = (name: string, share = 8): fc.Arbitrary<string> | undefined => {
  const id = NAMED[name]
  if (id === undefined) return undefined
  return fc.oneof(
    { arbitrary: fc.constant(`{{mine.${id}}}`), weight: share },
    { arbitrary: fc.constant(`{{theirs.${id}}}`), weight: 1 },
    ...(name === 'cursor'
      ? [
          {
            arbitrary: fc.oneof(fc.constant('{{mine.componentCursor}}'), fc.base64String()),
            weight: 2,
          },
        ]
      : []),
  )
}

const known: Known = (name) => idsOf(name)

const RAW_PATHS = [
  '%',
  '%zz',
  '%ff',
  '..',
  '%2e%2e%2f',
  '%00',
  '',
  'a'.repeat(9_000),
  '%F0%9F%9A%A2',
  '\u00e9',
]

const pathTexts = fc.oneof(
  fc.constantFrom(...RAW_PATHS),
  fc.uuid(),
  oddTexts.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 12_000)),
)

/** The path with ids; mostly those of the workspace that is tried. Deletions mostly name nothing. */
function paths({ path, method }: Operation): fc.Arbitrary<string> {
  const parts = path.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1]
    if (name === undefined) return fc.constant(part)
    const spares = method === 'DELETE' && name !== 'workspaceId'
    const own = idsOf(name, spares ? 1 : 20) ?? fc.uuid()
    return fc.oneof(
      { arbitrary: own, weight: spares ? 1 : 14 },
      { arbitrary: pathTexts, weight: 1 },
    )
  })
  return fc.tuple(...parts).map((all) => all.join(''))
}

function queries({ parameters }: Operation): fc.Arbitrary<string> {
  const query = parameters.filter((one) => one.in === 'query')
  const values = query.map(({ name, schema, required }) => {
    const fits = fitting(schema, known, name).map(String)
    const text = fc.oneof({ arbitrary: fits, weight: 4 }, { arbitrary: oddTexts, weight: 1 })
    const pair = text.map((one) => `${name}=${escaped(one)}`)
    const often = required === true ? 19 : 2
    return fc.oneof({ arbitrary: pair, weight: often }, { arbitrary: fc.constant(''), weight: 1 })
  })
  const more = fc.oneof(
    { arbitrary: fc.constant(''), weight: 12 },
    fc.constantFrom('x=1', '%', '&&&', 'limit=1&limit=2', '__proto__=1', 'limit[]=1', 'cursor=%ff'),
  )
  return fc
    .tuple(more, ...values)
    .map((all) => all.filter((one) => one !== '').join('&'))
    .map((text) => (text === '' ? '' : `?${text}`))
}

/** Names of ids keep their braces, and get the characters that a sender would never leave. */
const escaped = (text: string) =>
  encodeURIComponent(text.toWellFormed())
    .replaceAll(/%7B%7B([\w.]+)%7D%7D/g, '{{$1}}')
    .slice(0, 10_000)

const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 8 },
  fc.constantFrom<Record<string, string>>(
    { accept: 'text/html' },
    { accept: ';;;,*/*;q=9' },
    { 'accept-encoding': 'gzip;q=0, *' },
    { 'if-match': '*' },
    { 'if-match': '"wrong"' },
    { 'if-none-match': '*' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'br, zstd' },
    { range: 'bytes=9999999999999999999-' },
    { range: 'bytes=-0,5-1,x' },
    { cookie: 'plimsoll_session=%00; a==; =' },
    { 'last-event-id': '-1' },
    { 'x-forwarded-for': '::1, x' },
    { 'x-http-method-override': 'DELETE' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'x-odd': '\u00ff'.repeat(2_000) },
  ),
)

const keys = (needsPerson: boolean): fc.Arbitrary<Record<string, string>> => {
  const session = { cookie: '{{mine.cookie}}', 'sec-fetch-site': 'same-origin' }
  const key = { authorization: 'Bearer {{mine.apiKey}}' }
  return fc.oneof(
    { arbitrary: fc.constant(needsPerson ? session : key), weight: 40 },
    { arbitrary: fc.constant(needsPerson ? key : session), weight: 2 },
    fc.constantFrom<Record<string, string>>(
      { authorization: 'Bearer {{theirs.apiKey}}' },
      {},
      { authorization: 'bearer' },
      { authorization: 'Bearer {{mine.deviceKey}}' },
    ),
  )
}

const TYPES = [
  '',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json; charset="',
  'application/merge-patch+json',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/cbor',
  'application/octet-stream',
  'application/json, text/html',
  '/',
]

function bodies({
  body,
}: Operation): fc.Arbitrary<{ type: string; bytes: StoredBytes } | undefined> {
  const [first] = body
  if (!first) return fc.oneof({ arbitrary: fc.constant(undefined), weight: 9 }, strays())
  const own = body.map(({ type, schema }) => {
    const isJson = type.endsWith('json')
    const values = isJson ? mutated(fitting(schema, known)) : oddTexts
    const bytes = isJson
      ? spoiled(values.map(jsonBytes), 9)
      : values.map((text) => stored(Buffer.from(String(text))))
    const types = fc.oneof({ arbitrary: fc.constant(type), weight: 19 }, fc.constantFrom(...TYPES))
    return fc.record({ type: types, bytes }, { noNullPrototype: true })
  })
  return fc.oneof({ arbitrary: fc.oneof(...own), weight: 19 }, fc.constant(undefined))
}

/** A body where none is expected. */
const strays = () => fc.constant({ type: 'application/json', bytes: { text: '{"a":1}' } })

function requestsOf(operation: Operation): fc.Arbitrary<RestCase> {
  const { method, path, needsPerson } = operation
  return fc
    .tuple(paths(operation), queries(operation), keys(needsPerson), oddHeaders, bodies(operation))
    .map(([to, query, key, odd, body]) => ({
      operation: `${method} ${path}`,
      method,
      url: `${withinReach(to, key)}${query}`,
      headers: { ...key, ...(body && body.type !== '' && { 'content-type': body.type }), ...odd },
      ...(body && { body: body.bytes }),
    }))
}

/** Nobody asks the other workspace with its own key: what that changes there is right. */
function withinReach(path: string, { authorization = '' }: Record<string, string>): string {
  const isOthers = authorization.includes('theirs.')
  const to = isOthers ? path.replaceAll('{{theirs.workspaceId}}', '{{mine.workspaceId}}') : path
  return to.startsWith('/') ? to : `/${to}`
}

/** Renewed after so many cases, as some of them delete or change what others ask for. */
const CASES_OF_TENANT = 400

export function restDoor(world: World): Door {
  const all = operations()
  const made = new Map<Operation, fc.Arbitrary<RestCase>>()
  const requests = (operation: Operation) => {
    const own = made.get(operation) ?? requestsOf(operation)
    made.set(operation, own)
    return own
  }
  let count = 0
  let before: string | undefined
  return openDoor({
    atOnce: 4,
    cases: fc.constantFrom(...all).chain(requests),
    run: async (one) => {
      before ??= await shown(world)
      count += 1
      if (count % CASES_OF_TENANT === 0) await world.renew()
      refuseUnfit(one, await ask(world, one))
    },
    check: async () => {
      const after = await shown(world)
      if (before !== undefined && after !== before)
        throw new Fault(`the other workspace is not as it was: ${differenceOf(before, after)}`)
    },
  })
}

/** Where the texts begin to differ. */
function differenceOf(before: string, after: string): string {
  const at = Array.from(before).findIndex((one, index) => one !== after[index])
  const near = (text: string) => text.slice(Math.max(0, at - 120), at + 80)
  return `${near(before)} … ${near(after)}`
}

const ajv = new Ajv2020(AJV_OPTIONS)
ajv.addVocabulary(['example'])
const validators = new Map<string, ValidateFunction | undefined>()

/** A body that its schema excludes is not accepted. */
function refuseUnfit(
  { operation, method, headers }: RestCase,
  { status, sent, text }: FuzzAnswer,
): void {
  if (status >= 300 || !sent) return
  const type = headers['content-type'] ?? ''
  const key = `${operation} ${type}`
  if (!validators.has(key)) validators.set(key, validatorOf(operation, type))
  const validate = validators.get(key)
  if (!validate || validate(JSON.parse(sent.toString('utf8').replace(/^\uFEFF/, '')))) return
  const [error] = validate.errors ?? []
  const why = `${error?.instancePath} ${error?.message}`
  throw new Fault(
    `${method} accepted what openapi.json excludes at ${operation}: ${why}: ${text.slice(0, 200)}`,
  )
}

function validatorOf(operation: string, type: string): ValidateFunction | undefined {
  const [method = '', path = ''] = operation.split(' ')
  const described = readDescription().paths[path]?.[method.toLowerCase()] as
    | { requestBody?: { content: Record<string, { schema: object }> } }
    | undefined
  const media = described?.requestBody?.content[type]
  return media && type.endsWith('json') ? ajv.compile(media.schema) : undefined
}

const SHOWN = [
  '/settings',
  '/members',
  '/invitations',
  '/firmwares',
  '/device-keys',
  '/package-overrides',
  '/deployment-cohorts',
  '/notification-targets',
  '/webhooks',
  '/vulnerable-firmware-versions',
  '/device-summary',
]

/** What the other workspace shows of itself. */
async function shown({ others: { client, ids } }: World): Promise<string> {
  const version = `/firmware-versions/${ids['firmwareVersionId']}`
  const texts: string[] = []
  const asked = [...SHOWN, `${version}/sboms`, `/devices/${ids['deviceId']}`]
  for (const path of asked) texts.push(writeAnswer(await client.get(path)))
  texts.push(writeAnswer(await client.post('/vulnerability-findings/list', {})))
  return texts.join('\n')
}

/** Moves with what all workspaces share. */
const OF_KNOWLEDGE = /"lastEvaluatedAt":"[^"]*",?/g

const writeAnswer = ({ statusCode, body }: { statusCode: number; body: string }) =>
  `${statusCode} ${body.replaceAll(OF_KNOWLEDGE, '')}`
