/** The workspace, which all of its pages stand in. */
import { createRoute, retainSearchParams } from '@tanstack/react-router'
import { NoPage } from './features/shell/no-page.tsx'
import { Shell } from './features/shell/shell.tsx'
import { root } from './outer-routes.tsx'
import * as searches from './searches.ts'
import { meQuery, workspacesQuery } from './session.ts'

export const workspace = createRoute({
  getParentRoute: () => root,
  path: '/w/$workspaceId',
  validateSearch: searches.WORKSPACE.parse,
  // Every link from a past day keeps the day; a page without a past says that it shows now.
  search: { middlewares: [retainSearchParams(['asOf'])] },
  beforeLoad: async ({ context: { queryClient } }) => {
    await Promise.all([
      queryClient.ensureQueryData(meQuery),
      queryClient.ensureQueryData(workspacesQuery),
    ])
  },
  component: Shell,
  notFoundComponent: NoPage,
})
