/** News of the service: which queries are stale. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useWorkspaceId } from '../../session.ts'

interface News {
  topic: string
}

/**
 * Listens to the workspace's events and marks the queries they speak of as stale; a query's key is
 * `[topic, workspaceId, …]`. Returns since when there is no connection, or undefined while there is one.
 */
export function useEventStream({ isLocked }: { isLocked: boolean }): number | undefined {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [silentSince, setSilentSince] = useState<number>()
  useEffect(() => {
    if (isLocked) return undefined
    const events = new EventSource(`/workspaces/${workspaceId}/events`)
    events.addEventListener('open', () => setSilentSince(undefined))
    events.addEventListener('error', () => setSilentSince((since) => since ?? Date.now()))
    events.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const { topic } = JSON.parse(data) as News
      void queryClient.invalidateQueries({ queryKey: [topic, workspaceId] })
    })
    return () => events.close()
  }, [workspaceId, queryClient, isLocked])
  return silentSince
}
