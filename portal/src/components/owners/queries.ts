import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

/** The teams, and the rules that give findings to members and teams. */
export const ownerRulesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['owners', workspaceId, 'rules'],
    queryFn: () => api.get('/workspaces/{workspaceId}/owner-rules', { params: { workspaceId } }),
  })
