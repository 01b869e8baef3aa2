import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

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

/** The accepted risks that hold and that a member looks after; only how many they are is read. */
export const ownedAcceptancesQuery = (workspaceId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['findings', workspaceId, 'acceptances', 'owned', subjectId],
    queryFn: () =>
      api.post('/workspaces/{workspaceId}/acceptances/list', {
        params: { workspaceId },
        body: { limit: 1, filter: { ownerIds: [subjectId] } },
      }),
  })
