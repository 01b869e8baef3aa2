import { Link } from '@tanstack/react-router'
import { formatCount } from '../format/counts.ts'
import { useWorkspaceId } from '../session.ts'
import { SEVERITIES, type Severity, SeverityBadge } from './severity.tsx'
import css from './severity-counts.module.css'

const SHOWN = SEVERITIES.slice(0, 4)

/** What stands in place of counts that nobody has: a zero would say that somebody looked. */
export const NOT_COUNTED = 'not known'

export interface SeverityCountsProps {
  /** Whose active findings they are; undefined: no list has just these. */
  versionId: string | undefined
  counts: readonly { severity: Severity; count: number }[]
}

/** "C 6 H 41 M 131 L 29", each leading to its list; faint where there is none. */
export function SeverityCounts({ versionId, counts }: SeverityCountsProps) {
  const workspaceId = useWorkspaceId()
  return (
    <span className={css['counts']}>
      {SHOWN.map((severity) => {
        const count = counts.find((one) => one.severity === severity)?.count ?? 0
        const text = (
          <>
            <SeverityBadge severity={severity} />
            {formatCount(count)}
          </>
        )
        return count === 0 || versionId === undefined ? (
          <span key={severity} className={count === 0 ? css['none'] : undefined}>
            {text}
          </span>
        ) : (
          <Link
            key={severity}
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId }}
            search={{ severity }}
          >
            {text}
          </Link>
        )
      })}
    </span>
  )
}
