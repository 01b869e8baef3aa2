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

export const deviceIssuersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['device-issuers', workspaceId],
    queryFn: () => api.get('/workspaces/{workspaceId}/device-issuers', { params: { workspaceId } }),
  })

/** At its own address, as the list has no entity tags. */
export const memberQuery = (workspaceId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['members', workspaceId, 'one', subjectId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/members/{subjectId}', {
        params: { workspaceId, subjectId },
      }),
    gcTime: 0,
  })

/** What a member looks after, in counts. */
export const memberDutiesQuery = (workspaceId: string, subjectId: string) =>
  queryOptions({
    queryKey: ['members', workspaceId, 'duties', subjectId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/members/{subjectId}/duties', {
        params: { workspaceId, subjectId },
      }),
  })

export const trustedKeysQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['trusted-keys', workspaceId],
    queryFn: () => api.get('/workspaces/{workspaceId}/trusted-keys', { params: { workspaceId } }),
  })

export const trustedKeyQuery = (workspaceId: string, trustedKeyId: string) =>
  queryOptions({
    queryKey: ['trusted-keys', workspaceId, trustedKeyId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/trusted-keys/{trustedKeyId}', {
        params: { workspaceId, trustedKeyId },
      }),
  })

/** What a key alone verifies; counted anew each time it is asked. */
export const keyProofsQuery = (workspaceId: string, trustedKeyId: string) =>
  queryOptions({
    queryKey: ['trusted-keys', workspaceId, trustedKeyId, 'proofs'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/trusted-keys/{trustedKeyId}/proofs', {
        params: { workspaceId, trustedKeyId },
      }),
    retry: false,
    gcTime: 0,
  })
