/**
 * The tenancy rule: each table of tenants in a statement is tied to a workspace. It is, where its `workspace_id` equals
 * a parameter, or the workspace of something that is tied, or of a sub-query, which is looked at by itself. Conditions
 * count where all rows have to meet them: in `where`, in `on` of joins, and in `using`.
 */
import {
  find,
  list,
  nestedStatements,
  type Node,
  parseStatements,
  type Statement,
  text,
} from './tree.ts'

/** What stands in `from`, by the name the query gives it. */
interface Source {
  alias: string
  /** undefined: a sub-query, a common table expression or a function. */
  table: string | undefined
  /** Its column that names the workspace. */
  key: string
}

/** Two terms that are equal, or one term that equals something other than a column. */
type Term = { alias: string; column: string } | 'value'

interface Level {
  sources: Source[]
  equalities: [Term, Term][]
}

interface Surroundings {
  tables: ReadonlySet<string>
  expressions: ReadonlySet<string>
  outer: ReadonlySet<string>
}

const PARTITION = /_(?:\d{8}|default)$/

function sourceOf(node: Node, { expressions }: Surroundings): Source {
  const name = text(node, 'relname').replace(PARTITION, '')
  const alias = text(node, 'alias', 'aliasname') || text(node, 'relname')
  const table = expressions.has(name) ? undefined : name
  return { alias, table, key: table === 'workspaces' ? 'id' : 'workspace_id' }
}

function termOf(expression: unknown): Term {
  const cast = find(expression, 'TypeCast')
  if (cast !== undefined) return termOf(cast['arg'])
  const fields = list(find(expression, 'ColumnRef'), 'fields').map((field) =>
    text(field, 'String', 'sval'),
  )
  const column = fields.at(-1)
  return column === undefined ? 'value' : { alias: fields.at(-2) ?? '', column }
}

/** Equalities that every row meets which meets the condition. */
function* equalitiesIn(condition: unknown): Generator<[Term, Term]> {
  const both = find(condition, 'BoolExpr')
  if (both?.['boolop'] === 'AND_EXPR')
    for (const part of list(both, 'args')) yield* equalitiesIn(part)
  const sub = find(condition, 'SubLink')
  if (sub?.['subLinkType'] === 'ANY_SUBLINK' && list(sub, 'operName').length === 0)
    for (const term of partsOf(sub['testexpr'])) yield [termOf(term), 'value']
  const comparison = find(condition, 'A_Expr')
  if (comparison !== undefined) yield* equalitiesOf(comparison)
}

function* equalitiesOf(comparison: Node): Generator<[Term, Term]> {
  if (text(list(comparison, 'name')[0], 'String', 'sval') !== '=') return
  const left = partsOf(comparison['lexpr'])
  const right = partsOf(comparison['rexpr'])
  const isPlain = comparison['kind'] === 'AEXPR_OP' && left.length === right.length
  for (const [index, term] of left.entries())
    yield [termOf(term), isPlain ? termOf(right[index]) : 'value']
}

function partsOf(expression: unknown): readonly unknown[] {
  const row = find(expression, 'RowExpr')
  return row === undefined ? [expression] : list(row, 'args')
}

/** The names below a join, and what ties them together. */
function addJoin(join: Node, level: Level, around: Surroundings): void {
  const before = level.sources.length
  addSource(join['larg'], level, around)
  const between = level.sources.length
  addSource(join['rarg'], level, around)
  const left = level.sources.slice(before, between)
  const right = level.sources.slice(between)
  const optional =
    join['jointype'] === 'JOIN_LEFT' ? new Set(right.map(({ alias }) => alias)) : undefined
  for (const [one, other] of equalitiesIn(join['quals'])) {
    // The condition of a left join says nothing about the rows on its left.
    const isAbout = (term: Term) => term !== 'value' && (optional?.has(term.alias) ?? true)
    if (isAbout(one) || isAbout(other)) level.equalities.push([one, other])
  }
  const columns = list(join, 'usingClause').map((column) => text(column, 'String', 'sval'))
  if (!columns.includes('workspace_id')) return
  for (const one of right)
    for (const other of left) {
      const term = ({ alias, key }: Source) => ({ alias, column: key })
      level.equalities.push([term(one), term(other)])
    }
}

