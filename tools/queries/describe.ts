/** Has the database prepare statements and tell the columns of their answers, without executing them. */
import type pg from 'pg'
import type { Kind } from './sources.ts'

export interface AnswerColumn {
  name: string
  kind: Kind | undefined
}

export type StatementDescription = { columns: AnswerColumn[] } | { failure: string }

interface Field {
  name: string
  dataTypeID: number
}

/** The part of the client's connection that prepares; `pg` describes no statement by itself. */
interface PreparingConnection {
  parse: (query: { name: string; text: string; types: number[] }) => void
  describe: (message: { type: 'S'; name: string }) => void
  sync: () => void
}

/** As the client's parsers make them (`server/src/platform/db/connect.ts`); every other type is text. */
const KIND_OF_TYPE: Readonly<Record<number, Kind | undefined>> = {
  16: 'boolean',
  17: 'bytes',
  20: 'number',
  21: 'number',
  23: 'number',
  26: 'number',
  700: 'number',
  701: 'number',
  1114: 'date',
  1184: 'date',
  1186: 'object',
  // JSON holds anything; void holds nothing.
  114: undefined,
  3802: undefined,
  2278: undefined,
}

function kindOf(type: number, arrays: ReadonlySet<number>): Kind | undefined {
  if (arrays.has(type)) return 'list'
  return type in KIND_OF_TYPE ? KIND_OF_TYPE[type] : 'string'
}

export async function listArrayTypes(client: pg.Client): Promise<Set<number>> {
  const { rows } = await client.query<{ oid: number }>(
    `select oid from pg_type where typcategory = 'A'`,
  )
  return new Set(rows.map(({ oid }) => oid))
}

export function describeStatement(
  client: pg.Client,
  text: string,
  arrays: ReadonlySet<number>,
): Promise<StatementDescription> {
  return new Promise((done) => {
    let described: StatementDescription = { columns: [] }
    client.query({
      submit: (connection: unknown) => {
        const preparing = connection as PreparingConnection
        preparing.parse({ name: '', text, types: [] })
        preparing.describe({ type: 'S', name: '' })
        preparing.sync()
      },
      handleParseComplete: () => undefined,
      handleRowDescription: ({ fields }: { fields: Field[] }) => {
        const columns = fields.map(({ name, dataTypeID }) => ({
          name,
          kind: kindOf(dataTypeID, arrays),
        }))
        described = { columns }
      },
      handleError: (error: Error) => {
        described = { failure: error.message }
        done(described)
      },
      handleReadyForQuery: () => done(described),
    } as pg.Submittable)
  })
}
