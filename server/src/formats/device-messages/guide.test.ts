/** The examples of docs/guide/device-protocol.md are what the code takes and gives. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { encode, Tagged } from 'cborg'
import { describe, expect, it } from 'vitest'
import { decodeDeviceMessage, decodeSync, type MessageKind } from './decode.ts'
import { encodeDown } from './encode.ts'
import { EXAMPLES } from './examples.ts'
import { LIMITS } from './limits.ts'

const guide = readFileSync(
  resolve(import.meta.dirname, '../../../../docs/guide/device-protocol.md'),
  'utf8',
)

function block(language: string, name: string): string {
  const [, text] = new RegExp(`^\`\`\`${language} ${name}\n([^\`]+)^\`\`\``, 'm').exec(guide) ?? []
  if (text === undefined) throw new Error(`the guide has no ${language} of ${name}`)
  return text
}

const bytesOf = (name: string) => Buffer.from(block('hex', name).replaceAll(/\s/g, ''), 'hex')

const KINDS: Readonly<Record<string, MessageKind>> = {
  session: 'session',
  configUp: 'config',
  metrics: 'metrics',
  logs: 'logs',
  crashes: 'crashes',
  updateUp: 'update',
  updateFailed: 'update',
}
const DOWN = ['configDown', 'updateDown', 'updateCancelled', 'syncAnswer'] as const

describe.each(Object.entries(EXAMPLES))('the example %s', (name, example) => {
  it('is the one of the AsyncAPI description', () => {
    expect(JSON.parse(block('json', name))).toEqual(example)
  })

  it('has the bytes of its diagnostic notation, and of the length it states', () => {
    const notation = block('cbor-diagnostic', name).replaceAll(/\b1\((\d+)\)/g, '{"tag 1": $1}')
    const value: unknown = JSON.parse(notation, (_name, one: unknown) => {
      const isTime = typeof one === 'object' && one !== null && 'tag 1' in one
      return isTime ? new Tagged(1, one['tag 1']) : one
    })

    const bytes = bytesOf(name)

    expect(bytes.toString('hex')).toBe(Buffer.from(encode(value)).toString('hex'))
    const [before = ''] = guide.split(`\`\`\`cbor-diagnostic ${name}\n`)
    expect(before.slice(-100)).toContain(`(${bytes.length} bytes)`)
  })
})

it.each(Object.entries(KINDS))('%s says the same in both encodings', (name, kind) => {
  const json = decodeDeviceMessage(kind, Buffer.from(block('json', name)))

  expect(decodeDeviceMessage(kind, bytesOf(name))).toEqual(json)
})

it('a sync says the same in both encodings', () => {
  const json = decodeSync(Buffer.from(block('json', 'sync')))

  expect(json).toHaveLength(2)
  expect(decodeSync(bytesOf('sync'))).toEqual(json)
})

it.each(DOWN)('%s is what the service sends', (name) => {
  // Through JSON, as the examples are read-only and the messages are not.
  const message = JSON.parse(JSON.stringify(EXAMPLES[name])) as Parameters<typeof encodeDown>[0]

  expect(Buffer.from(encodeDown(message, 'cbor')).toString('hex')).toBe(
    bytesOf(name).toString('hex'),
  )
})

it('states every limit', () => {
  const [, section = ''] = guide.split('## Limits')
  const numbers = new Set(section.match(/\d[\d,]*/g)?.map((one) => one.replaceAll(',', '')))

  for (const [name, limit] of Object.entries(LIMITS))
    expect([name, numbers.has(String(limit))]).toEqual([name, true])
})
