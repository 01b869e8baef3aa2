import { useSyncExternalStore } from 'react'

const paper = globalThis.matchMedia?.('print')
let isPrinting = paper?.matches ?? false
const listeners = new Set<() => void>()

// `paper.matches` is read once: Chromium drops the event of a change that somebody has read before it.
paper?.addEventListener('change', ({ matches }) => {
  isPrinting = matches
  for (const listener of listeners) listener()
})

/** Whether the page is being put on paper, where a list has all rows that are here. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(subscribe, () => isPrinting)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
