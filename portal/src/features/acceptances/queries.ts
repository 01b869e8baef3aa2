import type { AcceptanceState } from '@plimsoll/api-client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

const MOST_ACCEPTANCES = 1_000

export const acceptancesQuery = (workspaceId: string, state: AcceptanceState | undefined) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'acceptances', state ?? 'all'],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/acceptances/list', {
        params: { workspaceId },
        body: { limit: MOST_ACCEPTANCES, ...(state && { filter: { states: [state] } }) },
      }),
  })
