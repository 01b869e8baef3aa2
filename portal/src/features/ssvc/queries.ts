import type { SsvcStated } from '@plimsoll/api-client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const treesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ssvc', workspaceId, 'trees'],
    queryFn: () => api.get('/workspaces/{workspaceId}/ssvc/trees', { params: { workspaceId } }),
  })

/** What other settings would change. */
export const previewQuery = (workspaceId: string, body: SsvcStated) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'ssvc-preview', body],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/ssvc/preview', { params: { workspaceId }, body }),
    staleTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  })
