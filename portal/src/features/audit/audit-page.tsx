/** Who decided what, and when: sentences day by day, and beside them the entry that is open. */
import { useMediaQuery } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { KeyHints } from '../../components/key-hints.tsx'
import { useIsPrinting } from '../../components/printing.ts'
import { TopBar } from '../../components/top-bar.tsx'
import { useWorkspaceId } from '../../session.ts'
import { Acts } from './acts.tsx'
import css from './audit-page.module.css'
import { useDays, useUnfolded } from './entry-list.tsx'
import { EntryPane } from './entry-pane.tsx'
import { FilterBar } from './filter-bar.tsx'
import { ListSide } from './list-side.tsx'
import { useLog } from './use-log.ts'
import { useWalk } from './use-walk.ts'

const HINTS = [
  ['j k', 'older, newer'],
  ['Esc', 'close the entry'],
  ['?', 'all keys'],
] as const

export function AuditPage() {
  const isNarrow = useMediaQuery('(max-width: 900px)')
  const log = useLog()
  const { search, filter, entries, at, change } = log
  const unfolded = useUnfolded()
  const days = useDays(entries, (day) => search.actor === 'System' || unfolded.has(day))
  const { step, close } = useWalk(
    log,
    days.flatMap((day) => day.shown),
  )
  const isPrinting = useIsPrinting()
  const showsList = !isNarrow || at === undefined || isPrinting
  const acts = <Acts log={log} />
  return (
    <>
      <Top />
      {showsList && (
        <FilterBar
          {...{ search, filter, entries }}
          onChange={change}
          acts={isNarrow ? null : acts}
        />
      )}
      <div className={`${css['split']} ${at === undefined ? '' : css['opened']}`}>
        {showsList && <ListSide log={log} days={days} onUnfold={unfolded.add} />}
        {at !== undefined && (
          <EntryPane
            entryId={at}
            listed={entries.find(({ id }) => id === at)}
            isNarrow={isNarrow}
            onStep={step}
            onClose={close}
          />
        )}
      </div>
      {isNarrow && showsList && (
        <div className={css['foot']} data-paper="none">
          {acts}
        </div>
      )}
      {!isNarrow && <KeyHints hints={HINTS} />}
    </>
  )
}

function Top() {
  const workspaceId = useWorkspaceId()
  return (
    <TopBar
      title="Audit log"
      trail={[
        <Link key="settings" to="/w/$workspaceId/settings" params={{ workspaceId }}>
          Settings
        </Link>,
      ]}
    />
  )
}
