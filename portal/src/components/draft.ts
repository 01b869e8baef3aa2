/** Texts that are kept for the session while one looks elsewhere, as nobody wants to be asked at each row of a list. */
import { useSyncExternalStore } from 'react'

const PREFIX = 'plimsoll.draft.'
const readers = new Set<() => void>()

/** The text kept for `about`, undefined if there is none, and what keeps it; it may be called after the page is left. */
export function useDraft(about: string) {
  const key = PREFIX + about
  const text = useSyncExternalStore(subscribe, () => sessionStorage.getItem(key)) ?? undefined
  return [text, (next: string | undefined) => keep(key, next)] as const
}

export const readDraft = (about: string) => sessionStorage.getItem(PREFIX + about) ?? undefined

function keep(key: string, text: string | undefined): void {
  if (text === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, text)
  for (const read of readers) read()
}

export const hasDrafts = () => Object.keys(sessionStorage).some((key) => key.startsWith(PREFIX))

function subscribe(read: () => void) {
  readers.add(read)
  return () => void readers.delete(read)
}
