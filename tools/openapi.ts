/**
 * Writes server/openapi.json from the route schemas, and api-client/src/values.ts, the values of its enums and the examples of
 * what is created; with --check, fails when one is stale.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { format } from 'oxfmt'
import { describeApi } from '../server/src/api.ts'

const STYLE = { printWidth: 100, semi: false, singleQuote: true } as const

async function write(path: string, source: string): Promise<void> {
  const file = resolve(import.meta.dirname, '..', path)
  const { code: text } = await format(file, source, STYLE)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`${path} is stale: run npm run openapi\n`)
    process.exitCode = 1
  }
}

interface Body {
  schema: { $ref?: string }
  examples?: Record<string, { value: unknown }>
}

interface Described {
  components: { schemas: Record<string, { enum?: string[] }> }
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, Body> } }>>
}

const formatConstant = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase()

const api = (await describeApi()) as Described
const enums = Object.entries(api.components.schemas).flatMap(([name, { enum: values }]) =>
  values ? `export const ${formatConstant(name)} = ${JSON.stringify(values)} as const` : [],
)
// Those of a change are those of its creation again.
const operations = Object.values(api.paths).flatMap(({ post }) => post ?? [])
const examples = operations.flatMap(({ requestBody }) => {
  const { schema, examples: given } = requestBody?.content['application/json'] ?? {}
  const name = schema?.$ref?.split('/').at(-1)
  if (name === undefined || given === undefined) return []
  const values = Object.values(given).map(({ value }) => value)
  return `export const ${formatConstant(name)}_EXAMPLES: api.${name}[] = ${JSON.stringify(values)}`
})
const head = ['/** Made by npm run openapi. */', "import type * as api from './schema.ts'"]
const lines = [...head, '', ...new Set([...enums, ...examples]), '']
await write('server/openapi.json', JSON.stringify(api))
await write('api-client/src/values.ts', lines.join('\n'))
