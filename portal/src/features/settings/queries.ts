import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'
import type { AuditFilter } from './audit-filters.ts'

export const invitationsQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['members', workspaceId, 'invitations'],
    queryFn: () => api.get('/workspaces/{workspaceId}/invitations', { params: { workspaceId } }),
  })

export const rolesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['roles', workspaceId],
    queryFn: () => api.get('/workspaces/{workspaceId}/roles', { params: { workspaceId } }),
    staleTime: Infinity,
  })

export const apiKeysQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['api-keys', workspaceId],
    queryFn: () => api.get('/workspaces/{workspaceId}/api-keys', { params: { workspaceId } }),
  })

export const auditLogQuery = (workspaceId: string, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-log', workspaceId, filter],
    queryFn: ({ pageParam: cursor }) =>
      api.get('/workspaces/{workspaceId}/audit-log', {
        params: { workspaceId },
        query: { ...filter, limit: 100, ...(cursor !== '' && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
