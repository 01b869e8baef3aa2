import { createContext, useContext } from 'react'

/** What the frame around the pages offers them. */
export interface ShellActions {
  openSearch: () => void
  openRail: () => void
  openKeys: () => void
  /** `undefined`: live. Else since when the page has had no news, in milliseconds since 1970. */
  silentSince: number | undefined
}

export const ShellContext = createContext<ShellActions | undefined>(undefined)

export function useShell(): ShellActions {
  const actions = useContext(ShellContext)
  if (!actions) throw new Error('This is outside of the shell')
  return actions
}
