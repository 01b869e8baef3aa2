/** Which rows of a list are selected: some of those that are loaded, or all that the filter has. */
import { useState } from 'react'

export interface ListTotal {
  totalCount: number
  totalCountIsLowerBound: boolean
}

export interface Selection {
  /** Keys of the selected rows; empty while all are selected. */
  keys: ReadonlySet<string>
  /** All rows that the filter has, also those that are not loaded. */
  isAll: boolean
  isEmpty: boolean
  /** How many rows are loaded. */
  loadedCount: number
  has: (key: string) => boolean
  /** With `isRange`, also all rows between the one toggled before and this one. */
  toggle: (key: string, isRange?: boolean) => void
  /** All rows that are loaded, or none. */
  toggleLoaded: () => void
  /** `total`: how many they are for whoever selects them. */
  selectAll: (total: ListTotal) => void
  /** While all are selected: how many they were then. */
  allTotal: ListTotal | undefined
  clear: () => void
}

interface State {
  of: string
  keys: ReadonlySet<string>
  isAll: boolean
  last: string | undefined
  allTotal?: ListTotal | undefined
}

const noneOf = (of: string): State => ({ of, keys: new Set(), isAll: false, last: undefined })

/** `order` has the keys of the loaded rows. A selection ends when the list is of something else (`of`). */
export function useSelection(order: readonly string[], of: string): Selection {
  const [state, setState] = useState(() => noneOf(of))
  const now = state.of === of ? state : noneOf(of)
  // Rows that left the list are selected no more.
  const keys = new Set(order.filter((key) => now.keys.has(key)))
  const set = (changes: Partial<State>) =>
    setState({ ...now, isAll: false, allTotal: undefined, ...changes })
  return {
    keys,
    isAll: now.isAll,
    isEmpty: !now.isAll && keys.size === 0,
    loadedCount: order.length,
    has: (key) => now.isAll || keys.has(key),
    toggle: (key, isRange = false) => {
      const current = now.isAll ? new Set(order) : keys
      const changed = isRange ? between(order, now.last ?? key, key) : [key]
      set({ keys: toggled(current, changed, !current.has(key)), last: key })
    },
    toggleLoaded: () =>
      set({ keys: now.isAll || keys.size === order.length ? new Set() : new Set(order) }),
    selectAll: (allTotal) => set({ keys: new Set(), isAll: true, allTotal }),
    allTotal: now.allTotal,
    clear: () => set(noneOf(of)),
  }
}

function toggled(keys: ReadonlySet<string>, changed: readonly string[], isOn: boolean) {
  return isOn
    ? new Set([...keys, ...changed])
    : new Set([...keys].filter((key) => !changed.includes(key)))
}

function between(order: readonly string[], from: string, to: string): readonly string[] {
  const [first = 0, last = 0] = [order.indexOf(from), order.indexOf(to)].toSorted((a, b) => a - b)
  return order.slice(Math.max(first, 0), last + 1)
}
