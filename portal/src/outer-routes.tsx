/** The pages outside of a workspace: where one begins, signs in, and lets a terminal act. */
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent as lazy,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { Empty } from './components/states.tsx'
import { meQuery, workspacesQuery } from './session.ts'
import { isStart, STARTS } from './starts.ts'

export const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: () => (
    <Empty isPage title="There is no such page">
      Check the address, or start at the overview.
    </Empty>
  ),
})

export const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (search): { to?: string; part?: string } => search,
  beforeLoad: async ({
    context: { queryClient },
    search: { to, part = 'workspace', ...search },
  }) => {
    const workspaces = await queryClient.ensureQueryData(workspacesQuery)
    const [first] = workspaces
    if (!first) return
    const page = STARTS[isStart(to) ? to : 'overview']
    redirect({ to: page, params: { workspaceId: first.id, part }, search, throw: true })
  },
  component: () => (
    <Empty isPage title="You are in no workspace yet">
      Ask an owner for an invitation, or the operator of this service for a workspace.
    </Empty>
  ),
})

export const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search): { returnTo?: string; error?: string; step?: string } => search,
  component: lazy(() => import('./features/sign-in/sign-in-page.tsx'), 'SignInPage'),
})
export const link = createRoute({
  getParentRoute: () => root,
  path: '/link',
  component: lazy(() => import('./features/sign-in/link-page.tsx'), 'LinkPage'),
})
export const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgotten-password',
  component: lazy(() => import('./features/sign-in/forgotten-page.tsx'), 'ForgottenPage'),
})

export const terminal = createRoute({
  getParentRoute: () => root,
  path: '/terminal',
  validateSearch: (search): { code?: string } => search,
  beforeLoad: async ({ context: { queryClient } }) => {
    await Promise.all([
      queryClient.ensureQueryData(meQuery),
      queryClient.ensureQueryData(workspacesQuery),
    ])
  },
  component: lazy(() => import('./features/sign-in/terminal-page.tsx'), 'TerminalPage'),
})
