/**
 * `server/queries/<slice>.sql`: the statements of each function, and which functions execute some. A function with
 * more variants than a few (lists with filters) shows its shortest and its longest; all are known by their hashes.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Statements by function, in the form of `formatStatement`; a function's file is part of its name. */
export type StatementsByFunction = ReadonlyMap<string, ReadonlySet<string>>

interface ListedFunction {
  /** Of all statements; none, where no test executes the function. */
  hashes: Set<string>
  /** The statements that the file shows. */
  shown: Set<string>
}

type ListedByFunction = Map<string, ListedFunction>

const MOST_VARIANTS = 4
const HASHES_A_LINE = 10
const HEADING =
  '-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).'

function hashOf(statement: string): string {
  return createHash('sha256').update(statement).digest('hex').slice(0, 8)
}

function listed(statements: Iterable<string>): ListedFunction {
  const shown = new Set(statements)
  return { hashes: new Set([...shown].map(hashOf)), shown }
}

/** The slice of a function, or `platform` for what is outside of the slices. */
function sliceOf(name: string): string {
  return /^server\/src\/features\/([^/]+)\//.exec(name)?.[1] ?? 'platform'
}

function byLength(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1)
}

function renderFunction(name: string, { hashes, shown }: ListedFunction): string {
  const sorted = [...shown].toSorted(byLength)
  if (hashes.size === 0) return `-- ${name}: not executed by tests\n`
  if (hashes.size <= MOST_VARIANTS)
    return sorted.map((statement) => `-- ${name}\n${statement};\n`).join('\n')
  const ends = [...new Set([sorted[0], sorted.at(-1)])]
  const all = [...hashes].toSorted()
  const lines = Array.from({ length: Math.ceil(all.length / HASHES_A_LINE) }, (_, line) => {
    const words = all.slice(line * HASHES_A_LINE, (line + 1) * HASHES_A_LINE)
    return `--   ${words.join(' ')}\n`
  })
  const statements = ends.map((statement) => `${statement};\n`).join('\n')
  return `-- ${name}: the shortest and the longest of many variants\n${lines.join('')}${statements}`
}

export function writeFiles(folder: string, functions: ReadonlyMap<string, ListedFunction>): void {
  const sorted = [...functions].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const slices = Map.groupBy(sorted, ([name]) => sliceOf(name))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [slice, members] of slices) {
    const blocks = members.map(([name, statements]) => renderFunction(name, statements))
    writeFileSync(join(folder, `${slice}.sql`), [`${HEADING}\n`, ...blocks].join('\n'))
  }
}

function readFunctions(text: string, functions: ListedByFunction): void {
  let now = listed([])
  let statement: string[] = []
  for (const line of text.split('\n')) {
    const [, name] = /^-- (server\/\S+ [^:\s]+)/.exec(line) ?? []
    if (name !== undefined) {
      now = functions.get(name) ?? listed([])
      functions.set(name, now)
    } else if (line.startsWith('--   ')) {
      for (const hash of line.slice(5).split(' ')) now.hashes.add(hash)
    } else if (line !== '' && !line.startsWith('-- ')) {
      statement.push(line)
    } else if (statement.length > 0) {
      // An empty line ends a statement: one text may consist of several, each with a semicolon.
      const whole = statement.join('\n').slice(0, -1)
      now.hashes.add(hashOf(whole))
      now.shown.add(whole)
      statement = []
    }
  }
}

export function readFiles(folder: string): ListedByFunction {
  const functions: ListedByFunction = new Map()
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names) readFunctions(readFileSync(join(folder, name), 'utf8'), functions)
  return functions
}

/**
 * What the files are to say after a run of the tests. What no test executed this time stays: only some runs reach it.
 * After a run of some tests the other variants stay, too.
 */
export function update(
  known: ReadonlyMap<string, ListedFunction>,
  executed: StatementsByFunction,
  { functions, isPartial }: { functions: ReadonlySet<string>; isPartial: boolean },
): ListedByFunction {
  return new Map(
    [...functions].map((name) => {
      const now = listed(executed.get(name) ?? [])
      const before = known.get(name) ?? listed([])
      if (now.hashes.size > 0 && !isPartial) return [name, now]
      return [
        name,
        { hashes: before.hashes.union(now.hashes), shown: before.shown.union(now.shown) },
      ]
    }),
  )
}

/**
 * What makes the files stale, in words. It does not depend on what only some runs execute: which functions execute
 * statements is read from the source; a function that no test executed when the files were written may be executed all
 * the same; a function may execute a further statement beside all that are listed; and of a function with many variants
 * one has to be known.
 */
export function findStale(
  known: ReadonlyMap<string, ListedFunction>,
  executed: StatementsByFunction,
  functions: ReadonlySet<string>,
): string[] {
  const missing = [...functions].filter((name) => !known.has(name))
  const gone = [...known.keys()].filter((name) => !functions.has(name))
  const changed = [...executed].flatMap(([name, statements]) => {
    const { hashes } = known.get(name) ?? listed([])
    const unknown = [...statements].filter((statement) => !hashes.has(hashOf(statement)))
    const knownCount = statements.size - unknown.length
    const isAsListed = hashes.size > MOST_VARIANTS ? knownCount > 0 : knownCount === hashes.size
    const fault = `${name} executes another statement:\n${unknown[0] ?? ''}`
    return unknown.length > 0 && hashes.size > 0 && !isAsListed ? [fault] : []
  })
  return [
    ...missing.map((name) => `${name} executes statements and is not listed`),
    ...gone.map((name) => `${name} is listed and executes no statement`),
    ...changed,
  ]
}
