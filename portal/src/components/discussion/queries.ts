import type { WorkspaceFindingFilter } from '@plimsoll/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

/** Under `findings`, as the service announces what changes of them so. */
export const assignmentQuery = (workspaceId: string, cveId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'assignee', cveId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/vulnerabilities/{cveId}/assignee', {
        params: { workspaceId, cveId },
      }),
  })

const PAGE = 50

/** Newest first. */
export const commentsQuery = (workspaceId: string, cveId: string) =>
  infiniteQueryOptions({
    queryKey: ['findings', workspaceId, 'comments', cveId],
    queryFn: ({ pageParam }) =>
      api.get('/workspaces/{workspaceId}/vulnerabilities/{cveId}/comments', {
        params: { workspaceId, cveId },
        query: { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })

/** Either of both. */
export interface AssignTarget {
  cveIds?: string[]
  filter?: WorkspaceFindingFilter
}

export interface AssignButtonProps {
  targets: readonly AssignTarget[]
  onSent: () => void
}
