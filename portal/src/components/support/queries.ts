import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const supportQuery = (workspaceId: string, firmwareVersionId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'support', firmwareVersionId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/support', {
        params: { workspaceId, firmwareVersionId },
      }),
  })
