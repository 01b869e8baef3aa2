import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

/** Which of our versions hold the fix, and who can take them. */
export const fixesQuery = (workspaceId: string, cveId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'fixes', cveId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerabilities/{cveId}/fixes', {
        params: { workspaceId, cveId },
      }),
  })
