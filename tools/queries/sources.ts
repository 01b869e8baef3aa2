/** The calls of the service's source that execute statements, and the row types that claim what these answer. */
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

/** What a property of a row type is at run time; a claim may allow several. */
export type Kind = 'number' | 'string' | 'boolean' | 'date' | 'bytes' | 'list' | 'object'

interface ClaimedColumn {
  kinds: ReadonlySet<Kind>
  isOptional: boolean
}

export interface Claim {
  /** By the name of the column as the row has it. */
  columns: ReadonlyMap<string, ClaimedColumn>
  /** The statement goes to the client of the driver, which leaves the names of columns as the database has them. */
  isPlainClient: boolean
}

export interface CallSite {
  file: string
  line: number
  column: number
  /** The outermost named function or method. */
  calledIn: string
  claim: () => Claim | undefined
}

type ExecutingCall = ts.CallExpression & { expression: ts.PropertyAccessExpression }

const EXECUTING = new Set([
  'execute',
  'executeTakeFirst',
  'executeTakeFirstOrThrow',
  'executeQuery',
])
/** Their `execute` takes a callback instead. */
const SCOPES = new Set([
  'transaction',
  'startTransaction',
  'connection',
  'setIsolationLevel',
  'setAccessMode',
])

function isNamed(node: ts.Node, names: ReadonlySet<string>): boolean {
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    names.has(node.expression.name.text)
  )
}

/** Whether a call executes a statement: of the query builder, or `query` of a pool or a client. */
function isExecuting(node: ts.Node): node is ExecutingCall {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false
  const { name, expression: receiver } = node.expression
  if (EXECUTING.has(name.text)) return !isNamed(receiver, SCOPES)
  return name.text === 'query' && /(?:pool|client)$/i.test(receiver.getText())
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node)) return node.name?.getText()
  if (ts.isVariableDeclaration(node)) return node.name.getText()
  if (ts.isClassDeclaration(node)) return node.name?.text
  return ts.isConstructorDeclaration(node) ? 'constructor' : undefined
}

function findEnclosing(node: ts.Node): string {
  let names: string[] = []
  for (let at = node.parent; !ts.isSourceFile(at); at = at.parent) {
    const name = nameOf(at)
    if (name === undefined) continue
    names = ts.isClassDeclaration(at) ? [name, names[0] ?? ''] : [name]
  }
  return names.join('.')
}

const KIND_OF_FLAG: readonly (readonly [ts.TypeFlags, Kind])[] = [
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
]

/** undefined: the type does not say it, as with `unknown`. */
function kindOf(type: ts.Type, checker: ts.TypeChecker): Kind | undefined {
  for (const [flag, kind] of KIND_OF_FLAG) if (type.flags & flag) return kind
  if (checker.isArrayLikeType(type)) return 'list'
  const name = type.getSymbol()?.name
  if (name === 'Date') return 'date'
  if (name === 'Buffer') return 'bytes'
  return type.flags & ts.TypeFlags.Object ? 'object' : undefined
}

function columnOf(property: ts.Symbol, checker: ts.TypeChecker): ClaimedColumn {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(property))
  const kinds = (type.isUnion() ? type.types : [type]).map((part) => kindOf(part, checker))
  const isOpen = kinds.includes(undefined)
  return {
    kinds: new Set(isOpen ? [] : kinds.filter((kind) => kind !== undefined)),
    isOptional: (property.flags & ts.SymbolFlags.Optional) !== 0,
  }
}

/** Written at the call or at the template it executes; cheap, as nothing has to be inferred. */
function findStatedType(call: ExecutingCall): ts.TypeNode | undefined {
  const { expression: receiver } = call.expression
  return (
    call.typeArguments?.[0] ??
    (ts.isTaggedTemplateExpression(receiver) ? receiver.typeArguments?.[0] : undefined)
  )
}

/** The element type of `rows` of what a call resolves to; undefined: the call claims nothing. */
function rowTypeOf(call: ExecutingCall, checker: ts.TypeChecker): ts.Type | undefined {
  const stated = findStatedType(call)
  if (stated !== undefined) return checker.getTypeFromTypeNode(stated)
  const result = checker.getAwaitedType(checker.getTypeAtLocation(call))
  const rows = result?.getProperty('rows')
  if (rows === undefined) return undefined
  return checker.getIndexTypeOfType(checker.getTypeOfSymbol(rows), ts.IndexKind.Number)
}

/** What the query builder makes answers what its types say; a row type is claimed where `execute` is given a database. */
function isClaiming(call: ExecutingCall): boolean {
  return call.expression.name.text !== 'execute' || call.arguments.length > 0
}

function claimOf(call: ExecutingCall, checker: ts.TypeChecker): Claim | undefined {
  const row = rowTypeOf(call, checker)
  const isTold =
    row !== undefined && (row.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0
  if (!isTold || checker.getIndexInfosOfType(row).length > 0) return undefined
  const columns = row
    .getProperties()
    .map((property) => [property.name, columnOf(property, checker)] as const)
  if (columns.length === 0) return undefined
  const isPlainClient = call.expression.name.text === 'query'
  return { columns: new Map(columns), isPlainClient }
}

function readOptions(root: string): ts.CompilerOptions {
  const file = join(root, 'tsconfig.json')
  const config: unknown = ts.readConfigFile(file, (path) => ts.sys.readFile(path)).config
  return ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root).options
}

export function findCallSites(root: string): CallSite[] {
  const names = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(root, 'server/src', name))
  const program = ts.createProgram(names, readOptions(root))
  const checker = program.getTypeChecker()
  return names.flatMap((name) => {
    const source = program.getSourceFile(name)
    const found: CallSite[] = []
    const visit = (node: ts.Node): void => {
      if (source !== undefined && isExecuting(node)) {
        const start = node.expression.name.getStart(source)
        const { line, character } = source.getLineAndCharacterOfPosition(start)
        found.push({
          file: relative(root, name),
          line: line + 1,
          column: character + 1,
          calledIn: findEnclosing(node),
          claim: () => (isClaiming(node) ? claimOf(node, checker) : undefined),
        })
      }
      ts.forEachChild(node, visit)
    }
    if (source !== undefined) visit(source)
    return found
  })
}
