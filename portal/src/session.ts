/** Who is signed in, and where: what every page asks. */
import type { MyWorkspace } from '@plimsoll/api-client'
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api } from './api.ts'

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => api.get('/me', {}),
  staleTime: 5 * 60_000,
})

export const workspacesQuery = queryOptions({
  queryKey: ['me', 'workspaces'],
  queryFn: () => api.get('/me/workspaces', {}),
  staleTime: 60_000,
})

/** Which ways in there are, and whether the service sends mail. */
export const optionsQuery = queryOptions({
  queryKey: ['sign-in-options'],
  queryFn: () => api.get('/auth/options', {}),
  staleTime: Infinity,
})

/** The workspace in the page's address. */
export function useWorkspaceId(): string {
  return useParams({ from: '/w/$workspaceId' }).workspaceId
}

export function useWorkspace(): MyWorkspace | undefined {
  const id = useWorkspaceId()
  return useSuspenseQuery(workspacesQuery).data.find((workspace) => workspace.id === id)
}

/** Whether the person may do what needs a scope; pages hide acts that the service would refuse. */
export function useMay(scope: string): boolean {
  return useWorkspace()?.scopes.some((one) => one === scope) ?? false
}
