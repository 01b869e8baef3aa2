/** Components in a document without a browser: their logic, not how they look. */
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { cleanup, render } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { onTestFinished } from 'vitest'
import { writeSearch } from '../src/searches.ts'

/** Of what jsdom lacks, what Mantine asks for: a screen without preferences. */
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: false,
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  })

/** Lists that open ask how large they are. */
window.ResizeObserver = class {
  observe = () => undefined
  unobserve = () => undefined
  disconnect = () => undefined
}

/** Fields that grow with their text wait for fonts. */
Object.defineProperty(document, 'fonts', { value: new EventTarget() })

/** Draws it for one test as the portal does, without motion, and answers a person who clicks and types. */
export function show(children: ReactNode) {
  onTestFinished(cleanup)
  const queryClient = new QueryClient({ defaultOptions: { mutations: { retry: false } } })
  const drawn = render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </MantineProvider>,
  )
  return { ...drawn, person: userEvent.setup() }
}

/** The same at an address in a workspace, for what has links. */
export async function showInWorkspace(children: ReactNode) {
  const root = createRootRoute()
  const workspace = createRoute({
    getParentRoute: () => root,
    path: '/w/$workspaceId',
    component: () => children,
  })
  const router = createRouter({
    routeTree: root.addChildren([workspace]),
    history: createMemoryHistory({ initialEntries: ['/w/one'] }),
    stringifySearch: writeSearch,
  })
  await router.load()
  return show(<RouterProvider router={router as never} />)
}
