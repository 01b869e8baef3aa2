import { ApiProblem } from '@plimsoll/api-client'
import { QueryCache, QueryClient, replaceEqualDeep } from '@tanstack/react-query'
import { api } from './api.ts'

const RETRIES = 2

/** Calls `onSignedOut` when an answer says that there is no session any more. */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiProblem && error.problem.status === 401) onSignedOut()
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        // The entity tag of an answer belongs to the answer itself, so no copy takes its place.
        structuralSharing: (before, now) =>
          api.hasEntityTag(now) ? now : replaceEqualDeep(before, now),
        retry: (count, error) => count < RETRIES && isPassing(error),
      },
    },
  })
}

/** Whether the same request may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return true
  return error.problem.status === 429 || error.problem.status >= 500
}
