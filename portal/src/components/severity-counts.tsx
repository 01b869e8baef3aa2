import { formatCount } from '../format/counts.ts'
import { SEVERITIES, type Severity, SeverityBadge } from './severity.tsx'
import css from './severity-counts.module.css'

const SHOWN = SEVERITIES.slice(0, 4)

/** "C 6 H 41 M 131 L 29"; a dot where there is none. */
export function SeverityCounts({
  counts,
}: {
  counts: readonly { severity: Severity; count: number }[]
}) {
  return (
    <span className={css['counts']}>
      {SHOWN.map((severity) => {
        const count = counts.find((one) => one.severity === severity)?.count ?? 0
        return (
          <span key={severity} className={count === 0 ? css['none'] : undefined}>
            <SeverityBadge severity={severity} />
            {formatCount(count)}
          </span>
        )
      })}
    </span>
  )
}
