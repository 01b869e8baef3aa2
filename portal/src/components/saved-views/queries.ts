import type { SavedView } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export type ViewedList = SavedView['list']

/** One's own and those that others share, by name. */
export const savedViewsQuery = (workspaceId: string, list: ViewedList) =>
  queryOptions({
    queryKey: ['saved-views', workspaceId, list],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/saved-views', {
        params: { workspaceId },
        query: { list },
      }),
  })

/** At its own address, as the list has no entity tags. */
export const savedViewQuery = (workspaceId: string, savedViewId: string) =>
  queryOptions({
    queryKey: ['saved-views', workspaceId, 'one', savedViewId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/saved-views/{savedViewId}', {
        params: { workspaceId, savedViewId },
      }),
    gcTime: 0,
    staleTime: Infinity,
  })

/** What no view keeps of an address: the row that is open, and a past day. */
const PASSING = ['at', 'asOf']

export function pickViewed(search: string): string {
  const params = new URLSearchParams(search)
  for (const name of PASSING) params.delete(name)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}
