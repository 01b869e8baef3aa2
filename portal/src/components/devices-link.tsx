import { Link } from '@tanstack/react-router'
import { formatCountOf } from '../format/counts.ts'
import { useWorkspaceId } from '../session.ts'

export interface DevicesLinkProps {
  /** Which devices are counted: those that run a version, or a version in which a vulnerability is active. */
  of: { version: string } | { cve: string } | { show: 'vulnerable' } | Record<string, never>
  count: number
}

/** "1,204 devices", which leads to the list of them. */
export function DevicesLink({ of, count }: DevicesLinkProps) {
  const workspaceId = useWorkspaceId()
  const text = formatCountOf(count, 'device')
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
