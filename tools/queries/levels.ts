/** A statement by its levels: each query has one, and so has each sub-query, common table expression and branch of a union. */
import { find, list, listNestedStatements, type Node, type Statement, readText } from './tree.ts'

/** What stands in `from`, by the name the query gives it. */
export interface Source {
  alias: string
  /** undefined: a sub-query, a common table expression or a function. */
  table: string | undefined
  /** Its column that names the workspace. */
  key: string
}

/** One side of an equality. `value`: neither a column nor a parameter. */
export type Term = { alias: string; column: string } | 'parameter' | 'value'

export interface Level {
  sources: Source[]
  equalities: Equality[]
}

interface Equality {
  terms: readonly [Term, Term]
  /** The only ones of which it says anything: the right side of a left join. undefined: all. */
  about: ReadonlySet<string> | undefined
}

/** Whether the equality says whose rows of the source are meant. */
export const isAbout = ({ about }: Equality, { alias }: Source) => about?.has(alias) ?? true

/** Names of common table expressions, and of what stands in `from` of statements around. */
export interface Surroundings {
  expressions: ReadonlySet<string>
  outer: ReadonlySet<string>
}

export const PARTITION = /_(?:\d{8}|default)$/

function sourceOf(node: Node, { expressions }: Surroundings): Source {
  const name = readText(node, 'relname').replace(PARTITION, '')
  const alias = readText(node, 'alias', 'aliasname') || readText(node, 'relname')
  const table = expressions.has(name) ? undefined : name
  return { alias, table, key: table === 'workspaces' ? 'id' : 'workspace_id' }
}

function termOf(expression: unknown): Term {
  const cast = find(expression, 'TypeCast')
  if (cast !== undefined) return termOf(cast['arg'])
  if (find(expression, 'ParamRef') !== undefined) return 'parameter'
  const fields = list(find(expression, 'ColumnRef'), 'fields').map((field) =>
    readText(field, 'String', 'sval'),
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
  if (readText(list(comparison, 'name')[0], 'String', 'sval') !== '=') return
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
  // The condition of a left join says nothing about the rows on its left.
  const about =
    join['jointype'] === 'JOIN_LEFT' ? new Set(right.map(({ alias }) => alias)) : undefined
  for (const terms of equalitiesIn(join['quals'])) level.equalities.push({ terms, about })
  const columns = list(join, 'usingClause').map((column) => readText(column, 'String', 'sval'))
  if (!columns.includes('workspace_id')) return
  for (const one of right)
    for (const other of left) {
      const term = ({ alias, key }: Source) => ({ alias, column: key })
      level.equalities.push({ terms: [term(one), term(other)], about })
    }
}

function addSource(node: unknown, level: Level, around: Surroundings): void {
  const table = find(node, 'RangeVar')
  const join = find(node, 'JoinExpr')
  if (table !== undefined) level.sources.push(sourceOf(table, around))
  else if (join !== undefined) addJoin(join, level, around)
  else {
    const derived = find(node, 'RangeSubselect') ?? find(node, 'RangeFunction')
    const alias = readText(derived, 'alias', 'aliasname')
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
    for (const terms of equalitiesIn(condition)) level.equalities.push({ terms, about: undefined })
  return level
}

/** The statement and all within it, each with its level and with what stands around it. */
export function* listLevels(
  statement: Statement,
  around: Surroundings = { expressions: new Set(), outer: new Set() },
): Generator<{ statement: Statement; level: Level; around: Surroundings }> {
  const names = list(find(statement.node, 'withClause'), 'ctes')
  const own = names.map((expression) => readText(expression, 'CommonTableExpr', 'ctename'))
  const here = { ...around, expressions: new Set([...around.expressions, ...own]) }
  const level = levelOf(statement, here)
  yield { statement, level, around: here }
  const aliases = level.sources.map(({ alias }) => alias)
  const below = { ...here, outer: new Set([...around.outer, ...aliases]) }
  for (const nested of listNestedStatements(statement.node)) yield* listLevels(nested, below)
}
