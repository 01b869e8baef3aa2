/** News of the service: which queries are stale. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useWorkspaceId } from '../../session.ts'
import { markSummariesStale } from '../../workspace-queries.ts'
import { listenToEvents } from './shared-events.ts'

/** Devices may say something each second; what sums them up is read again once in this time. */
const DEVICES_MS = 10_000

/**
 * Listens to the workspace's events while the tab is visible, and marks the queries they speak of as stale; a query's key is
 * `[topic, workspaceId, …]`. Returns since when there is no connection, or undefined while there is one.
 */
export function useEventStream({ isLocked }: { isLocked: boolean }): number | undefined {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [silentSince, setSilentSince] = useState<number>()
  useEffect(() => {
    if (isLocked) return undefined
    const summarise = () => markSummariesStale(queryClient, workspaceId)
    let summing: number | undefined
    const listener = {
      onTopic: (topic: string) => {
        void queryClient.invalidateQueries({ queryKey: [topic, workspaceId] })
        if (topic !== 'devices') return summarise()
        summing ??= window.setTimeout(() => {
          summing = undefined
          summarise()
        }, DEVICES_MS)
        return undefined
      },
      onGap: () =>
        void queryClient.invalidateQueries({
          predicate: ({ queryKey }) => queryKey[1] === workspaceId,
        }),
      onSilence: setSilentSince,
    }
    let listening: AbortController | undefined
    let wasHidden = false
    const follow = () => {
      if (document.visibilityState === 'hidden') {
        listening?.abort()
        listening = undefined
        wasHidden = true
      } else if (!listening) {
        if (wasHidden) listener.onGap()
        listening = new AbortController()
        listenToEvents(`/workspaces/${workspaceId}/events`, listener, listening.signal)
      }
    }
    follow()
    document.addEventListener('visibilitychange', follow)
    return () => {
      document.removeEventListener('visibilitychange', follow)
      listening?.abort()
      window.clearTimeout(summing)
    }
  }, [workspaceId, queryClient, isLocked])
  return silentSince
}
