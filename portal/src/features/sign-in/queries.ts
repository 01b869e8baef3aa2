import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

/** What a one-time link is for. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: () => api.post('/auth/links/read', { body: { token } }),
    retry: false,
    staleTime: Infinity,
  })
