import type { ReactNode } from 'react'
import css from './key-hints.module.css'

/** The line at the foot of a list: which keys do what. */
export function KeyHints({
  hints,
  note,
}: {
  hints: readonly (readonly [string, string])[]
  note?: ReactNode
}) {
  return (
    <footer className={css['foot']} data-paper="none">
      {hints.map(([keys, act]) => (
        <span key={keys}>
          {keys.split(' ').map((key) => (
            <kbd key={key}>{key === 'Enter' ? '↵' : key}</kbd>
          ))}
          {act}
        </span>
      ))}
      {note !== undefined && <div className={css['note']}>{note}</div>}
    </footer>
  )
}
