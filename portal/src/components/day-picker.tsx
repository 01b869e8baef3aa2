/** A view of the past: framed, so that nobody takes it for the present. */
import type { ReactNode } from 'react'
import { formatDateTime } from '../format/dates.ts'
import css from './day-picker.module.css'

export interface DayPickerProps {
  /** undefined: the present, without a frame. */
  asOf: string | undefined
  onBack: () => void
  children: ReactNode
}

export function DayPicker({ asOf, onBack, children }: DayPickerProps) {
  if (asOf === undefined) return children
  return (
    <div className={css['frame']}>
      <p className={css['banner']} role="status">
        You look at the state of {formatDateTime(asOf)}.{' '}
        <button type="button" onClick={onBack}>
          Back to now
        </button>
      </p>
      {children}
    </div>
  )
}

/** The end of a day of the reader, as people mean it who pick a day. */
export function findEndOfDay(day: string): string | undefined {
  const [year, month, date] = day.split('-').map(Number)
  // A year that is being typed is none yet.
  if (year === undefined || year < 2000 || month === undefined || date === undefined)
    return undefined
  return new Date(Math.min(new Date(year, month - 1, date + 1).getTime(), Date.now())).toISOString()
}
