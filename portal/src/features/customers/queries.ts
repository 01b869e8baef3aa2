/** What the pages of customers ask. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

export const customersQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['customers', workspaceId, 'list'],
    queryFn: () => api.get('/workspaces/{workspaceId}/customers', { params: { workspaceId } }),
  })

export const customerQuery = (workspaceId: string, customerId: string) =>
  queryOptions({
    queryKey: ['customers', workspaceId, 'one', customerId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/customers/{customerId}', {
        params: { workspaceId, customerId },
      }),
  })

export const customerLinksQuery = (workspaceId: string, customerId: string) =>
  queryOptions({
    queryKey: ['customers', workspaceId, 'links', customerId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/customers/{customerId}/links', {
        params: { workspaceId, customerId },
      }),
  })

export const standingAddressesQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['customers', workspaceId, 'addresses'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/standing-addresses', { params: { workspaceId } }),
  })
