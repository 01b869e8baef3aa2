import type { AnswerOf } from '@plimsoll/api-client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export type Overview = AnswerOf<'getOverview'>
export type Need = Overview['needsYou'][number]
export type Exposure = AnswerOf<'getExposure'>

export const exposureQuery = (workspaceId: string, days: number) =>
  queryOptions({
    queryKey: ['exposure', workspaceId, days],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/exposure', {
        params: { workspaceId },
        query: { days: String(days) },
      }),
    placeholderData: keepPreviousData,
  })
