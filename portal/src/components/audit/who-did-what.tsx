/** What was last done with the thing that a page is about, from the audit log: loaded when it is shown. */
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useWorkspaceId } from '../../session.ts'
import { findAuditLog } from '../addresses.ts'
import { Panel } from '../panel.tsx'
import { Loading } from '../states.tsx'

const RecentList = lazy(() => import('./recent-acts.tsx'))

/** `subject`: as the audit log names it, `device:pump-1`. */
export function WhoDidWhat({ subject }: { subject: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Panel
      title="Who did what"
      note="newest first"
      aside={<Link {...findAuditLog(workspaceId, subject)}>All entries</Link>}
    >
      <RecentActs subject={subject} />
    </Panel>
  )
}

export function RecentActs({ subject }: { subject: string }) {
  return (
    <Suspense fallback={<Loading rows={3} />}>
      <RecentList subject={subject} />
    </Suspense>
  )
}
