/** Which findings a version fixed, brought and kept, against another one. */
import type {
  FirmwareVersion,
  FirmwareVersionDiff,
  FirmwareVersionDiffCounts,
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

export type DiffCounts = Pick<FirmwareVersionDiffCounts, keyof Differences>

export function countDifferences(all: Differences): DiffCounts {
  const count = (findings: readonly DiffedFinding[]) => ({
    findingCount: findings.length,
    exploitedCount: findings.filter(({ isKnownCisaExploit }) => isKnownCisaExploit).length,
  })
  return {
    fixed: count(all.fixed),
    introduced: count(all.introduced),
    decidedOtherwise: count(all.decidedOtherwise),
    remaining: count(all.remaining),
  }
}

/** What the bar and the line beside it count, in this order. */
export function listDiffCounts(all: DiffCounts): { name: string; count: number; css: string }[] {
  return [
    { name: 'fixed', count: all.fixed.findingCount, css: 'fixed' },
    { name: 'new', count: all.introduced.findingCount, css: 'introduced' },
    { name: 'decided otherwise', count: all.decidedOtherwise.findingCount, css: 'decided' },
    { name: 'unchanged', count: all.remaining.findingCount, css: 'remaining' },
  ]
}

/** The stated predecessor, or the one created before it in its line; for the first of a line, in any. `versions` are newest first. */
export function findPredecessor(
  { predecessorId, line, createdAt }: FirmwareVersion,
  versions: readonly FirmwareVersionListItem[],
): FirmwareVersionListItem | undefined {
  const earlier = versions.filter((one) => one.createdAt < createdAt)
  return (
    versions.find(({ id }) => id === predecessorId) ??
    earlier.find((one) => one.line?.id === line?.id) ??
    earlier[0]
  )
}

export function DiffBar({ counted }: { counted: DiffCounts }) {
  const counts = listDiffCounts(counted)
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