function addSource(node: unknown, level: Level, around: Surroundings): void {
  const table = find(node, 'RangeVar')
  const join = find(node, 'JoinExpr')
  if (table !== undefined) level.sources.push(sourceOf(table, around))
  else if (join !== undefined) addJoin(join, level, around)
  else {
    const derived = find(node, 'RangeSubselect') ?? find(node, 'RangeFunction')
    const alias = text(derived, 'alias', 'aliasname')
    level.sources.push({ alias, table: undefined, key: 'workspace_id' })
  }
}

function levelOf({ kind, node }: Statement, around: Surroundings): Level {
  const level: Level = { sources: [], equalities: [] }
  const target = find(node, 'relation')
  if (target !== undefined && kind !== 'InsertStmt' && kind !== 'CopyStmt')
    level.sources.push(sourceOf(target, around))
  const from = [...list(node, 'fromClause'), ...list(node, 'usingClause')]
  for (const source of from) addSource(source, level, around)
  if (kind === 'MergeStmt') addSource(node['sourceRelation'], level, around)
  for (const condition of [node['whereClause'], node['joinCondition']])
    level.equalities.push(...equalitiesIn(condition))
  return level
}

/** The source whose workspace a term is; 'tied': another workspace's cannot be meant; undefined: another column. */
function resolve(
  term: Term,
  { sources }: Level,
  around: Surroundings,
): Source | 'tied' | undefined {
  if (term === 'value') return 'tied'
  const named = sources.find(({ alias }) => alias === term.alias)
  if (named !== undefined) {
    if (named.table === undefined) return 'tied'
    return named.key === term.column ? named : undefined
  }
  if (term.alias !== '') return around.outer.has(term.alias) ? 'tied' : undefined
  const own = sources.filter(({ table, key }) => key === term.column && table !== undefined)
  return own.find(({ table }) => around.tables.has(table ?? '')) ?? own[0]
}

function listUntied(level: Level, around: Surroundings): string[] {
  const tied = new Set<Source>()
  const pairs = level.equalities.map(
    ([one, other]) => [resolve(one, level, around), resolve(other, level, around)] as const,
  )
  const isTied = (end: Source | 'tied' | undefined) =>
    end === 'tied' || (end !== undefined && tied.has(end))
  for (let before = -1; before !== tied.size;) {
    before = tied.size
    for (const [one, other] of pairs) {
      if (isTied(one) && other !== undefined && other !== 'tied') tied.add(other)
      if (isTied(other) && one !== undefined && one !== 'tied') tied.add(one)
    }
  }
  return level.sources
    .filter((source) => around.tables.has(source.table ?? '') && !tied.has(source))
    .map(({ table, alias }) => (alias === table ? alias : `${table} as ${alias}`))
}

/** A row that is written without its workspace. */
function listUnstated({ kind, node }: Statement, around: Surroundings): string[] {
  if (kind !== 'InsertStmt' && kind !== 'CopyStmt') return []
  const table = text(node, 'relation', 'relname').replace(PARTITION, '')
  if (!around.tables.has(table)) return []
  const names = list(node, 'cols').map((column) => text(column, 'ResTarget', 'name'))
  const copied = list(node, 'attlist').map((column) => text(column, 'String', 'sval'))
  return [...names, ...copied].includes('workspace_id') ? [] : [table]
}

function check(statement: Statement, around: Surroundings): string[] {
  const { node } = statement
  const names = list(find(node, 'withClause'), 'ctes')
  const own = names.map((expression) => text(expression, 'CommonTableExpr', 'ctename'))
  const expressions = new Set([...around.expressions, ...own])
  const here = { ...around, expressions }
  const level = levelOf(statement, here)
  const aliases = level.sources.map(({ alias }) => alias)
  const below = { ...here, outer: new Set([...around.outer, ...aliases]) }
  return [
    ...listUntied(level, here),
    ...listUnstated(statement, here),
    ...[...nestedStatements(node)].flatMap((nested) => check(nested, below)),
  ]
}

/** Names of the tables of tenants that a text reaches without naming a workspace. */
export function findUntiedTables(statement: string, tables: ReadonlySet<string>): string[] {
  const around = { tables, expressions: new Set<string>(), outer: new Set<string>() }
  return [...new Set(parseStatements(statement).flatMap((one) => check(one, around)))]
}
