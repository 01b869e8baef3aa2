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

const validators = new WeakMap<TSchema, Validator>()

/** Compiled for the first value: a start would compile hundreds, and most processes get requests of a few routes. */
function validatorOf(schema: TSchema): Validator {
  const known = validators.get(schema)
  if (known) return known
  const compiled = Compile(schema)
  validators.set(schema, compiled)
  return compiled
}

export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  return (input: unknown) => {
    const validator = validatorOf(schema)
    const value = httpPart === 'querystring' ? convertQuery(schema, input) : input
    const prefix = PREFIXES[httpPart] ?? ''
    const isValid = validator.Check(value)
    const fields = isValid
      ? unstorableTexts(value, prefix)
      : fieldErrors(schema, validator.Errors(value), prefix)
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

function fieldErrors(
  schema: TSchema,
  errors: ReturnType<Validator['Errors']>,
  prefix: string,
): FieldError[] {
  const byPointer = new Map<string, string>()
  for (const error of errors) {
    const detail = describeError(schema, error)
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

/** In words: people read it beside the field that they filled in. Of the rest, the message of the validator. */
const WORDS: Record<string, (params: Record<string, unknown>) => string> = {
  // The unknown fields are listed one by one.
  boolean: () => 'is not a known field',
  enum: ({ allowedValues }) => `must be one of ${join(allowedValues)}`,
  required: ({ requiredProperties }) => `lacks ${join(requiredProperties)}`,
  minLength: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${String(limit)} characters`,
  maxLength: ({ limit }) => `must have at most ${String(limit)} characters`,
  minItems: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${String(limit)} entries`,
  maxItems: ({ limit }) => `must have at most ${String(limit)} entries`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  format: ({ format }) => `is not a valid ${FORMATS[String(format)] ?? String(format)}`,
}

const FORMATS: Record<string, string> = { email: 'e-mail address', uuid: 'id', uri: 'URL' }

const join = (values: unknown) => (Array.isArray(values) ? values.join(', ') : String(values))

interface SchemaError {
  keyword: string
  schemaPath: string
  params: object
  message: string
}

function describeError(schema: TSchema, error: SchemaError): string | undefined {
  const { keyword, schemaPath, params, message } = error
  if (keyword === 'additionalProperties') return undefined
  if (keyword === 'pattern') return describeForm(findSchema(schema, schemaPath))
  return WORDS[keyword]?.({ ...params }) ?? message
}

interface TextSchema {
  pattern?: string
  description?: string
  examples?: readonly string[]
}

/** A pattern is for programs. People get an example and the description of the field. */
function describeForm({ pattern, description, examples = [] }: TextSchema): string {
  if (pattern === NOT_BLANK) return 'must not be blank'
  const [example] = examples
  const form =
    example === undefined ? 'is not written as it must be' : `is not written like ${example}`
  return description === undefined ? form : `${form} (${description})`
}

const NOT_BLANK = String.raw`\S`

/** The part of a schema that `#/properties/name/anyOf/0` names. */
function findSchema(schema: TSchema, path: string): TextSchema {
  return path
    .split('/')
    .slice(1)
    .reduce((part: object, key) => {
      const inner: unknown = Object.hasOwn(part, key) ? (part as Record<string, unknown>)[key] : {}
      return typeof inner === 'object' && inner !== null ? inner : {}
    }, schema)
}
