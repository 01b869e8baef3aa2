import { useSyncExternalStore } from 'react'

const paper = globalThis.matchMedia?.('print')

/** Whether the page is being put on paper, where a list has all rows that are here. */
export function useIsPrinting(): boolean {
  return useSyncExternalStore(subscribe, () => paper.matches)
}

function subscribe(onChange: () => void): () => void {
  paper.addEventListener('change', onChange)
  return () => paper.removeEventListener('change', onChange)
}
