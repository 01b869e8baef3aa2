/** The state of the findings page: the list that the address asks for, and the row that is open. */
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useWorkspaceId } from '../../session.ts'
import { filterOf, type FindingsSearch, sortOf } from './finding-filters.ts'
import { vulnerabilitiesQuery } from './queries.ts'

export function useFindings(opensFirst: boolean) {
  const workspaceId = useWorkspaceId()
  const search: FindingsSearch = useSearch({ from: '/w/$workspaceId/findings' })
  const navigate = useNavigate({ from: '/w/$workspaceId/findings' })
  const [today] = useState(() => new Date())
  const filter = useMemo(() => filterOf(search, today), [search, today])
  const list = useInfiniteQuery(vulnerabilitiesQuery(workspaceId, filter, sortOf(search)))
  const rows = useMemo(
    () => list.data?.pages.flatMap((page) => page.vulnerabilities) ?? [],
    [list.data],
  )
  const change = (next: FindingsSearch) =>
    void navigate({ search: { ...search, ...next } as Record<string, string>, replace: true })
  const at = search.at ?? (opensFirst ? rows[0]?.cveId : undefined)
  const index = rows.findIndex(({ cveId }) => cveId === at)
  const lastIndex = useLast(index)
  const open = (wanted: number) => {
    const row = rows[Math.min(Math.max(wanted, 0), rows.length - 1)]
    if (row) change({ at: row.cveId })
  }
  /** The row below; where the open one left the list, the one that took its place. */
  const openNext = () => open(index < 0 ? lastIndex : index + 1)
  return {
    search,
    filter,
    list,
    rows,
    change,
    at,
    index,
    open,
    openNext,
    total: list.data?.pages[0],
  }
}

/** The newest index that was one. */
function useLast(index: number): number {
  const last = useRef(0)
  useEffect(() => {
    if (index >= 0) last.current = index
  }, [index])
  // eslint-disable-next-line react-hooks/refs -- read only when a key or a button asks for the next row
  return last.current
}

export type Findings = ReturnType<typeof useFindings>
