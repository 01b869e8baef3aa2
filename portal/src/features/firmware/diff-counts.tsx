/** How many findings a version fixed, brought and kept, against another one. */
import type {
  FirmwareVersion,
  FirmwareVersionDiff,
  FirmwareVersionListItem,
} from '@plimsoll/api-client'
import css from './version-page.module.css'

export interface DiffCounts {
  fixed: number
  introduced: number
  remaining: number
}

export function countDifferences({ fixed, introduced, remaining }: FirmwareVersionDiff) {
  return { fixed: sum(fixed), introduced: sum(introduced), remaining: sum(remaining) }
}

function sum({ countsBySeverity }: FirmwareVersionDiff['fixed']): number {
  return countsBySeverity.reduce((all, { count }) => all + count, 0)
}

/** The stated predecessor, or the one created before; the first version has none. `versions` are newest first. */
export function findPredecessor(
  { predecessorId, createdAt }: FirmwareVersion,
  versions: readonly FirmwareVersionListItem[],
): FirmwareVersionListItem | undefined {
  return (
    versions.find(({ id }) => id === predecessorId) ??
    versions.find((one) => one.createdAt < createdAt)
  )
}

export function DiffBar({ counts: { fixed, introduced, remaining } }: { counts: DiffCounts }) {
  const total = Math.max(1, fixed + introduced + remaining)
  const width = (count: number) => ({ width: `${(count / total) * 100}%` })
  return (
    <div className={css['bar']} aria-hidden="true">
      <i className={css['fixed']} style={width(fixed)} />
      <i className={css['introduced']} style={width(introduced)} />
      <i className={css['remaining']} style={width(remaining)} />
    </div>
  )
}
