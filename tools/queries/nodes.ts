/**
 * What a database of several nodes (Citus) takes, told from the text of a statement alone. Rows of tenants lie on the node of
 * their workspace, and each node has a copy of all other tables. So a statement has to be about one workspace in each of its
 * parts: Citus looks for the parameter at each table by itself, once PostgreSQL has drawn its conclusions from joins of one
 * query (docs/design/scale-out.md).
 */
import { isAbout, type Level, levelsOf, type Source, type Term } from './levels.ts'
import { find, list, parseStatements, type Statement, text } from './tree.ts'

export interface Tables {
  /** Those with rows of tenants. */
  ofTenants: ReadonlySet<string>
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

/** Citus locks the whole of a copied table, on all nodes. */
function listCopiedLocks({ node }: Statement, { sources }: Level, tables: Tables): string[] {
  const clauses = list(node, 'lockingClause').map((clause) => find(clause, 'LockingClause'))
  const meant = (clause: object | undefined) => {
    const named = new Set(
      list(clause, 'lockedRels').map((table) => text(table, 'RangeVar', 'relname')),
    )
    return sources.filter(({ alias }) => named.size === 0 || named.has(alias))
  }
  return clauses
    .flatMap(meant)
    .filter(({ table }) => tables.copied.has(table ?? ''))
    .map(({ table }) => `the lock of rows of ${table}`)
}

/** Citus takes `insert` as a whole statement only. */
function listInnerInserts({ node }: Statement, tables: Tables): string[] {
  return list(find(node, 'withClause'), 'ctes')
    .map((expression) => find(expression, 'CommonTableExpr', 'ctequery', 'InsertStmt'))
    .map((insert) => text(insert, 'relation', 'relname'))
    .filter((table) => tables.ofTenants.has(table))
    .map((table) => `the inner insert into ${table}`)
}

/** What a database of several nodes refuses in a text, in words that follow «it does not take». */
export function findRefused(statement: string, tables: Tables): string[] {
  const refused = parseStatements(statement).flatMap((one) =>
    [...levelsOf(one)].flatMap(({ statement: part, level }) => [
      ...listUnbound(level, tables),
      ...listCopiedLocks(part, level, tables),
      ...listInnerInserts(part, tables),
    ]),
  )
  return [...new Set(refused)]
}
