/** Values that fit a JSON schema of the API description, once its references are resolved. It has no recursion. */
import fc from 'fast-check'
import { oddTexts } from './mutations.ts'

export interface Schema {
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  examples?: unknown[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minimum?: number
  maximum?: number
  minProperties?: number
  maxProperties?: number
}

/** Gives values of members by their names, such as ids of things that exist. */
export type Known = (name: string) => fc.Arbitrary<unknown> | undefined

const FEW = 3
const LONG = 40

export function fitting(schema: Schema, known: Known, name = ''): fc.Arbitrary<unknown> {
  const own = known(name)
  const described = byKind(schema, known, name)
  const isText = schema.type === 'string' || schema.type === undefined
  const { examples } = schema
  const choices = [
    { arbitrary: described, weight: 3 },
    ...(own && isText ? [{ arbitrary: own, weight: 9 }] : []),
    ...(examples?.length ? [{ arbitrary: fc.constantFrom(...examples), weight: 2 }] : []),
  ]
  return fc.oneof(...choices)
}

function byKind(schema: Schema, known: Known, name: string): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const alternatives = schema.anyOf ?? (schema.properties ? undefined : schema.oneOf)
  if (alternatives) return fc.oneof(...alternatives.map((one) => fitting(one, known, name)))
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return texts(schema)
    case 'integer':
      return fc.integer(range(schema))
    case 'number':
      return fc.double({ ...range(schema), noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return lists(schema, known, name)
    case 'object':
      return records(schema, known)
    case undefined:
    default:
      return schema.properties ? records(schema, known) : fc.jsonValue({ maxDepth: 1 })
  }
}

const MOST = 2 ** 31 - 1

function range({ minimum = -MOST, maximum = MOST }: Schema) {
  return { min: minimum, max: maximum }
}

function lists(schema: Schema, known: Known, name: string): fc.Arbitrary<unknown[]> {
  const { items = {}, minItems = 0, maxItems = FEW, uniqueItems } = schema
  const bounds = { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, FEW)) }
  const singular = name.replace(/s$/, '')
  const values = fitting(items, known, singular)
  return uniqueItems === true
    ? fc.uniqueArray(values, { ...bounds, selector: (one) => JSON.stringify(one) })
    : fc.array(values, bounds)
}

function records(schema: Schema, known: Known): fc.Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, fitting(one, known, name)]),
  )
  const record = fc.record(members, {
    requiredKeys: required.filter((name) => name in members),
    noNullPrototype: true,
  })
  const isOpen = typeof additionalProperties === 'object' || additionalProperties === true
  if (!isOpen) return record
  const inner = additionalProperties === true ? {} : additionalProperties
  const others = fc.dictionary(
    fc.constantFrom('a', 'module', 'region', 'x.y'),
    fitting(inner, known),
    { minKeys: minProperties, maxKeys: FEW, noNullPrototype: true },
  )
  return fc.tuple(record, others).map(([own, more]) => ({ ...more, ...own }))
}

function texts(schema: Schema): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = LONG } = schema
  const fits = (text: string) => {
    const { length } = Array.from(text)
    return length >= minLength && length <= maxLength
  }
  const formatted = byFormat(schema)
  if (formatted) return formatted.filter(fits)
  if (schema.pattern !== undefined && schema.pattern !== '\\S')
    return fc.stringMatching(new RegExp(schema.pattern), { size: 'small' }).filter(fits)
  const plain = fc.constantFrom('a', 'b', 'rc-1', 'Gateway', '1.0', 'ops@example.com', 'busybox')
  // The text itself is odd more often than its type.
  const odd = oddTexts.map((text) =>
    Array.from(`${text}${'x'.repeat(minLength)}`)
      .slice(0, maxLength)
      .join(''),
  )
  const short = plain.filter(fits)
  return maxLength < FEW || minLength > 1
    ? odd
    : fc.oneof({ arbitrary: short, weight: 3 }, { arbitrary: odd, weight: 1 })
}

const LATE = new Date('2100-01-01T00:00:00Z')

function byFormat({ format }: Schema): fc.Arbitrary<string> | undefined {
  const dates = () =>
    fc.oneof(
      fc.date({ min: new Date('2020-01-01T00:00:00Z'), max: LATE, noInvalidDate: true }),
      fc.date({ noInvalidDate: true, min: new Date('0001-01-01T00:00:00Z'), max: LATE }),
    )
  switch (format) {
    case 'date-time':
      return dates().map((one) => one.toISOString())
    case 'date':
      return dates().map((one) => one.toISOString().slice(0, 10))
    case 'uuid':
      return fc.uuid()
    case 'uri':
      return fc.constantFrom('https://93.184.216.34/a', 'http://93.184.216.34:8080/?b=c')
    case undefined:
    default:
      return undefined
  }
}
