/** PostgreSQL's own parse tree of a statement, read without knowing every kind of node. */
import { parseSync } from 'libpg-query'

export type Node = Readonly<Record<string, unknown>>

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A node in a node, along names; undefined: no such node. */
export function find(node: unknown, ...path: string[]): Node | undefined {
  let at: unknown = node
  for (const name of path) at = isNode(at) ? at[name] : undefined
  return isNode(at) ? at : undefined
}

export function list(node: unknown, name: string): readonly unknown[] {
  const value = isNode(node) ? node[name] : undefined
  return Array.isArray(value) ? value : []
}

export function readText(node: unknown, ...path: string[]): string {
  const last = path.at(-1) ?? ''
  const value = find(node, ...path.slice(0, -1))?.[last]
  return typeof value === 'string' ? value : ''
}

const STATEMENTS = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'] as const

export interface Statement {
  kind: (typeof STATEMENTS)[number] | 'CopyStmt' | 'other'
  node: Node
}

function asStatement(node: Node): Statement | undefined {
  for (const kind of STATEMENTS) {
    const statement = find(node, kind)
    if (statement !== undefined) return { kind, node: statement }
  }
  return undefined
}

/** The statements of a text, with semicolons between them. */
export function parseStatements(statement: string): Statement[] {
  const { stmts = [] } = parseSync(statement)
  return stmts.map(({ stmt }) => {
    const node = isNode(stmt) ? stmt : {}
    const copy = find(node, 'CopyStmt')
    return asStatement(node) ?? (copy ? { kind: 'CopyStmt', node: copy } : { kind: 'other', node })
  })
}

/** Sub-queries, common table expressions and branches of a union, one level deep. */
export function* listNestedStatements(value: unknown): Generator<Statement> {
  if (Array.isArray(value)) for (const entry of value) yield* listNestedStatements(entry)
  if (!isNode(value)) return
  for (const [name, entry] of Object.entries(value)) {
    const wrapped = isNode(entry) ? asStatement(entry) : undefined
    if (wrapped !== undefined) yield wrapped
    else if ((name === 'larg' || name === 'rarg') && isNode(entry) && 'limitOption' in entry)
      yield { kind: 'SelectStmt', node: entry }
    else yield* listNestedStatements(entry)
  }
}

/** Names of the functions that are called anywhere in it. */
export function* listCalled(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const entry of value) yield* listCalled(entry)
  if (!isNode(value)) return
  const call = find(value, 'FuncCall')
  if (call) yield readText(list(call, 'funcname').at(-1), 'String', 'sval')
  for (const entry of Object.values(value)) yield* listCalled(entry)
}
