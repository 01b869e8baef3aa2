/** Shapes every slice's routes share. */
import { Type, type TProperties, type TSchema } from 'typebox'

/** An object that takes exactly these fields. */
export function Exactly<Properties extends TProperties>(properties: Properties, options = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** An object that the API description names, and has once, however many routes take or answer it. */
export function Shape<Properties extends TProperties>(
  name: string,
  properties: Properties,
  options = {},
) {
  return Type.Object(properties, { $id: name, ...options })
}

/** A shape that takes exactly these fields. */
export function ExactShape<Properties extends TProperties>(
  name: string,
  properties: Properties,
  options = {},
) {
  return Exactly(properties, { $id: name, ...options })
}

/** A text that is one of these; named as a shape is. */
export function OneOf<const Values extends readonly string[]>(name: string, values: Values) {
  return Type.Enum<[...Values]>([...values], { $id: name })
}

/**
 * What else holds of a value, for the API description alone: the service checks it in its code, with a better message than
 * that of a schema.
 */
export function Saying<Schema extends TSchema>(schema: Schema, says: object): Schema {
  return { ...schema, says }
}

export function Nullable<Schema extends TSchema>(schema: Schema, options = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** Another resource, by its id and by what people call it. */
export const Reference = Shape('Reference', { id: Type.String(), name: Type.String() })

export const ReasonCount = Shape('ReasonCount', { reason: Type.String(), count: Type.Integer() })

/** A filter of a list: the text contains this, in upper or lower case. */
export const Containing = ExactShape('Containing', { contains: Type.String({ maxLength: 200 }) })

declare const ofTimestamp: unique symbol
/** A time as text. Answers may have a date in its place. */
export type TimestampText = string & { readonly [ofTimestamp]: true }

export const Timestamp = Type.Unsafe<TimestampText>(
  Type.String({ format: 'date-time', examples: ['2026-08-22T09:30:00.000Z'] }),
)

/** What people call a thing. `readName` (formats/one-line-name.ts) checks that it is one visible line. */
export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })

export const WorkspaceParams = Type.Object({ workspaceId: Type.String({ format: 'uuid' }) })

/** Path parameters besides the workspace may be any text. One that names nothing is answered with 404. */
export function defineWorkspaceParams<Name extends string>(...names: Name[]) {
  const properties = Object.fromEntries(names.map((name) => [name, Type.String()])) as Record<
    Name,
    ReturnType<typeof Type.String>
  >
  return Type.Object({ workspaceId: Type.String({ format: 'uuid' }), ...properties })
}

export const PageRequest = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
  cursor: Type.Optional(Type.String({ maxLength: 4096 })),
}
export const DEFAULT_LIMIT = 100

/** In answers of lists that count their rows. */
export const totalCountFields = {
  totalCount: Type.Integer({
    description:
      'Number of rows that the filter selects, on all pages together; counted up to 10,000',
  }),
  totalCountIsLowerBound: Type.Boolean({
    description: 'There are more rows than totalCount says',
  }),
}

export const ProblemSchema = Shape(
  'Problem',
  {
    type: Type.String({ examples: ['/problems/firmware-version-not-found'] }),
    title: Type.String({ examples: ['Not Found'] }),
    status: Type.Integer({ examples: [404] }),
    detail: Type.String({ examples: ['No firmware version has the id "x".'] }),
    instance: Type.Optional(Type.String()),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() })),
    ),
    portalUrl: Type.Optional(
      Type.String({ description: 'Of a 409: the page of the portal about what the request names' }),
    ),
  },
  { description: 'Problem details (RFC 9457)' },
)

/** What a problem answer says of itself, by status. */
export const PROBLEMS: Record<number, string> = {
  400: 'The request is not valid; errors name the fields',
  401: 'The API key or session is missing, malformed, unknown, expired or ended',
  403: 'The API key, or the role of the person, lacks the scope this needs',
  404: 'It does not exist, or not in the workspace of the key',
  409: 'The state of things does not allow it',
  412: 'It is no longer what If-Match names',
  413: 'The body is too large',
  415: 'The body has a media type this does not take',
  416: 'The range lies outside the file',
  431: 'The headers or the address are too long: 16 KiB in all',
  429: 'Too many requests with this key, or of this workspace at once',
  500: 'A fault on our side; the detail holds the request id the log knows it by',
  503: 'The service or its database is not available',
}

interface ProblemAnswer {
  description: string
  content: { 'application/problem+json': { schema: typeof ProblemSchema } }
}

/** The problem answers of a route. Those of every route are added. */
export function defineProblems<Status extends number>(...statuses: Status[]) {
  const all = [...statuses, 401, 403, 429, 503] as const
  return Object.fromEntries(
    all.map((status) => [
      status,
      {
        description: PROBLEMS[status] ?? 'Problem',
        content: { 'application/problem+json': { schema: ProblemSchema } },
      },
    ]),
  ) as Record<(typeof all)[number], ProblemAnswer>
}
