/** The frame of a workspace's pages: rail, search, keys, live state. */
import { Drawer } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Outlet } from '@tanstack/react-router'
import { ShellContext } from '../../components/shell-context.ts'
import { useNews } from './news.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { Rail } from './rail.tsx'
import { SearchDialog } from './search-dialog.tsx'
import css from './shell.module.css'

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
        <Drawer
          opened={isRailOpen}
          onClose={rail.close}
          size={260}
          withCloseButton={false}
          padding={0}
          title="Menu"
        >
          <div onClick={rail.close}>
            <Rail />
          </div>
        </Drawer>
        <main id="page" className={css['page']} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {isSearching && <SearchDialog onClose={search.close} />}
      {isShowingKeys && <KeysDialog onClose={keys.close} />}
    </ShellContext>
  )
}
