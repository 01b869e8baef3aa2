/**
 * The tenancy rule: each table of tenants in a statement is tied to a workspace. It is, where its `workspace_id` equals
 * a parameter, or the workspace of something that is tied, or of a sub-query, which is looked at by itself. Conditions
 * count where all rows have to meet them: in `where`, in `on` of joins, and in `using`.
 */
import {
  isAbout,
  type Level,
  listLevels,
  PARTITION,
  type Source,
  type Surroundings,
  type Term,
} from './levels.ts'
import { list, parseStatements, type Statement, readText } from './tree.ts'

/** The source whose workspace a term is; 'tied': another workspace's cannot be meant; undefined: another column. */
function resolve(
  term: Term,
  { sources }: Level,
  { outer, tables }: Surroundings & { tables: ReadonlySet<string> },
): Source | 'tied' | undefined {
  if (typeof term === 'string') return 'tied'
  const named = sources.find(({ alias }) => alias === term.alias)
  if (named !== undefined) {
    if (named.table === undefined) return 'tied'
    return named.key === term.column ? named : undefined
  }
  if (term.alias !== '') return outer.has(term.alias) ? 'tied' : undefined
  const own = sources.filter(({ table, key }) => key === term.column && table !== undefined)
  return own.find(({ table }) => tables.has(table ?? '')) ?? own[0]
}

function listUntied(level: Level, around: Surroundings, tables: ReadonlySet<string>): string[] {
  const tied = new Set<Source>()
  const pairs = level.equalities.map((equality) => {
    const [one, other] = equality.terms.map((term) => resolve(term, level, { ...around, tables }))
    return { one, other, equality }
  })
  const isTied = (end: Source | 'tied' | undefined) =>
    end === 'tied' || (end !== undefined && tied.has(end))
  for (let before = -1; before !== tied.size;) {
    before = tied.size
    for (const { one, other, equality } of pairs) {
      const tie = (end: Source | 'tied' | undefined, by: Source | 'tied' | undefined) => {
        if (isTied(by) && typeof end === 'object' && isAbout(equality, end)) tied.add(end)
      }
      tie(one, other)
      tie(other, one)
    }
  }
  return level.sources
    .filter((source) => tables.has(source.table ?? '') && !tied.has(source))
    .map(({ table, alias }) => (alias === table ? alias : `${table} as ${alias}`))
}

/** A row that is written without its workspace. */
function listUnstated({ kind, node }: Statement, tables: ReadonlySet<string>): string[] {
  if (kind !== 'InsertStmt' && kind !== 'CopyStmt') return []
  const table = readText(node, 'relation', 'relname').replace(PARTITION, '')
  if (!tables.has(table)) return []
  const names = list(node, 'cols').map((column) => readText(column, 'ResTarget', 'name'))
  const copied = list(node, 'attlist').map((column) => readText(column, 'String', 'sval'))
  return [...names, ...copied].includes('workspace_id') ? [] : [table]
}

/** Names of the tables of tenants that a text reaches without naming a workspace. */
export function findUntiedTables(statement: string, tables: ReadonlySet<string>): string[] {
  const levels = parseStatements(statement).flatMap((one) => [...listLevels(one)])
  return [
    ...new Set(
      levels.flatMap(({ statement: one, level, around }) => [
        ...listUntied(level, around, tables),
        ...listUnstated(one, tables),
      ]),
    ),
  ]
}
