/**
 * Records which statements the tests execute, and from where in the source, when `PLIMSOLL_COLLECT_QUERIES` names a
 * folder. Each process writes a file of its own there, one JSON line a statement; `tools/queries.ts` reads them.
 */
import childProcess, { type ForkOptions } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DefaultQueryExecutor } from 'kysely'
import pg from 'pg'

/** A file below the root of the repository, line and column from 1. */
interface CallPlace {
  file: string
  line: number
  column: number
}

/** Where the call is that executes it. */
export interface CollectedStatement extends CallPlace {
  text: string
  /** The call in `platform/` that executes it, where the slice only called a function there. */
  within?: CallPlace
}

const ROOT = resolve(import.meta.dirname, '../..')
/** Survives that files of tests share a process. */
const HOOKED = Symbol.for('plimsoll.collectQueries')
const TEST_HELPERS = /\/(?:server|portal|cli)\/test\//
/** Enough to leave the query builder, which may call itself a few times. */
const FRAMES = 30
const TRANSACTION_CONTROL =
  /^\s*(?:begin|commit|rollback|savepoint|release|start transaction|fetch|close)\b/i

/** They hand on the statements of others, the first also at the end of a turn of somebody else. */
const POOLS = ['/server/src/platform/db/fair-pool.ts', '/server/src/platform/db/replica-client.ts']

const known = new Set<string>()

function pathOf(site: NodeJS.CallSite): string {
  const name = site.getFileName() ?? ''
  return name.startsWith('file:') ? fileURLToPath(name) : name
}

type Place = 'between' | 'end' | 'slice' | 'service'
/** By the name of a file. Looking at a path for each frame of each statement would take a minute of a run. */
const places = new Map<string, Place>()

function placeOf(site: NodeJS.CallSite): Place {
  const name = site.getFileName() ?? ''
  const seen = places.get(name)
  if (seen) return seen
  const place = placeOfPath(pathOf(site))
  places.set(name, place)
  return place
}

function placeOfPath(path: string): Place {
  if (path.includes('/node_modules/pg-boss/')) return 'end'
  const isBetween =
    path === import.meta.filename ||
    path.includes('/node_modules/') ||
    POOLS.some((pool) => path.endsWith(pool))
  if (isBetween || !path.startsWith(ROOT)) return 'between'
  if (path.endsWith('.test.ts') || TEST_HELPERS.test(path)) return 'end'
  return path.includes('/server/src/features/') ? 'slice' : 'service'
}

/**
 * The call of a slice, or else of the service, that executes a statement now. Frames from before an await do not
 * count: a builder's `execute` is always called by the function that made the statement. undefined: a test's own
 * statement, or one of the job queue's.
 */
function findCaller(sites: readonly NodeJS.CallSite[]) {
  let outside: number | undefined
  for (const [index, site] of sites.entries()) {
    const place = placeOf(site)
    if (place === 'end' || site.isAsync()) break
    if (place === 'slice') return { caller: index, within: outside }
    if (place === 'service') outside ??= index
  }
  return { caller: outside, within: undefined }
}

function record(text: string, folder: string): void {
  if (TRANSACTION_CONTROL.test(text)) return
  const { stackTraceLimit } = Error
  // The test runner's own, which maps positions to the source.
  const prepareStackTrace = Error.prepareStackTrace?.bind(Error)
  let found: CollectedStatement | undefined
  Error.prepareStackTrace = (error, sites) => {
    const { caller, within } = findCaller(sites)
    const [site, inner] = [caller, within].map((index) =>
      index === undefined ? undefined : sites[index],
    )
    if (site === undefined) return ''
    const key = `${pathOf(site)}:${site.getLineNumber()}:${site.getColumnNumber()} ${text}`
    if (known.has(key)) return ''
    known.add(key)
    const mapped = (one: NodeJS.CallSite): CallPlace => {
      const position = String(prepareStackTrace?.(error, [one]) ?? one)
      const [, line, column] = /:(\d+):(\d+)\)?\s*$/.exec(position) ?? []
      return { file: relative(ROOT, pathOf(one)), line: Number(line), column: Number(column) }
    }
    found = { text, ...mapped(site), ...(inner && { within: mapped(inner) }) }
    return ''
  }
  Error.stackTraceLimit = FRAMES
  void new Error('where').stack
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  if (found) appendFileSync(join(folder, `${process.pid}.jsonl`), `${JSON.stringify(found)}\n`)
}

/** Text of what may be given to `query`: itself, a configuration, a stream or a cursor. */
function textOf(query: unknown): string | undefined {
  if (typeof query === 'string') return query
  if (typeof query !== 'object' || query === null) return undefined
  if ('text' in query && typeof query.text === 'string') return query.text
  return undefined
}

type Method = (this: unknown, ...input: unknown[]) => unknown

/** Statements on their way from a builder or a pool to a connection, by text, and how often. They are recorded already. */
const handedOn = new Map<string, number>()

function handOn(text: string | undefined): string | undefined {
  if (text !== undefined) handedOn.set(text, (handedOn.get(text) ?? 0) + 1)
  return text
}

/** A connection's statement, unless a builder or a pool handed it on: their frames would lead to nobody. */
function ownTextOf(query: unknown): string | undefined {
  const text = textOf(query)
  const times = text === undefined ? 0 : (handedOn.get(text) ?? 0)
  if (text === undefined || times === 0) return text
  if (times === 1) handedOn.delete(text)
  else handedOn.set(text, times - 1)
  return undefined
}

function hook(
  target: object,
  name: string,
  read: (first: unknown) => string | undefined,
  folder: string,
) {
  const original = Reflect.get(target, name) as Method
  Reflect.set(target, name, function hooked(this: unknown, ...input: unknown[]) {
    const text = read(input[0])
    if (text !== undefined) record(text, folder)
    return original.apply(this, input)
  })
}

/** Processes for calculations execute statements of slices, too. */
function collectInCalculators(): void {
  const { fork } = childProcess
  const collecting = (path: string, options: ForkOptions) => {
    const { execArgv = [] } = options
    const isCalculator = path.endsWith('/calculator-process.ts')
    const more = isCalculator ? ['--import', import.meta.url] : []
    return fork(path, { ...options, execArgv: [...execArgv, ...more] })
  }
  Reflect.set(childProcess, 'fork', collecting)
  syncBuiltinESMExports()
}

const folder = process.env['PLIMSOLL_COLLECT_QUERIES']
if (folder !== undefined && !(HOOKED in globalThis)) {
  Object.assign(globalThis, { [HOOKED]: true })
  const executor = Object.getPrototypeOf(DefaultQueryExecutor.prototype) as object
  const compiled = (query: unknown) =>
    typeof query === 'object' && query !== null && 'sql' in query ? String(query.sql) : undefined
  hook(executor, 'executeQuery', (query) => handOn(compiled(query)), folder)
  hook(executor, 'stream', (query) => handOn(compiled(query)), folder)
  hook(pg.Pool.prototype, 'query', (query) => handOn(textOf(query)), folder)
  hook(pg.Client.prototype, 'query', ownTextOf, folder)
  collectInCalculators()
}
