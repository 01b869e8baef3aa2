/** Which findings a version fixed, brought and kept, against another one. */
import type {
  FirmwareVersion,
  FirmwareVersionDiff,
  FirmwareVersionListItem,
} from '@plimsoll/api-client'
import css from './version-page.module.css'

export type DiffedFinding = FirmwareVersionDiff['fixed']['findings'][number]

export interface Differences {
  fixed: readonly DiffedFinding[]
  introduced: readonly DiffedFinding[]
  /** In both versions, but in one of them assessed or ignored: neither fixed nor new. */
  decidedOtherwise: readonly DiffedFinding[]
  remaining: readonly DiffedFinding[]
}

export function splitDifferences({
  fixed,
  introduced,
  remaining,
}: Pick<FirmwareVersionDiff, 'fixed' | 'introduced' | 'remaining'>): Differences {
  const isInBoth = ({ finding, baseFinding }: DiffedFinding) =>
    finding !== null && baseFinding !== null
  return {
    fixed: fixed.findings.filter((one) => !isInBoth(one)),
    introduced: introduced.findings.filter((one) => !isInBoth(one)),
    decidedOtherwise: [...introduced.findings, ...fixed.findings].filter(isInBoth),
    remaining: remaining.findings,
  }
}

/** What the bar and the line beside it count, in this order. */
export function listDiffCounts(all: Differences): { name: string; count: number; css: string }[] {
  return [
    { name: 'fixed', count: all.fixed.length, css: 'fixed' },
    { name: 'new', count: all.introduced.length, css: 'introduced' },
    { name: 'decided otherwise', count: all.decidedOtherwise.length, css: 'decided' },
    { name: 'unchanged', count: all.remaining.length, css: 'remaining' },
  ]
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

export function DiffBar({ differences }: { differences: Differences }) {
  const counts = listDiffCounts(differences)
  const total = Math.max(
    1,
    counts.reduce((sum, { count }) => sum + count, 0),
  )
  return (
    <div className={css['bar']} aria-hidden="true">
      {counts.map(({ name, count, css: look }) => (
        <i key={name} className={css[look]} style={{ width: `${(count / total) * 100}%` }} />
      ))}
    </div>
  )
}
