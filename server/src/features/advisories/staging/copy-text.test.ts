import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { once } from 'node:events'
import { createTestDatabase } from '../../../../test/database.ts'
import { copyRow, writeTextArray } from './copy-text.ts'

const clients: pg.Client[] = []
afterAll(() => Promise.all(clients.map((client) => client.end())))

it('brings any text into the database as it is', async () => {
  const client = new pg.Client(await createTestDatabase())
  clients.push(client)
  await client.connect()
  await client.query('create temporary table copied (ordinal int, one text, more text[])')
  // PostgreSQL's text type has neither NUL nor lone surrogates; the parsers of feeds remove them.
  const text = fc
    .string({ unit: 'grapheme' })
    .filter((any) => !any.includes('\0') && any.isWellFormed())
  const awkward = fc.constantFrom('\\N', '\\.', '', '\t', '\r\n', '"', '{a,b}', 'NULL', '\\"')
  const rows = fc.sample(
    fc.record({
      one: fc.option(fc.oneof(text, awkward), { nil: undefined }),
      more: fc.array(fc.oneof(text, awkward), { maxLength: 3 }),
    }),
    500,
  )

  const stream = client.query(copyFrom('copy copied from stdin'))
  stream.end(rows.map(({ one, more }, n) => copyRow([n, one, writeTextArray(more)])).join(''))
  await once(stream, 'finish')

  const { rows: copied } = await client.query('select one, more from copied order by ordinal')
  expect(copied).toEqual(rows.map(({ one, more }) => ({ one: one ?? null, more })))
})
