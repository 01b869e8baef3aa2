import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { Ajv } from 'ajv'
import { expect, it } from 'vitest'
import { describeDeviceMessages } from './asyncapi.ts'
import { decodeDeviceMessage, decodeSync, type MessageKind } from './decode.ts'

interface Description {
  channels: Record<string, { address: string; messages: Record<string, unknown> }>
  components: {
    messages: Record<string, { payload: object; examples: { payload: unknown }[] }>
  }
}

const file = resolve(import.meta.dirname, '../../../../docs/asyncapi.json')
const written = JSON.parse(readFileSync(file, 'utf8')) as Description
const validator = () => new Ajv({ strict: false, allErrors: true, validateFormats: false })

it('is what the schemas of the messages say', () => {
  expect(written).toEqual(JSON.parse(JSON.stringify(describeDeviceMessages())))
})

it('is a valid AsyncAPI 3.0 document', () => {
  const require = createRequire(import.meta.url)
  const schema = require('@asyncapi/specs/schemas/3.0.0-without-$id.json') as object
  const validate = validator().compile(schema)

  validate(written)

  expect(validate.errors ?? []).toEqual([])
})

it.each(Object.entries(written.components.messages))(
  'has examples of %s that its schema takes',
  (_name, { payload, examples }) => {
    const validate = validator().compile(payload)

    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      validate(example.payload)
      expect(validate.errors ?? []).toEqual([])
    }
  },
)

it('has examples that are understood', () => {
  const messages = Object.entries(written.components.messages)
  const kinds = messages.filter(([name]) => name.startsWith('up'))

  expect(kinds).toHaveLength(6)
  for (const [name, { examples }] of kinds)
    for (const { payload } of examples) {
      const kind = name.slice(2).toLowerCase() as MessageKind
      const bytes = Buffer.from(JSON.stringify(payload))
      expect(decodeDeviceMessage(kind, bytes).kind).toBe(kind)
    }
  const [sync] = written.components.messages['sync']?.examples ?? []
  expect(decodeSync(Buffer.from(JSON.stringify(sync?.payload)))).toHaveLength(2)
})
