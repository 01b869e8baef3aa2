/**
 * Requests are checked against their TypeBox schemas, never coerced or stripped (Fastify's defaults do both); only
 * query strings, which are all text, are converted. In tests every answer is checked against its schema too.
 */
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { FieldError } from '../errors.ts'

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
  const validator = Compile(schema)
  return (input: unknown) => {
    const value = httpPart === 'querystring' ? convertQuery(schema, input) : input
    const prefix = PREFIXES[httpPart] ?? ''
    const fields = validator.Check(value)
      ? // An id in the path that names nothing is a 404, whatever its characters.
        httpPart === 'params'
        ? []
        : unstorableTexts(value, prefix)
      : fieldErrors(validator, value, prefix)
    if (fields.length === 0) return { value }
    const [first] = fields
    const place = first && first.pointer !== '' ? `${first.pointer} ` : 'The request '
    return { error: new InvalidInput(`${place}${first?.detail ?? 'is invalid'}.`, fields) }
  }
}

/** Query strings are texts: those that spell out a number where the schema wants one become it, and nothing else. */
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
    // Of what is meant to be something and is wrong inside, that it could have been null as well tells nothing.
    const isAside = detail === NULL_ASIDE && pointers.some((one) => one.startsWith(`${pointer}/`))
    return isAside ? [] : [{ pointer, detail }]
  })
}

const NULL_ASIDE = 'must be null'

/** PostgreSQL keeps no U+0000 in a text, and nothing in JSON that is no Unicode: said here, for every field at once. */
function unstorableTexts(value: unknown, pointer: string, depth = 0): FieldError[] {
  if (typeof value === 'string')
    return value.includes('\u0000') || !value.isWellFormed()
      ? [{ pointer, detail: 'holds a character that is no text: U+0000 or half a surrogate pair' }]
      : []
  if (typeof value !== 'object' || value === null) return []
  // Where a schema takes anything, nothing but this bounds the depth.
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

/** The validator's own words, save where they would leave a person guessing. */
function describe(error: {
  keyword: string
  params: unknown
  message: string
}): string | undefined {
  if (error.keyword === 'boolean') return 'is not a known field'
  // The unknown fields are listed one by one already.
  if (error.keyword === 'additionalProperties') return undefined
  const params = error.params
  if (typeof params !== 'object' || params === null) return error.message
  if ('allowedValues' in params && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.join(', ')}`
  if ('requiredProperties' in params && Array.isArray(params.requiredProperties))
    return `lacks ${params.requiredProperties.join(', ')}`
  return error.message
}

/** Serialises an answer; `check` makes a mismatch with the schema fail the request, as tests want. */
export function compileSerializer(check: boolean) {
  return ({ schema }: { schema: unknown }) => {
    // Problems are referred to; they are written by one function, which serialises them itself.
    const isReference = typeof schema === 'object' && schema !== null && '$ref' in schema
    if (!check || isReference) return (payload: unknown) => JSON.stringify(payload)
    const validator = Compile(schema as TSchema)
    return (payload: unknown) => {
      const text = JSON.stringify(payload)
      // What the schema says holds for what is sent: dates are texts by then.
      const sent: unknown = JSON.parse(text)
      if (!validator.Check(sent))
        throw new Error(
          `answer breaks its schema: ${JSON.stringify(validator.Errors(sent).slice(0, 5))}`,
        )
      return text
    }
  }
}
