/**
 * Requests are checked against their TypeBox schemas. They are not coerced or stripped (Fastify's defaults do both), but for
 * members of bodies that are read-only. Query strings are converted, as they are text.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { AppError, type FieldError } from '../errors.ts'
import { withoutReadOnly } from './read-only.ts'

export class InvalidInput extends Error {
  override readonly name = 'InvalidInput'
  readonly fields: readonly FieldError[]

  constructor(message: string, fields: readonly FieldError[]) {
    super(message)
    this.fields = fields
  }
}

const PREFIXES: Record<string, string> = {
  body: '',
  querystring: '/query',
  params: '/params',
  headers: '/headers',
}

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  // Compiled for the first request: a start would compile hundreds, and most processes get requests of a few routes.
  let compiled: Validator | undefined
  return (input: unknown) => {
    const validator = (compiled ??= Compile(schema))
    const value = httpPart === 'querystring' ? convertQuery(schema, input) : input
    const prefix = PREFIXES[httpPart] ?? ''
    const isValid = validator.Check(value)
    const fields = isValid ? unstorableTexts(value, prefix) : fieldErrors(validator, value, prefix)
    if (fields.length === 0)
      return { value: httpPart === 'body' ? withoutReadOnly(schema, value) : value }
    // An id in the path that names nothing is a 404, whatever its characters.
    return { error: httpPart === 'params' && isValid ? namesNothing() : describeInvalid(fields) }
  }
}

function describeInvalid(fields: readonly FieldError[]): InvalidInput {
  const [first] = fields
  const place = first && first.pointer !== '' ? `${first.pointer} ` : 'The request '
  return new InvalidInput(`${place}${first?.detail ?? 'is invalid'}.`, fields)
}

const namesNothing = () =>
  new AppError(
    'notFound',
    'route-not-found',
    'The path holds a character that is in no id: U+0000 or half a surrogate pair.',
  )

/** The value without its read-only members, checked as a body with this schema is. */
export function checkAgainst(schema: TSchema, body: unknown): unknown {
  const validate = compileValidator({ schema, method: '', url: '', httpPart: 'body' })
  const { error, value } = validate(body) as { error?: InvalidInput; value?: unknown }
  if (error) throw error
  return value
}

/** Converts texts of a query string to numbers where the schema wants a number. Nothing else is converted. */
function convertQuery(schema: TSchema, input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('properties' in schema)) return input
  const properties = schema.properties as Record<string, { type?: string }>
  return Object.fromEntries(
    Object.entries(input).map(([name, value]: [string, unknown]) => {
      const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
      const isNumber = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
      return [name, isNumber && (type === 'integer' || type === 'number') ? Number(value) : value]
    }),
  )
}

const MOST_ERRORS = 20
const MOST_DEPTH = 100

function fieldErrors(validator: Validator, value: unknown, prefix: string): FieldError[] {
  const byPointer = new Map<string, string>()
  for (const error of validator.Errors(value)) {
    const detail = describe(error)
    const pointer = prefix + error.instancePath
    if (detail !== undefined && !byPointer.has(pointer)) byPointer.set(pointer, detail)
    if (byPointer.size >= MOST_ERRORS) break
  }
  const pointers = [...byPointer.keys()]
  return [...byPointer].flatMap(([pointer, detail]) => {
    // When a value is there and wrong, the remark that it could also be null does not help.
    const isAside = detail === NULL_ASIDE && pointers.some((one) => one.startsWith(`${pointer}/`))
    return isAside ? [] : [{ pointer, detail }]
  })
}

const NULL_ASIDE = 'must be null'

/** PostgreSQL stores neither U+0000 in texts nor unpaired surrogates in JSON. Checked here for every field. */
function unstorableTexts(value: unknown, pointer: string, depth = 0): FieldError[] {
  if (typeof value === 'string')
    return value.includes('\u0000') || !value.isWellFormed()
      ? [
          {
            pointer,
            detail: 'holds a character that is not a text: U+0000 or half a surrogate pair',
          },
        ]
      : []
  if (typeof value !== 'object' || value === null) return []
  // Bounds the depth where a schema allows any value.
  if (depth > MOST_DEPTH) return [{ pointer, detail: 'is nested too deeply' }]
  return Object.entries(value)
    .flatMap(([name, inner]) => {
      const place = `${pointer}/${escapePointer(name)}`
      return [...unstorableTexts(name, place), ...unstorableTexts(inner, place, depth + 1)]
    })
    .slice(0, MOST_ERRORS)
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The message of the validator, except where it is hard to understand. */
function describe(error: {
  keyword: string
  params: unknown
  message: string
}): string | undefined {
  if (error.keyword === 'boolean') return 'is not a known field'
  // The unknown fields are listed one by one elsewhere.
  if (error.keyword === 'additionalProperties') return undefined
  const params = error.params
  if (typeof params !== 'object' || params === null) return error.message
  if ('allowedValues' in params && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.join(', ')}`
  if ('requiredProperties' in params && Array.isArray(params.requiredProperties))
    return `lacks ${params.requiredProperties.join(', ')}`
  return error.message
}
