/** Affected versions as a form of a few hundred characters can take them. */
import { formatCountOf } from '../../../formats/counts.ts'
import { shortenText } from '../../../formats/shorten.ts'

export interface OrderedVersion {
  firmware: string
  /** Versions of one release line follow each other. null: the firmware has no lines. */
  lineId: string | null
  version: string
  isAffected: boolean
}

/** By firmware and release line, each oldest first. The longest form that fits: every range, the ends alone, or as many firmwares as there is room for. */
export function describeVersions(versions: readonly OrderedVersion[], most: number): string {
  const lines = [
    ...Map.groupBy(versions, ({ firmware, lineId }) => JSON.stringify([firmware, lineId])).values(),
  ].filter((line) => line.some(({ isAffected }) => isAffected))
  const exact = joinFirmwares(lines, (line) => findRuns(line).map(describeRun).join(', '))
  if (exact.length <= most) return exact
  const ends = joinFirmwares(lines, describeEnds)
  return shortenText(ends, most)
}

type Line = readonly OrderedVersion[]

function joinFirmwares(lines: readonly Line[], tell: (line: Line) => string): string {
  const byFirmware = Map.groupBy(lines, (line) => line[0]?.firmware ?? '')
  return [...byFirmware].map(([name, own]) => `${name} ${own.map(tell).join(', ')}`).join('; ')
}

/** Neighbours that are all affected. */
function findRuns(line: Line): string[][] {
  const runs: string[][] = []
  let run: string[] | undefined
  for (const { version, isAffected } of line) {
    if (!isAffected) run = undefined
    else if (run) run.push(version)
    else runs.push((run = [version]))
  }
  return runs
}

function describeRun(run: readonly string[]): string {
  const [first = '', last = ''] = [run[0], run.at(-1)]
  return run.length < 3
    ? run.join(', ')
    : `${first} to ${last} (${formatCountOf(run.length, 'version')})`
}

function describeEnds(line: Line): string {
  const affected = line.filter(({ isAffected }) => isAffected).map(({ version }) => version)
  const [first = '', last = ''] = [affected[0], affected.at(-1)]
  if (affected.length < 3) return affected.join(', ')
  return `${formatCountOf(affected.length, 'version')} from ${first} to ${last}, not all between`
}
