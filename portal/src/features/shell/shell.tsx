/** The frame of a workspace's pages: rail, search, keys, live state. */
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { Link, Outlet, useBlocker, useLocation, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useRef } from 'react'
import { type Acts, ActsContext, useSentActs } from '../../components/acts.ts'
import { HeldKeys, useKeys } from '../../components/keyboard.ts'
import { useIsPrinting } from '../../components/printing.ts'
import { ShellContext } from '../../components/shell-context.ts'
import { Empty } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { hasUnsaved, mayLeave, useQuestion } from '../../components/unsaved.ts'
import { formatDateTime } from '../../format/dates.ts'
import { meQuery, useMay, useWorkspace, useWorkspaceId } from '../../session.ts'
import { useEventStream } from './event-stream.ts'
import { Notices } from './notices.tsx'
import { Outdated } from './outdated.tsx'
import { Rail } from './rail.tsx'
import { SearchDialog } from './search-dialog.tsx'
import { ShownNow } from './shown-now.tsx'
import css from './shell.module.css'

/** These come when they are asked for: the first page does not carry them. */
const RailDrawer = lazy(() => import('./rail-drawer.tsx'))
const KeysDialog = lazy(() => import('./keys-dialog.tsx'))
const UnsavedDialog = lazy(() => import('./unsaved-dialog.tsx'))

/** The one page that has a form for walls. */
const OVERVIEW = /^\/w\/[^/]+\/?$/

interface Place {
  pathname: string
  search: Readonly<Record<string, unknown>>
}

/** Members of an address that put another form in place of one; all others leave forms where they are. */
const PLACES = ['tab', 'cohort', 'version']

const LEAVING = {
  enableBeforeUnload: hasUnsaved,
  shouldBlockFn: async ({ current, next }: Record<'current' | 'next', Place>) => {
    const isLeaving =
      current.pathname !== next.pathname ||
      PLACES.some((name) => current.search[name] !== next.search[name])
    return isLeaving && !(await mayLeave())
  },
}

export function Shell() {
  const [isSearching, search] = useDisclosure(false)
  const [isRailOpen, rail] = useDisclosure(false)
  const [isShowingKeys, keys] = useDisclosure(false)
  const isLocked = useWorkspace()?.secondFactorMissing === true
  const { pathname } = useLocation()
  const isAtAccount = pathname.endsWith('/you')
  const { wall } = useSearch({ strict: false })
  const isWall = wall !== undefined && OVERVIEW.test(pathname) && !isLocked
  const silentSince = useEventStream({ isLocked })
  const acts = useSentActs()
  useLeftRuns(acts, isLocked)
  useBlocker(LEAVING)
  const question = useQuestion()
  useKeys([
    ['mod+k', search.open],
    ['/', search.open],
    ['?', keys.open],
  ])
  return (
    <ShellContext
      value={{ openSearch: search.open, openRail: rail.open, openKeys: keys.open, silentSince }}
    >
      <ActsContext value={acts}>
        <a className={css['skip']} href="#page">
          Skip to the page
        </a>
        <div className={isWall ? css['bare'] : css['shell']}>
          {!isWall && (
            <div className={css['rail']} data-paper="none">
              <Rail />
            </div>
          )}
          <main id="page" className={css['page']} tabIndex={-1}>
            <PaperHead />
            <Outdated />
            <ShownNow />
            {isLocked && !isAtAccount ? <SecondFactorFirst /> : <Outlet />}
          </main>
        </div>
        {isSearching && <SearchDialog onClose={search.close} />}
        <Suspense fallback={<HeldKeys />}>
          {isRailOpen && <RailDrawer onClose={rail.close} />}
          {isShowingKeys && <KeysDialog onClose={keys.close} />}
          {question && <UnsavedDialog onAnswer={question} />}
        </Suspense>
        <Notices />
      </ActsContext>
    </ShellContext>
  )
}

/** What one decided goes on at the service when the portal is closed; here one sees how far it is. */
function useLeftRuns({ perform }: Acts, isLocked: boolean): void {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayDecide = useMay('Vulnerabilities: write')
  const isOn = mayDecide && !isLocked
  const command = useRef(perform)
  useEffect(() => {
    if (!isOn) return
    const readAgain = () =>
      void queryClient.invalidateQueries({ queryKey: ['findings', workspaceId] })
    void import('../../components/decision/left-runs.ts')
      .then(({ takeUpRuns }) => takeUpRuns(workspaceId, command.current, readAgain))
      // The page says by itself that the service is not there.
      .catch(() => undefined)
  }, [workspaceId, isOn, queryClient])
}

/** What a sheet has to say of itself: from where it is, who printed it, and when. */
function PaperHead() {
  const isPrinting = useIsPrinting()
  const workspace = useWorkspace()
  const { data: me } = useSuspenseQuery(meQuery)
  if (!isPrinting) return null
  return (
    <p className={css['paper']} data-paper="only">
      {workspace?.name} · printed by {me.displayName} on {formatDateTime(new Date())} ·{' '}
      {location.href}
    </p>
  )
}

/** The session has not shown what the workspace asks for; the account stays open to add it. */
function SecondFactorFirst() {
  const workspaceId = useWorkspaceId()
  return (
    <>
      <TopBar title="Second factor" />
      <Empty
        title="This workspace asks for a second factor"
        action={
          <Link to="/w/$workspaceId/you" params={{ workspaceId }}>
            Add one to your account
          </Link>
        }
      >
        Sign in with an authenticator app or a passkey to see it.
      </Empty>
    </>
  )
}
