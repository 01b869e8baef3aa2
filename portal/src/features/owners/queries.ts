import type { BodyOf } from '@plimsoll/api-client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export type StatedOwners = BodyOf<'replaceOwnerRules'>

/** How many active findings each owner has. */
export const ownerCountsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'owner-counts'],
    queryFn: () => api.get('/workspaces/{workspaceId}/owners', { params: { workspaceId } }),
  })

/** How many each would have by other teams and rules. */
export const ownersPreviewQuery = (workspaceId: string, body: StatedOwners) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'owners-preview', body],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/owner-rules/preview', { params: { workspaceId }, body }),
    staleTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  })
