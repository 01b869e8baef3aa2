/** The log that the address asks for, and the entry that is open. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import type { AuditSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { readFilter } from './audit-filters.ts'
import { auditLogQuery } from './queries.ts'

export function useLog() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/settings/audit-log' })
  const navigate = useNavigate({ from: '/w/$workspaceId/settings/audit-log' })
  const [now] = useState(() => new Date())
  const filter = useMemo(() => readFilter(search, now), [search, now])
  const list = useInfiniteQuery(auditLogQuery(workspaceId, filter))
  const entries = useMemo(() => list.data?.pages.flatMap((page) => page.entries) ?? [], [list.data])
  const [ahead, setAhead] = useState<{ at: string | undefined }>()
  const change = (next: AuditSearch) => {
    // An entry is open as long as the list may have it.
    const changed = 'at' in next ? next : { ...next, at: undefined }
    setAhead({ at: changed.at })
    void navigate({ search: (last) => ({ ...last, ...changed }), replace: true })
  }
  // The address follows a moment later, and the next key is for the entry that was asked for.
  if (ahead && ahead.at === search.at) setAhead(undefined)
  return { search, filter, list, entries, change, at: (ahead ?? search).at }
}

export type Log = ReturnType<typeof useLog>
