/**
 * What a database of several nodes (Citus) takes, told from the text of a statement alone. Rows of tenants lie on the node of
 * their workspace, or of their series, and each node has a copy of all other tables. So a statement has to be about one workspace in each of its
 * parts: Citus looks for the parameter at each table by itself, once PostgreSQL has drawn its conclusions from joins of one
 * query (docs/design/scale-out.md).
 */
import {
  isAbout,
  type Level,
  listLevels,
  type Source,
  type Surroundings,
  type Term,
} from './levels.ts'
import { find, list, type Node, parseStatements, type Statement, readText } from './tree.ts'

export interface Tables {
  /** Those with rows of tenants. */
  ofTenants: ReadonlySet<string>
  /** Those of tenants whose rows lie on the node of their series. */
  bySeries: ReadonlySet<string>
  /** Those that each node has a copy of. */
  copied: ReadonlySet<string>
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

/**
 * What a database of several nodes refuses in a text, in words that follow «it does not take». A statement over all workspaces
 * (`isCrossing`) may read and change rows on all nodes, but lock none.
 */
export function findRefused(statement: string, tables: Tables, isCrossing = false): string[] {
  const refused = parseStatements(statement).flatMap((one) =>
    [...listLevels(one)].flatMap(({ statement: part, level, around }) => [
      ...(isCrossing ? listCrossingLocks(part, level, tables) : listUnbound(level, tables)),
      ...listJoinedApart(level, tables),
      ...listCopiedLocks(part, level, tables),
      ...listInnerInserts(part, around, tables),
    ]),
  )
  return [...new Set(refused)]
}
