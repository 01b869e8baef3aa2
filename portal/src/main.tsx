import '@fontsource-variable/inter'
import '@fontsource-variable/jetbrains-mono'
import './mantine.css'
import './theme/tokens.css'
import './theme/base.css'
import './theme/print.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueryClient } from './query-client.ts'
import { createPortalRouter } from './router.tsx'
import { cssVariablesResolver, theme } from './theme/theme.ts'

/** The nonce of the policy that the page was served with. Styles that scripts make need it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
setNonce(nonce)

const queryClient = createQueryClient(() => {
  if (!isOutside()) void router.navigate(signIn())
})
const router = createPortalRouter(queryClient)

/** Pages that ask whether somebody is signed in, and work without. */
function isOutside(): boolean {
  return ['/sign-in', '/link', '/forgotten-password'].includes(router.state.location.pathname)
}

function signIn() {
  const { href } = router.state.location
  return { to: '/sign-in', search: { returnTo: href } } as const
}

/** Where a newer build has taken the place of the files of this page: the same address, with that build. Once for each file. */
window.addEventListener('vite:preloadError', ({ payload }) => {
  const key = `plimsoll.reloaded:${payload.message}`
  if (sessionStorage.getItem(key) !== null) return
  sessionStorage.setItem(key, '1')
  window.location.reload()
})

const root = document.querySelector('#root')
if (!root) throw new Error('The page has no root element')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
