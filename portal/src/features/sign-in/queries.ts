import { queryOptions } from '@tanstack/react-query'
import { api } from '../../api.ts'

/** Which ways in there are. */
export const optionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => api.get('/auth/options', {}),
  staleTime: Infinity,
})

/** What a one-time link is for. */
export const linkQuery = (token: string) =>
  queryOptions({
    queryKey: ['link', token],
    queryFn: () => api.post('/auth/links/read', { body: { token } }),
    retry: false,
    staleTime: Infinity,
  })
