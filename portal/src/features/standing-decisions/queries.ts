import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const standingDecisionsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'standing-decisions'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/standing-decisions', { params: { workspaceId } }),
  })
