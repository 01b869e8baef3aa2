import type { Exposure } from '@plimsoll/api-client'
/** Where releases and roll-outs stand under the exposure chart. Places and widths are in pixels. */

type Release = Exposure['releases'][number]
type Rollout = Exposure['rollouts'][number]

export interface PlacedRelease {
  release: Release
  left: number
  name: string
  /** The name, or the version alone where there is room for no more. */
  label: string
  /** On which side of its point the label stands; undefined: there is no room for one. */
  side: 'left' | 'right' | undefined
}

/** A letter of the chart's monospaced names. */
const LETTER = 6.4
/** From the middle of a point to its name, or to what stands beside it. */
const POINT = 9

/** The newest first: a label stands right of its point where nothing newer is in the way; the newest may stand left of it. */
export function placeReleases(
  releases: readonly Release[],
  { left: start, right, placeOf }: { left: number; right: number; placeOf: (at: string) => number },
): PlacedRelease[] {
  let free = right
  return releases.toReversed().map((release, index, newestFirst) => {
    const left = placeOf(release.at)
    const older = newestFirst[index + 1]
    const roomRight = free - left
    const roomLeft = index === 0 ? left - (older ? placeOf(older.at) + POINT : start) : 0
    const label = labelOf(release, roomRight, roomLeft)
    free = left - (label.side === 'left' ? roomOf(label.label) : POINT)
    return { release, left, ...label }
  })
}

const roomOf = (label: string) => POINT + label.length * LETTER

function labelOf({ firmwareName, version }: Release, roomRight: number, roomLeft: number) {
  const name = `${firmwareName} ${version}`
  for (const label of [name, version]) {
    const room = roomOf(label)
    if (room <= roomRight) return { name, label, side: 'right' as const }
    if (room <= roomLeft) return { name, label, side: 'left' as const }
  }
  return { name, label: '', side: undefined }
}

export interface RolloutLane {
  cohortId: string
  cohortName: string
  rollouts: Rollout[]
}

const MOST_LANES = 8

/** A lane for each cohort, as its roll-outs follow each other: those of the newest ones, in the order of their names. */
export function groupIntoLanes(rollouts: readonly Rollout[]): {
  lanes: RolloutLane[]
  hidden: number
} {
  const cohorts = new Map<string, Rollout[]>()
  for (const rollout of rollouts.toReversed())
    cohorts.set(rollout.deploymentCohortId, [
      rollout,
      ...(cohorts.get(rollout.deploymentCohortId) ?? []),
    ])
  const lanes = [...cohorts].slice(0, MOST_LANES).map(([cohortId, own]) => ({
    cohortId,
    cohortName: own.at(-1)?.cohortName ?? '',
    rollouts: own,
  }))
  return {
    lanes: lanes.toSorted((one, other) => (one.cohortName < other.cohortName ? -1 : 1)),
    hidden: Math.max(0, cohorts.size - MOST_LANES),
  }
}
