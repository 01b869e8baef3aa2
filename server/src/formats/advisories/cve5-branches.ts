/** Combines the version entries of one product. */
import { compareVersions } from '../versions/compare.ts'
import { listText } from './criteria-statements.ts'
import type { VersionStatement } from './model.ts'
import { incrementPrefix } from './version-bounds.ts'
import { withStart } from './unstated-start.ts'

/**
 * `5.6.43 and prior`, `5.7.25 and prior`, `8.0.15 and prior`: each means its own branch, since otherwise the highest would
 * make the others meaningless. So every range except the lowest begins after the branch below it. In the same way an
 * unaffected start (`< 7.9.1`) is cut out of an affected one (`< 8.4.0`).
 */
export function withBranches(statements: VersionStatement[]): VersionStatement[] {
  const ascending = statements
    .filter(isOpenBelow)
    .toSorted((a, b) => compare(readUpper(a), readUpper(b)))
  if (ascending.length < 2) return statements
  const introduced = new Map<VersionStatement, string>()
  for (const [index, statement] of ascending.entries()) {
    const below = ascending[index - 1]
    const start = below && startAfter(below)
    if (
      statement.status === 'affected' &&
      start !== undefined &&
      compare(start, readUpper(statement)) <= 0
    )
      introduced.set(statement, start)
  }
  return statements.map((statement) => {
    const start = introduced.get(statement)
    return start === undefined ? statement : withStart(statement, start)
  })
}

function startAfter(below: VersionStatement): string | undefined {
  if (below.status === 'affected') return findNextBranch(readUpper(below))
  return below.fixed
}

/** `5.6.43` → `5.7`. */
export function findNextBranch(version: string): string | undefined {
  const branch = /^(\d+(?:\.\d+)*)\.\d+\D*$/.exec(version)?.[1]
  return branch === undefined ? undefined : incrementPrefix(branch)
}

function isOpenBelow({
  introduced,
  introducedAfter,
  fixed,
  lastAffected,
}: VersionStatement): boolean {
  const isOpen = introduced === undefined && introducedAfter === undefined
  return isOpen && (fixed ?? lastAffected) !== undefined
}

function readUpper({ fixed, lastAffected }: VersionStatement): string {
  return fixed ?? lastAffected ?? ''
}

function compare(a: string, b: string): number {
  return compareVersions('generic', a, b) ?? 0
}

/** Some records list hundreds of versions; versions of one status become one statement. */
export function withListsOfExact(statements: VersionStatement[]): VersionStatement[] {
  const exact = new Map<VersionStatement['status'], Set<string>>()
  const ranges: VersionStatement[] = []
  for (const statement of statements) {
    const versions = exactVersions(statement)
    if (versions === undefined) {
      ranges.push(statement)
      continue
    }
    const known = exact.get(statement.status) ?? new Set()
    exact.set(statement.status, known)
    for (const version of versions) known.add(version)
  }
  const lists = [...exact].map(([status, known]) => {
    const versions = [...known]
    return { status, versions, text: listText(versions) }
  })
  return [...lists, ...ranges]
}

function exactVersions({
  versions,
  introduced,
  lastAffected,
}: VersionStatement): readonly string[] | undefined {
  if (versions !== undefined) return versions
  return introduced !== undefined && introduced === lastAffected ? [introduced] : undefined
}
