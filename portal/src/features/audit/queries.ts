import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { AuditFilter } from './audit-filters.ts'

const PAGE = 100

export const auditLogQuery = (workspaceId: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', workspaceId, filter],
    queryFn: ({ pageParam: cursor }) =>
      api.get('/workspaces/{workspaceId}/audit-log', {
        params: { workspaceId },
        query: { ...filter, limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // What was done before does not change; the page says when there is more.
    staleTime: Infinity,
    gcTime: 0,
  })

/** The newest: the service says when there are others. */
export const newestQuery = (workspaceId: string, filter: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', workspaceId, 'newest', filter],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/audit-log', {
        params: { workspaceId },
        query: { ...filter, limit: 20 },
      }),
  })

export const auditCountsQuery = (workspaceId: string, filter: AuditFilter) =>
  queryOptions({
    queryKey: ['audit', workspaceId, 'counts', filter],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/audit-log/counts', {
        params: { workspaceId },
        query: filter,
      }),
    placeholderData: keepPreviousData,
  })

export const auditEntryQuery = (workspaceId: string, auditEntryId: string) =>
  queryOptions({
    queryKey: ['audit-log', workspaceId, 'entry', auditEntryId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/audit-log/{auditEntryId}', {
        params: { workspaceId, auditEntryId },
      }),
    staleTime: Infinity,
  })

/** What each finding of a command had before, and has since. */
export const decidedFindingsQuery = (workspaceId: string, decisionBatchId: string) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', workspaceId, 'decided', decisionBatchId],
    queryFn: ({ pageParam: cursor }) =>
      api.get('/workspaces/{workspaceId}/decision-batches/{decisionBatchId}/findings', {
        params: { workspaceId, decisionBatchId },
        query: { limit: PAGE, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Infinity,
  })

/** What has the name, to choose what entries are about. */
export const namedQuery = (workspaceId: string, q: string) =>
  queryOptions({
    queryKey: ['search', workspaceId, q],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/search', {
        params: { workspaceId },
        query: { q, limit: '20' },
      }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
