/** Which versions belong to which release line. */
import { readName } from '../../../formats/one-line-name.ts'
import type { GateSupportRule, ReleaseGate } from '../../../formats/gate-rules.ts'
import { readVersionPattern, type VersionPattern } from '../../../formats/version-patterns.ts'
import { invalid } from '../../../platform/errors.ts'

interface StatedLine {
  id?: string
  name: string
  patterns?: readonly string[]
  supportEndsOn?: string | null
  releaseGate?: ReleaseGate | null
  gateSupport?: GateSupportRule | null
}

export interface ReleaseLine {
  id: string
  name: string
  patterns: string[]
  supportEndsOn: string | null
  /** null: as the workspace says. */
  releaseGate: ReleaseGate | null
  gateSupport: GateSupportRule | null
}

/**
 * Reads lines as they are sent. A line that names an id, or else the name of a line that there is, stays that line; others get an id.
 * Throws what the caller has to mend.
 */
export function readLines(
  stated: readonly StatedLine[],
  known: readonly ReleaseLine[],
  createId: () => string,
): ReleaseLine[] {
  const named = new Set<string>()
  const used = new Set<string>()
  return stated.map((line, index) => {
    const pointer = `/lines/${index}`
    const name = readName(line.name, `${pointer}/name`)
    if (named.has(name.toLowerCase()))
      throw invalid(`Another line has the name ${JSON.stringify(name)}.`, `${pointer}/name`)
    named.add(name.toLowerCase())
    const patterns = [...new Set(line.patterns)]
    patterns.forEach((pattern, place) => {
      const read = readVersionPattern(pattern)
      if ('fault' in read)
        throw invalid(
          `The pattern ${pattern} is not taken. ${read.fault}`,
          `${pointer}/patterns/${place}`,
        )
    })
    const id = findId(line, name, known, stated) ?? createId()
    if (line.id !== undefined && line.id !== id)
      throw invalid('The firmware has no line with this id.', `${pointer}/id`)
    if (used.has(id)) throw invalid('Another line has the same id.', `${pointer}/id`)
    used.add(id)
    const { supportEndsOn = null, releaseGate = null, gateSupport = null } = line
    return { id, name, patterns, supportEndsOn, releaseGate, gateSupport }
  })
}

function findId(
  { id }: StatedLine,
  name: string,
  known: readonly ReleaseLine[],
  stated: readonly StatedLine[],
): string | undefined {
  if (id !== undefined) return known.find((one) => one.id === id)?.id
  const found = known.find((one) => one.name === name)
  return found && stated.every((other) => other.id !== found.id) ? found.id : undefined
}

/** Answers for a name the ids of all lines whose patterns match it; the first of them takes the version. */
export function compileLines(
  lines: readonly Pick<ReleaseLine, 'id' | 'patterns'>[],
): (name: string) => string[] {
  const compiled = lines.map(({ id, patterns }) => ({
    id,
    patterns: patterns.map(readVersionPattern).filter(isPattern),
  }))
  return (name) =>
    compiled
      .filter(({ patterns }) => patterns.some((pattern) => pattern.matches(name)))
      .map(({ id }) => id)
}

const isPattern = (read: ReturnType<typeof readVersionPattern>): read is VersionPattern =>
  'matches' in read
