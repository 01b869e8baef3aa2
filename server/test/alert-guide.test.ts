/** The examples of the guide are valid rules. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { RULE_TYPES } from '../src/features/alert-rules/conditions/condition.ts'
import { sharedTestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'

const GUIDE = readFileSync(resolve(import.meta.dirname, '../../docs/guide/alerts.md'), 'utf8')
const EXAMPLES = [...GUIDE.matchAll(/^```json\n(.*?)^```$/gms)].map(
  ([, text = '']) => JSON.parse(text) as { name: string; type: string; condition: object },
)

let client: Client
beforeAll(async () => {
  client = await givenClient(await sharedTestApp())
})

it('has an example of every type of rule', () => {
  expect(EXAMPLES.map(({ type }) => type).toSorted()).toEqual(RULE_TYPES.toSorted())
})

it.each(EXAMPLES)('the example of $type becomes a rule', async (example) => {
  const response = await client.post('/alert-rules', example)

  expect(response.statusCode).toBe(201)
  expect(response.json()).toMatchObject(example)
})

it('explains every field of every condition', async () => {
  const rules = (await client.get('/alert-rules')).json<{ condition: object }[]>()
  const fields = new Set(rules.flatMap(({ condition }) => Object.keys(condition)))

  for (const field of fields) expect(GUIDE).toContain(`\`${field}\``)
})
