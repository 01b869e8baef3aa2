/** In place of the head of a list while rows of it are selected: how many, all that match, and what to do with them. */
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatCount } from '../format/counts.ts'
import { Button } from './button.tsx'
import { useKeys } from './keyboard.ts'
import { SelectBox } from './select-box.tsx'
import type { ListTotal, Selection } from './selection.ts'
import css from './selection-bar.module.css'

/** "1,204", "more than 10,000". */
export function formatTotal({ totalCount, totalCountIsLowerBound }: ListTotal): string {
  return `${totalCountIsLowerBound ? 'more than ' : ''}${formatCount(totalCount)}`
}

export interface SelectionBarProps {
  selection: Selection
  total: ListTotal
  /** Buttons. */
  children: ReactNode
}

export function SelectionBar({ selection, total, children }: SelectionBarProps) {
  const { isAll, allTotal = total, keys, selectAll, clear } = selection
  const hasChanged = isAll && formatTotal(allTotal) !== formatTotal(total)
  const isMore = !isAll && (total.totalCountIsLowerBound || total.totalCount > keys.size)
  useKeys([['A', () => isMore && selectAll(total)]])
  return (
    <div className={css['bar']} role="group" aria-label="Selection">
      <strong role="status">
        {isAll ? `All ${formatTotal(allTotal)} selected` : `${formatCount(keys.size)} selected`}
        {hasChanged && `, ${formatTotal(total)} match now`}
      </strong>
      {isMore && (
        <button type="button" className={css['all']} onClick={() => selectAll(total)}>
          <span className={css['long']}>Select </span>all {formatTotal(total)}
          <span className={css['long']}> that match</span> <kbd>⇧a</kbd>
        </button>
      )}
      <div className={css['acts']}>
        {children}
        <Button size="small" kind="quiet" onClick={clear} aria-label="Clear the selection">
          <IconX size={14} aria-hidden="true" />
        </Button>
      </div>
    </div>
  )
}

/** For the head of a list: all loaded rows, or none. */
export function SelectLoaded({ selection }: { selection: Selection }) {
  const { isAll, keys, loadedCount, toggleLoaded } = selection
  const isOn = isAll || (loadedCount > 0 && keys.size === loadedCount)
  return (
    <SelectBox
      label="Select the rows that are loaded"
      isOn={isOn}
      isSome={!isOn && keys.size > 0}
      onToggle={toggleLoaded}
    />
  )
}
