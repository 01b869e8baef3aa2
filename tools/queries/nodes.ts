/**
 * What a database of several nodes (Citus) takes, told from the text of a statement alone. Rows of tenants lie on the node of
 * their workspace, or of their series, and each node has a copy of all other tables. So a statement has to be about one workspace in each of its
 * parts: Citus looks for the parameter at each table by itself, once PostgreSQL has drawn its conclusions from joins of one
 * query (docs/design/scale-out.md).
 */
import {
  PARTITION,
  isAbout,
  type Level,
  listLevels,
  type Source,
  type Surroundings,
  type Term,
} from './levels.ts'
import {
  find,
  list,
  listCalled,
  type Node,
  parseStatements,
  type Statement,
  readText,
} from './tree.ts'

export interface Tables {
  /** Those with rows of tenants. */
  ofTenants: ReadonlySet<string>
  /** Those of tenants whose rows lie on the node of their series. */
  bySeries: ReadonlySet<string>
  /** Those that each node has a copy of. */
  copied: ReadonlySet<string>
}

/** Names of functions, by what PostgreSQL says of their results. */
export interface Functions {
  /** Each call may have another result. */
  volatile: ReadonlySet<string>
  /** These, and those whose result is the same within a statement alone. */
  mutable: ReadonlySet<string>
}

/** Whose workspace the term is. A name without a table means the only one of tenants. */
function sourceOf(term: Term, { sources }: Level, tables: Tables): Source | undefined {
  if (typeof term === 'string') return undefined
  const isMeant = ({ alias, table, key }: Source) =>
    key === term.column &&
    (term.alias === '' ? tables.ofTenants.has(table ?? '') : alias === term.alias)
  return sources.find(isMeant)
}

function listUnbound(level: Level, tables: Tables): string[] {
  const bound = new Set<Source>()
  for (let before = -1; before !== bound.size;) {
    before = bound.size
    for (const equality of level.equalities) {
      const [one, other] = equality.terms
      const [left, right] = [sourceOf(one, level, tables), sourceOf(other, level, tables)]
      const bind = (source: Source | undefined, by: Term, known: Source | undefined) => {
        const isKnown = by === 'parameter' || (known !== undefined && bound.has(known))
        if (source && isKnown && isAbout(equality, source)) bound.add(source)
      }
      bind(left, other, right)
      bind(right, one, left)
    }
  }
  return level.sources
    .filter((source) => tables.ofTenants.has(source.table ?? '') && !bound.has(source))
    .map(
      ({ table, alias }) => `${table === alias ? alias : `${table} as ${alias}`} of no parameter`,
    )
}

/** Citus joins tables that lie apart only where one of them is read by a query of its own. */
function listJoinedApart({ sources }: Level, { ofTenants, bySeries }: Tables): string[] {
  const names = sources.flatMap(({ table = '' }) => (ofTenants.has(table) ? [table] : []))
  const apart = names.filter((name) => bySeries.has(name))
  const other = names.find((name) => !bySeries.has(name))
  return other === undefined ? [] : apart.map((name) => `the join of ${name} with ${other}`)
}

/** Citus locks the whole of a copied table, on all nodes. */
function listCopiedLocks(statement: Statement, level: Level, { copied }: Tables): string[] {
  return listLocked(statement, level, copied).map((table) => `the lock of rows of ${table}`)
}

/** Citus locks rows of one workspace only. */
function listCrossingLocks(statement: Statement, level: Level, { ofTenants }: Tables): string[] {
  const locked = listLocked(statement, level, ofTenants)
  return locked.map((table) => `the lock of rows of ${table} of all workspaces`)
}

function listLocked(
  { node }: Statement,
  { sources }: Level,
  tables: ReadonlySet<string>,
): string[] {
  const clauses = list(node, 'lockingClause').map((clause) => find(clause, 'LockingClause'))
  const meant = (clause: object | undefined) => {
    const named = new Set(
      list(clause, 'lockedRels').map((table) => readText(table, 'RangeVar', 'relname')),
    )
    return sources.filter(({ alias }) => named.size === 0 || named.has(alias))
  }
  return clauses.flatMap(meant).flatMap(({ table = '' }) => (tables.has(table) ? [table] : []))
}

/** Citus takes an insert within a statement only if it reads no tables but common table expressions. */
function listInnerInserts({ node }: Statement, around: Surroundings, tables: Tables): string[] {
  const readsTables = (insert: Node) =>
    [...listLevels({ kind: 'InsertStmt', node: insert }, around)].some(({ level }) =>
      level.sources.some(
        ({ table = '' }) => tables.ofTenants.has(table) || tables.copied.has(table),
      ),
    )
  return list(find(node, 'withClause'), 'ctes').flatMap((expression) => {
    const insert = find(expression, 'CommonTableExpr', 'ctequery', 'InsertStmt')
    const table = readText(insert, 'relation', 'relname')
    if (!insert || !tables.ofTenants.has(table) || !readsTables(insert)) return []
    return [`the inner insert into ${table}`]
  })
}

const targetOf = ({ node }: Statement) =>
  readText(node, 'relation', 'relname').replace(PARTITION, '')

