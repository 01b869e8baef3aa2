/** A view of the past: framed, so that nobody takes it for the present. */
import { type ReactNode, useMemo } from 'react'
import { formatForField } from '../format/dates.ts'
import css from './day-picker.module.css'
import { FilterInput } from './filter-input.tsx'
import { describePast, findEndOfDay, PastContext } from './past.ts'

export interface DayPickerProps {
  /** undefined: the present, without a frame. */
  asOf: string | undefined
  /** What the page shows of now alone, and so not of then. */
  unknown: string
  /** The address of a report of then. */
  report: string
  onBack: () => void
  children: ReactNode
}

export function DayPicker({ asOf, unknown, report, onBack, children }: DayPickerProps) {
  const past = useMemo(() => (asOf === undefined ? undefined : new Date(asOf)), [asOf])
  if (asOf === undefined) return children
  return (
    <PastContext value={past}>
      <div className={css['frame']}>
        <p className={css['banner']} role="status">
          You look at the state of {describePast(asOf)}; ages count up to then. Not known for the
          past: {unknown}.{' '}
          <a href={report} target="_blank" rel="noopener">
            Report to print
          </a>{' '}
          <button type="button" onClick={onBack}>
            Back to now
          </button>
        </p>
        {children}
      </div>
    </PastContext>
  )
}

interface DayFieldProps {
  asOf: string | undefined
  onChange: (asOf: string | undefined) => void
}

/** Chooses the day. */
export function DayField({ asOf, onChange }: DayFieldProps) {
  return (
    <span className={css['day']}>
      <span aria-hidden="true">As of</span>
      <FilterInput
        type="date"
        aria-label="Show the state at the end of a past day"
        title="Show the state at the end of a past day"
        max={formatForField(new Date()).slice(0, 10)}
        value={asOf === undefined ? undefined : formatForField(new Date(asOf)).slice(0, 10)}
        onChange={(day) => onChange(findEndOfDay(day))}
      />
    </span>
  )
}
