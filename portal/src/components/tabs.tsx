import type { ReactNode } from 'react'
import { formatCount } from '../format/counts.ts'
import css from './tabs.module.css'

interface Tab<Id extends string> {
  id: Id
  title: string
  count?: number | undefined
}

export interface TabsProps<Id extends string> {
  label: string
  tabs: readonly Tab<Id>[]
  open: Id
  onOpen: (id: Id) => void
  children: ReactNode
}

export function Tabs<Id extends string>({ label, tabs, open, onOpen, children }: TabsProps<Id>) {
  const step = (by: number) => {
    const index = tabs.findIndex(({ id }) => id === open)
    const next = tabs[(index + by + tabs.length) % tabs.length]
    if (!next) return
    onOpen(next.id)
    document.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus()
  }
  return (
    <>
      <div
        className={css['tabs']}
        role="tablist"
        aria-label={label}
        onKeyDown={({ key }) => {
          if (key === 'ArrowRight') step(1)
          if (key === 'ArrowLeft') step(-1)
        }}
      >
        {tabs.map(({ id, title, count }) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            aria-selected={id === open}
            aria-controls="tab-panel"
            tabIndex={id === open ? 0 : -1}
            className={id === open ? css['open'] : undefined}
            onClick={() => onOpen(id)}
          >
            {title} {count !== undefined && <span>{formatCount(count)}</span>}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${open}`} className={css['panel']}>
        {children}
      </div>
    </>
  )
}
