/** Components in a document without a browser: their logic, not how they look. */
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { afterEach } from 'vitest'

/** Of what jsdom lacks, what Mantine asks for: a screen without preferences. */
window.matchMedia = (media) =>
  Object.assign(new EventTarget(), {
    media,
    matches: false,
    onchange: null,
    addListener: () => undefined,
    removeListener: () => undefined,
  })

// It does so by itself only where the test functions are global.
afterEach(cleanup)

/** Draws it as the portal does, without motion, and answers a person who clicks and types. */
export function show(children: ReactNode) {
  const queryClient = new QueryClient({ defaultOptions: { mutations: { retry: false } } })
  const drawn = render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </MantineProvider>,
  )
  return { ...drawn, person: userEvent.setup() }
}
