/** The state of the findings page: the list that the address asks for, its selection, and the row that is open. */
import type { WorkspaceFindingFilter } from '@plimsoll/api-client'
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { useSelection } from '../../components/selection.ts'
import type { FindingsSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { readFilter, readGroup, readGrouping } from './finding-filters.ts'
import { countsQuery, listQuery } from './queries.ts'

export function useFindings(opensFirst: boolean) {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/findings' })
  const navigate = useNavigate({ from: '/w/$workspaceId/findings' })
  const [today] = useState(() => new Date())
  const allFilter = useMemo(() => readFilter(search, today), [search, today])
  const outcomes = useOutcomes(search, allFilter)
  const { opened } = outcomes
  const filter = useMemo(
    () => (opened === undefined ? allFilter : { ...allFilter, ssvcOutcomes: [opened] }),
    [allFilter, opened],
  )
  const group = readGroup(search)
  const list = useInfiniteQuery({
    ...listQuery(workspaceId, filter, search),
    enabled: !outcomes.isPending,
  })
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.rows) ?? [], [list.data])
  const keys = useMemo(() => rows.map(({ key }) => key), [rows])
  const selection = useSelection(keys, JSON.stringify([group, filter]))
  const [ahead, setAhead] = useState<{ at: string | undefined }>()
  const change = (next: FindingsSearch) => {
    if ('at' in next) setAhead({ at: next.at })
    void navigate({ search: (last) => ({ ...last, ...next }), replace: true })
  }
  // The address follows a moment later, and the next key is for the row that was asked for.
  if (ahead && ahead.at === search.at) setAhead(undefined)
  const at = (ahead ?? search).at ?? (opensFirst ? keys[0] : undefined)
  const index = at === undefined ? -1 : keys.indexOf(at)
  const lastIndex = useLast(index)
  const open = (wanted: number) => {
    const key = keys[Math.min(Math.max(wanted, 0), keys.length - 1)]
    if (key !== undefined) change({ at: key })
  }
  /** The row below; where the open one left the list, the one that took its place. */
  const openNext = () => open(index < 0 ? lastIndex : index + 1)
  return {
    search,
    filter,
    allFilter,
    outcomes,
    group,
    list,
    rows,
    selection,
    change,
    at,
    index,
    open,
    openNext,
    total: list.data?.pages[0],
  }
}

/** How many findings each outcome of SSVC has, the most urgent first, and whose are listed: of the first that has any. */
function useOutcomes(search: FindingsSearch, filter: WorkspaceFindingFilter) {
  const workspaceId = useWorkspaceId()
  const isGrouped = readGrouping(search) === 'outcome'
  const asked = { filter, group: readGroup(search), chips: ['bySsvcOutcome'] as const }
  const { data, error, refetch } = useQuery({
    ...countsQuery(workspaceId, asked),
    enabled: isGrouped,
    placeholderData: keepPreviousData,
  })
  if (!isGrouped) return { isPending: false, counts: [], opened: undefined, error: null, refetch }
  const counts = data?.bySsvcOutcome ?? []
  const chosen =
    counts.find(({ outcome }) => outcome === search.outcome) ??
    counts.find(({ totalCount }) => totalCount > 0) ??
    counts.at(-1)
  return {
    isPending: chosen === undefined,
    counts,
    opened: chosen?.outcome,
    error: findBlockingError({ data, error }),
    refetch,
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
