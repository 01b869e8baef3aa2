/** From entry to entry by keys, and the focus that follows. */
import type { AuditLogEntry } from '@plimsoll/api-client'
import { useEffect } from 'react'
import { useKeys } from '../../components/keyboard.ts'
import { nameRow } from './entry-list.tsx'
import type { Log } from './use-log.ts'

export function useWalk({ at, change, list }: Log, shown: readonly AuditLogEntry[]) {
  const step = (by: 1 | -1) => {
    const wanted = at === undefined ? 0 : shown.findIndex(({ id }) => id === at) + by
    const last = shown.length - 1
    if (wanted >= last && list.hasNextPage && !list.isFetching) void list.fetchNextPage()
    const next = shown[Math.min(Math.max(wanted, 0), last)]
    if (next) change({ at: next.id })
  }
  const close = () => {
    if (at === undefined) return false
    change({ at: undefined })
    // Where one was; on narrow screens the list comes back first.
    requestAnimationFrame(() => document.getElementById(nameRow(at))?.focus())
    return true
  }
  useKeys([
    ['j', () => step(1)],
    ['k', () => step(-1)],
    ['Escape', close],
  ])
  useRowFocus(at)
  return { step, close }
}

/** The row of the entry that is open is in sight, and has the focus if a row had it. */
function useRowFocus(at: string | undefined): void {
  useEffect(() => {
    const row = at === undefined ? null : document.getElementById(nameRow(at))
    row?.closest('li')?.scrollIntoView({ block: 'nearest' })
    const focused = document.activeElement
    const isFree = focused === document.body || focused?.id.startsWith(nameRow('')) === true
    if (isFree) row?.focus({ preventScroll: true })
  }, [at])
}
