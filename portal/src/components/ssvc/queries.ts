import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

/** What SSVC decides by: the tree that holds, and its outcomes. */
export const ssvcQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['ssvc', workspaceId],
    queryFn: () => api.get('/workspaces/{workspaceId}/ssvc', { params: { workspaceId } }),
  })
