import { Link } from '@tanstack/react-router'
import { formatCount, formatCountOf } from '../format/counts.ts'
import { useWorkspaceId } from '../session.ts'

export interface DevicesLinkProps {
  /** Which devices are counted: those that run a version, or a version in which a vulnerability is active, or those of a cohort. */
  of:
    | { version: string }
    | { firmware: string }
    | { cohort: string }
    | { cve: string }
    | { show: 'vulnerable' | 'exploited' | 'unjudged' }
    | Record<string, never>
  count: number
  /** The number alone, where the head of a column says what is counted. */
  isBare?: boolean
}

/** "1,204 devices", which leads to the list of them. */
export function DevicesLink({ of, count, isBare = false }: DevicesLinkProps) {
  const workspaceId = useWorkspaceId()
  const text = isBare ? formatCount(count) : formatCountOf(count, 'device')
  if (count === 0) return <>{text}</>
  return (
    <Link
      to="/w/$workspaceId/devices"
      params={{ workspaceId }}
      search={of}
      // It also stands in rows that lead elsewhere.
      onClick={(event) => event.stopPropagation()}
    >
      {text}
    </Link>
  )
}