/** Citus moves no row to another node, so it lets nobody set the column that says where the row lies. */
function listMoved(statement: Statement, { ofTenants, bySeries }: Tables): string[] {
  const { kind, node } = statement
  const table = targetOf(statement)
  const conflict = find(node, 'onConflictClause')
  const column = bySeries.has(table) ? 'series_id' : table === 'workspaces' ? 'id' : 'workspace_id'
  const isMoving = (entry: unknown) => {
    const target = find(entry, 'ResTarget')
    const [field] = list(find(target, 'val', 'ColumnRef'), 'fields').slice(-1)
    // Setting it to itself is allowed where rows are in conflict: it locks the row.
    const isItself = conflict !== undefined && readText(field, 'String', 'sval') === column
    return readText(target, 'name') === column && !isItself
  }
  const changed = kind === 'UpdateStmt' ? node : conflict
  if (!ofTenants.has(table) || !list(changed, 'targetList').some(isMoving)) return []
  return [`the change of ${column} in ${table}`]
}

/** Citus would have each node call the function by itself, with another result. */
function listOwnResults(
  statement: Statement,
  { ofTenants, copied }: Tables,
  { volatile, mutable }: Functions,
): string[] {
  const { kind, node } = statement
  const table = targetOf(statement)
  if (kind === 'SelectStmt' || (!ofTenants.has(table) && !copied.has(table))) return []
  const called = [
    ...(kind === 'InsertStmt' ? [] : [...listCalled(node)].filter((name) => volatile.has(name))),
    ...[...listCalled([node['onConflictClause'], node['returningClause']])].filter((name) =>
      mutable.has(name),
    ),
  ]
  return called.map((name) => `the call of ${name} in a change of ${table}`)
}

/** The name of the operator and its sides. */
function readOperator(value: unknown): { operator: string; sides: unknown[] } {
  const expression = find(value, 'A_Expr')
  const operator = readText(list(expression, 'name').at(-1), 'String', 'sval')
  return { operator, sides: [expression?.['lexpr'], expression?.['rexpr']] }
}

const nameCalled = (value: unknown) =>
  readText(list(find(value, 'FuncCall'), 'funcname').at(-1), 'String', 'sval')

function isInterval(value: unknown): boolean {
  const { operator, sides } = readOperator(value)
  if (operator === '*') return sides.some(isInterval)
  if (SHIFTS.has(operator)) return sides.every(isInterval)
  const type = list(find(value, 'TypeCast', 'typeName'), 'names').at(-1)
  return readText(type, 'String', 'sval') === 'interval' || nameCalled(value) === 'make_interval'
}

const SHIFTS = new Set(['+', '-'])

/** A time with a zone, as far as a text can tell, and an interval. */
function isShift(value: unknown): boolean {
  const { operator, sides } = readOperator(value)
  const time = sides.find((side) => !isInterval(side))
  return (
    SHIFTS.has(operator) &&
    time !== undefined &&
    sides.some(isInterval) &&
    nameCalled(time) !== 'timezone'
  )
}

/** Citus computes what depends on the time zone of the session before it knows the rows. */
function listOfZone(
  statement: Statement,
  { ofTenants, copied }: Tables,
  { mutable }: Functions,
): string[] {
  const { kind, node } = statement
  const table = targetOf(statement)
  const isOnNodes = ofTenants.has(table) || copied.has(table)
  if ((kind !== 'UpdateStmt' && kind !== 'DeleteStmt') || !isOnNodes) return []
  const changing = [...listExpressions([node['targetList'], node['whereClause']])]
  return changing.filter(readsColumns).flatMap((expression) => {
    if (isShift(expression)) return [`the shift of a time of columns in a change of ${table}`]
    const name = nameCalled(expression)
    return mutable.has(name) ? [`the call of ${name} with columns in a change of ${table}`] : []
  })
}

/** Expressions in it, without those of sub-queries. */
function* listExpressions(value: unknown): Generator<Node> {
  if (Array.isArray(value)) for (const entry of value) yield* listExpressions(entry)
  else if (typeof value === 'object' && value !== null && !('SelectStmt' in value)) {
    yield value as Node
    for (const entry of Object.values(value)) yield* listExpressions(entry)
  }
}

const readsColumns = (value: unknown) =>
  [...listExpressions(value)].some((one) => find(one, 'ColumnRef') !== undefined)

/** Citus may change the table on another connection, which has no temporary tables. */
function listReadByLocal(
  statement: Statement,
  around: Surroundings,
  { ofTenants, copied }: Tables,
): string[] {
  const { kind } = statement
  const table = targetOf(statement)
  const isLocal = !ofTenants.has(table) && !copied.has(table)
  if ((kind !== 'UpdateStmt' && kind !== 'DeleteStmt') || !isLocal) return []
  const read = [...listLevels(statement, around)].flatMap(({ level }) => level.sources)
  return read.flatMap(({ table: name = '' }) =>
    ofTenants.has(name) || copied.has(name) ? [`the change of ${table} by ${name}`] : [],
  )
}

/**
 * What a database of several nodes refuses in a text, in words that follow «it does not take». A statement over all workspaces
 * (`isCrossing`) may read and change rows on all nodes, but lock none.
 */
export function findRefused(
  statement: string,
  tables: Tables & Functions,
  isCrossing = false,
): string[] {
  const refused = parseStatements(statement).flatMap((one) =>
    [...listLevels(one)].flatMap(({ statement: part, level, around }) => [
      ...(isCrossing ? listCrossingLocks(part, level, tables) : listUnbound(level, tables)),
      ...listJoinedApart(level, tables),
      ...listCopiedLocks(part, level, tables),
      ...listInnerInserts(part, around, tables),
      ...listReadByLocal(part, around, tables),
      ...listMoved(part, tables),
      ...listOwnResults(part, tables, tables),
      ...listOfZone(part, tables, tables),
    ]),
  )
  return [...new Set(refused)]
}
