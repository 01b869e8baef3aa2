import type { ReactNode } from 'react'
import css from './drop-filters.module.css'

export interface DropFiltersProps {
  /** Those in use: their names in the address, and what people read. */
  filters: readonly { name: string; text: string }[]
  onChange: (next: Record<string, undefined>) => void
  children?: ReactNode
}

/** Under an empty list: a button for each filter that may be the reason. */
export function DropFilters({ filters, onChange, children }: DropFiltersProps) {
  return (
    <div className={css['drop']}>
      {filters.map(({ name, text }) => (
        <button key={name} type="button" onClick={() => onChange({ [name]: undefined })}>
          Drop {text}
        </button>
      ))}
      {children}
    </div>
  )
}
