/** The router over the pages: what it shows while they come, and what it asks before. */
import type { QueryClient } from '@tanstack/react-query'
import { type AnyRoute, createRouter } from '@tanstack/react-router'
import { Failure, Loading } from './components/states.tsx'
import { routeTree } from './routes.tsx'
import { workspace } from './workspace-route.ts'
import { createScrollRestoration } from './scroll-restoration.ts'
import * as searches from './searches.ts'
import { meQuery, workspacesQuery } from './session.ts'

/** Before the pages are drawn for the first time, which takes a tenth of a second. */
function askWhoIsSignedIn(queryClient: QueryClient): void {
  void queryClient.prefetchQuery(meQuery)
  void queryClient.prefetchQuery(workspacesQuery)
}

export function createPortalRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Loading />,
    defaultErrorComponent: ({ error, reset }) => <Failure isPage error={error} onRetry={reset} />,
    parseSearch: searches.readSearch,
    stringifySearch: searches.writeSearch,
    scrollRestoration: createScrollRestoration(),
  })
  // The scripts of the page come while the service is asked who is signed in.
  const routes: Partial<Record<string, AnyRoute>> = router.routesById
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const route = routes[String(routeId)]
    if (route) void router.loadRouteChunk(route)
    if (routeId === workspace.id) askWhoIsSignedIn(queryClient)
  }
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPortalRouter>
  }
}
