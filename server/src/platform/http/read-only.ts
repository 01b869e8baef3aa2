/** Members that a GET shows and a PUT ignores, so that an answer can be changed and sent back. */
import { type TObject, Type } from 'typebox'

export const ReadOnly = Type.Optional(
  Type.Unknown({ readOnly: true, description: 'Ignored, so that an answer can be sent back' }),
)

/** The body of a PUT, which also takes the members of the answer that cannot be written. */
export function Replacing<Command extends TObject>(command: Command, answer: TObject): Command {
  const ignored = Object.keys(answer.properties)
    .filter((name) => !Object.hasOwn(command.properties, name))
    .map((name) => [name, ReadOnly] as const)
  return {
    ...command,
    $id: undefined,
    properties: { ...command.properties, ...Object.fromEntries(ignored) },
  }
}

export type Members = Record<string, unknown>
export interface JsonSchema {
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  readOnly?: boolean
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Takes away what the schema says is read-only; what it does not describe stays. */
export function withoutReadOnly(schema: JsonSchema, value: unknown): unknown {
  const { properties, items } = schema
  if (Array.isArray(value)) return items ? value.map((one) => withoutReadOnly(items, one)) : value
  if (!isMembers(value) || !properties) return value
  const members = Object.entries(value).flatMap(([name, inner]) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (member?.readOnly === true) return []
    return [[name, member ? withoutReadOnly(member, inner) : inner] as const]
  })
  return Object.fromEntries(members)
}
