/** Compares the row type that a call claims with the columns that the database answers. */
import { CamelCasePlugin } from 'kysely'
import type { AnswerColumn } from './describe.ts'
import type { Claim } from './sources.ts'

const plugin = new CamelCasePlugin()

/** As the query builder names columns in rows. */
async function nameInRows(name: string): Promise<string> {
  const result = { rows: [{ [name]: undefined }] }
  const { rows } = await plugin.transformResult({ result, queryId: { queryId: '' } })
  return Object.keys(rows[0] ?? {})[0] ?? name
}

export async function findUntrueClaims(
  { columns, isPlainClient }: Claim,
  answer: readonly AnswerColumn[],
): Promise<string[]> {
  const faults: string[] = []
  const answered = new Set<string>()
  for (const { name: column, kind } of answer) {
    const name = isPlainClient ? column : await nameInRows(column)
    const claimed = columns.get(name)
    answered.add(name)
    if (claimed === undefined) faults.push(`answers ${name}, which its row type does not name`)
    else if (kind !== undefined && claimed.kinds.size > 0 && !claimed.kinds.has(kind))
      faults.push(
        `answers ${name} as ${kind}, its row type says ${[...claimed.kinds].join(' or ')}`,
      )
  }
  const missing = [...columns].filter(
    ([name, { isOptional }]) => !isOptional && !answered.has(name),
  )
  return [
    ...faults,
    ...missing.map(([name]) => `does not answer ${name}, which its row type names`),
  ]
}
