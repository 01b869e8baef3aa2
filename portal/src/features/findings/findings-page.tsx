/** What to decide: the list left, the finding right, like mail. */
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { KeyHints } from '../../components/key-hints.tsx'
import { useKeys } from '../../components/keyboard.ts'
import { TopBar } from '../../components/top-bar.tsx'
import { FilterBar } from './filter-bar.tsx'
import css from './findings-page.module.css'
import { ListSide } from './list-side.tsx'
import { PaneSide } from './pane-side.tsx'
import { useFindings } from './use-findings.ts'

const HINTS = [
  ['j k', 'move'],
  ['x', 'select'],
  ['a', 'assess'],
  ['i', 'ignore'],
  ['e', 'evidence'],
  ['n', 'note'],
  ['Enter', 'open'],
  ['?', 'all keys'],
] as const

export function FindingsPage() {
  const isNarrow = useMediaQuery('(max-width: 900px)')
  const findings = useFindings(!isNarrow)
  const { at, index, change, open, selection } = findings
  const [decidedCount, setDecidedCount] = useState(0)
  useKeys([
    ['j', () => open(index + 1)],
    ['k', () => open(index - 1)],
    ['x', () => at !== undefined && index >= 0 && selection.toggle(at)],
    ['Escape', () => selection.isEmpty && change({ at: undefined })],
  ])
  const showsList = !isNarrow || at === undefined
  const decided = decidedCount > 0 ? `${decidedCount} decided this session` : undefined
  return (
    <>
      <TopBar title="Findings" />
      {showsList && (
        <FilterBar search={findings.search} filter={findings.filter} onChange={change} />
      )}
      <div className={css['split']}>
        {showsList && <ListSide findings={findings} isNarrow={isNarrow} />}
        {at !== undefined && (
          <PaneSide
            key={at}
            findings={findings}
            at={at}
            isNarrow={isNarrow}
            onDecided={() => setDecidedCount((count) => count + 1)}
          />
        )}
      </div>
      <KeyHints hints={HINTS} note={decided} />
    </>
  )
}
