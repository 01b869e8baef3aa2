/**
 * `server/queries/<slice>.sql`: the statements of each function, and which functions execute some. A function with
 * more variants than a few (lists with filters) shows its shortest and its longest; the others are known by a hash.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Statements by function, in the form of `formatStatement`; a function's file is part of its name. */
export type StatementsByFunction = ReadonlyMap<string, ReadonlySet<string>>

/** What the files know of a function: all its statements by their hashes; none, where no test executes it. */
type Known = ReadonlyMap<string, { hashes: Set<string>; isVarying: boolean }>

const MOST_VARIANTS = 4
const HEADING = `-- Statements as the tests execute them. \`npm run queries\` writes this file (docs/decisions/0019-collected-queries.md).`
const NOT_EXECUTED = 'not executed by tests'
const VARIANTS = 'the shortest and the longest of these variants'
const HASHES_A_LINE = 11

function hashOf(statement: string): string {
  return createHash('sha256').update(statement).digest('hex').slice(0, 8)
}

/** The slice of a function, or `platform` for what is outside of the slices. */
function sliceOf(name: string): string {
  return /^server\/src\/features\/([^/]+)\//.exec(name)?.[1] ?? 'platform'
}

function byLength(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1)
}

function renderFunction(name: string, statements: ReadonlySet<string>): string {
  const sorted = [...statements].toSorted(byLength)
  if (sorted.length === 0) return `-- ${name}: ${NOT_EXECUTED}\n`
  if (sorted.length <= MOST_VARIANTS)
    return sorted.map((statement) => `-- ${name}\n${statement};\n`).join('\n')
  const ends = [sorted[0], sorted.at(-1)].map((statement) => `${statement};\n`).join('\n')
  const hashes = sorted.map(hashOf).toSorted()
  const lines = Array.from(
    { length: Math.ceil(hashes.length / HASHES_A_LINE) },
    (_, line) => `--   ${hashes.slice(line * HASHES_A_LINE, (line + 1) * HASHES_A_LINE).join(' ')}`,
  )
  return `-- ${name}: ${VARIANTS}\n${lines.join('\n')}\n${ends}`
}

function render(statements: StatementsByFunction): string {
  const sorted = [...statements].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${[HEADING, ...sorted.map(([name, texts]) => renderFunction(name, texts))].join('\n\n').trimEnd()}\n`
}

export function writeFiles(folder: string, statements: StatementsByFunction): void {
  const slices = new Map<string, Map<string, ReadonlySet<string>>>()
  for (const [name, texts] of statements) {
    const slice = slices.get(sliceOf(name)) ?? new Map<string, ReadonlySet<string>>()
    slices.set(sliceOf(name), slice.set(name, texts))
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [slice, texts] of slices) writeFileSync(join(folder, `${slice}.sql`), render(texts))
}

function readFunctions(
  text: string,
  known: Map<string, { hashes: Set<string>; isVarying: boolean }>,
): void {
  let now = { hashes: new Set<string>(), isVarying: false }
  let statement: string[] = []
  for (const line of text.split('\n')) {
    const [, name = '', remark = ''] = /^-- (server\/\S+ \S+?)(?:: (.*))?$/.exec(line) ?? []
    if (name !== '') {
      now = known.get(name) ?? { hashes: new Set(), isVarying: remark === VARIANTS }
      known.set(name, now)
    } else if (line.startsWith('--   ')) {
      for (const hash of line.slice(5).split(' ')) now.hashes.add(hash)
    } else if (line !== '' && !line.startsWith('-- ')) {
      statement.push(line)
      if (!line.endsWith(';')) continue
      now.hashes.add(hashOf(statement.join('\n').slice(0, -1)))
      statement = []
    }
  }
}

export function readFiles(folder: string): Known {
  const known = new Map<string, { hashes: Set<string>; isVarying: boolean }>()
  const names = existsSync(folder) ? readdirSync(folder) : []
  for (const name of names) readFunctions(readFileSync(join(folder, name), 'utf8'), known)
  return known
}

/**
 * What makes the files stale, in words. It does not depend on what only some runs execute: which functions execute
 * statements is read from the source; a function that the files know to be executed by no test may be executed all the
 * same; and a function of many variants has to have one in common with the files.
 */
export function findStale(
  known: Known,
  executed: StatementsByFunction,
  functions: ReadonlySet<string>,
): string[] {
  const missing = [...functions].filter((name) => !known.has(name))
  const gone = [...known.keys()].filter((name) => !functions.has(name))
  const changed = [...executed].flatMap(([name, statements]) => {
    const { hashes, isVarying } = known.get(name) ?? { hashes: new Set(), isVarying: false }
    const unknown = [...statements].filter((statement) => !hashes.has(hashOf(statement)))
    const isStale = isVarying ? unknown.length === statements.size : unknown.length > 0
    return isStale && hashes.size > 0
      ? [`${name} executes another statement:\n${unknown[0] ?? ''}`]
      : []
  })
  return [
    ...missing.map((name) => `${name} executes statements and is not listed`),
    ...gone.map((name) => `${name} is listed and executes no statement`),
    ...changed,
  ]
}
