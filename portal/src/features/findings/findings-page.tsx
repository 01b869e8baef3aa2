/** What to decide: the list left, the finding right, like mail. */
import { useMediaQuery } from '@mantine/hooks'
import { KeyHints } from '../../components/key-hints.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { TopBar } from '../../components/top-bar.tsx'
import { FilterBar } from './filter-bar.tsx'
import css from './findings-page.module.css'
import { ListSide } from './list-side.tsx'
import { PaneSide } from './pane-side.tsx'
import { SessionActs } from '../../components/session-acts.tsx'
import { useFindings } from './use-findings.ts'

const HINTS = [
  ['j k', 'move'],
  ['x', 'select'],
  ['a', 'assess'],
  ['i', 'ignore'],
  ['z', 'undo'],
  ['e', 'evidence'],
  ['n', 'note'],
  ['Enter', 'open'],
  ['?', 'all keys'],
] as const

export function FindingsPage() {
  const isNarrow = useMediaQuery('(max-width: 900px)')
  const findings = useFindings(!isNarrow)
  const { at, index, change, open, selection } = findings
  useKeys([
    ['j', () => open(index + 1)],
    ['k', () => open(index - 1)],
    ['x', () => at !== undefined && index >= 0 && selection.toggle(at)],
    ['Escape', () => selection.isEmpty && change({ at: undefined })],
  ])
  const showsList = !isNarrow || at === undefined
  return (
    <>
      <TopBar title="Findings" />
      {showsList && (
        <FilterBar search={findings.search} filter={findings.allFilter} onChange={change} />
      )}
      <div className={css['split']}>
        {showsList && <ListSide findings={findings} isNarrow={isNarrow} />}
        {at !== undefined && <PaneSide key={at} findings={findings} at={at} isNarrow={isNarrow} />}
      </div>
      <KeyHints hints={HINTS} note={<SessionActs />} />
    </>
  )
}
