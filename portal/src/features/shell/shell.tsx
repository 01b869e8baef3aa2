/** The frame of a workspace's pages: rail, search, keys, live state. */
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { ShellContext } from '../../components/shell-context.ts'
import { useNews } from './news.ts'
import { Rail } from './rail.tsx'
import css from './shell.module.css'

/** Dialogs come when they are asked for: the first page does not carry them. */
const RailDrawer = lazy(() => import('./rail-drawer.tsx'))
const SearchDialog = lazy(() => import('./search-dialog.tsx'))
const KeysDialog = lazy(() => import('./keys-dialog.tsx'))

export function Shell() {
  const [isSearching, search] = useDisclosure(false)
  const [isRailOpen, rail] = useDisclosure(false)
  const [isShowingKeys, keys] = useDisclosure(false)
  const silentSince = useNews()
  useHotkeys([
    ['mod+K', search.open],
    ['/', search.open],
    ['shift+?', keys.open],
  ])
  return (
    <ShellContext
      value={{ openSearch: search.open, openRail: rail.open, openKeys: keys.open, silentSince }}
    >
      <a className={css['skip']} href="#page">
        Skip to the page
      </a>
      <div className={css['shell']}>
        <div className={css['rail']}>
          <Rail />
        </div>
        <main id="page" className={css['page']} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Suspense>
        {isRailOpen && <RailDrawer onClose={rail.close} />}
        {isSearching && <SearchDialog onClose={search.close} />}
        {isShowingKeys && <KeysDialog onClose={keys.close} />}
      </Suspense>
    </ShellContext>
  )
}
