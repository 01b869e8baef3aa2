/** Sorts versions into firmwares and chooses those that the overview shows. */
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Mark } from '../../firmware/index.ts'

/** Which versions are asked for; the first is all of them. */
export const VERSION_GROUPS = [
  'All',
  'InField',
  'Overloaded',
  'ToDecide',
  'Unknown',
  'OnNoDevice',
] as const
export type VersionGroup = (typeof VERSION_GROUPS)[number]

export interface Rollout {
  deploymentId: string
  deploymentCohortId: string
  cohortName: string
  state: string
  unfinished: number
}

export interface VersionInOverview {
  /** null: devices report it and nobody registered it. */
  id: string | null
  name: string
  buildId: string | null
  createdAt: Date | null
  line: { id: string; name: string } | null
  mark: Mark
  deviceCount: number
  /** null: no SBOM of it was read. */
  countsBySeverity: { severity: Severity; count: number }[] | null
  rollouts: Rollout[]
}

export interface FirmwareVersions {
  /** null: nobody registered a firmware with the slug. */
  id: string | null
  slug: string
  name: string | null
  /** Newest first; those that nobody registered at the end. */
  versions: VersionInOverview[]
}

export function isInGroup(
  { deviceCount, mark }: Pick<VersionInOverview, 'deviceCount' | 'mark'>,
  group: VersionGroup,
): boolean {
  if (group === 'All') return true
  if (group === 'InField') return deviceCount > 0
  if (group === 'OnNoDevice') return deviceCount === 0
  return mark.state === group
}

/** Worst first. */
const MARK_STATES = ['Overloaded', 'Unknown', 'ToDecide', 'Clear'] as const

/** One firmware as it is shown; undefined where none of its versions is meant. */
export function showFirmware(
  { id, slug, name, versions }: FirmwareVersions,
  { group, limit }: { group: VersionGroup; limit: number },
) {
  const meant = versions.filter((version) => isInGroup(version, group))
  // A firmware without versions is told by all of the list, and by no part of it.
  if (meant.length === 0 && group !== 'All') return undefined
  const shown = meant.toSorted(compareByDevices).slice(0, limit)
  const isShown = new Set(shown)
  const left = meant.filter((version) => !isShown.has(version))
  return {
    id,
    slug,
    name,
    newest: nameNewest(versions),
    lines: listLines(versions),
    versionCount: versions.length,
    deviceCount: sumDevices(versions),
    registeredDevices: sumDevices(versions.filter((version) => version.id !== null)),
    devicesByMark: MARK_STATES.map((state) => ({
      state,
      devices: sumDevices(versions.filter(({ mark }) => mark.state === state)),
    })),
    versions: shown,
    left: {
      versions: left.length,
      devices: sumDevices(left),
      onNoDevice: left.filter(({ deviceCount }) => deviceCount === 0).length,
      overloaded: left.filter(
        ({ deviceCount, mark }) => deviceCount > 0 && mark.state === 'Overloaded',
      ).length,
    },
  }
}

/** Most devices first, then the worst mark. */
const compareByDevices = (one: VersionInOverview, other: VersionInOverview) =>
  other.deviceCount - one.deviceCount ||
  MARK_STATES.indexOf(one.mark.state) - MARK_STATES.indexOf(other.mark.state)

/** Versions that nobody registered have no place in time. */
function nameNewest(versions: readonly VersionInOverview[]) {
  for (const { id, name, createdAt, mark } of versions)
    if (id !== null && createdAt !== null) return { id, name, createdAt, mark }
  return null
}

/** The release lines that have versions, those of the newest versions first. */
function listLines(versions: readonly VersionInOverview[]) {
  const byLine = Map.groupBy(versions, ({ line }) => line?.id)
  return [...byLine.values()].flatMap((own) => {
    const line = own[0]?.line
    const newest = nameNewest(own)
    return line && newest
      ? [{ ...line, newest, versionCount: own.length, deviceCount: sumDevices(own) }]
      : []
  })
}

const sumDevices = (versions: readonly { deviceCount: number }[]) =>
  versions.reduce((sum, { deviceCount }) => sum + deviceCount, 0)
