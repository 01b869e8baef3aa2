import type { ReactNode } from 'react'
import css from './panel.module.css'

export interface PanelProps {
  title?: ReactNode
  /** Behind the title: what it counts, as of when. */
  note?: ReactNode
  /** At the right of the title. */
  aside?: ReactNode
  children: ReactNode
  /** The content reaches the edges, as a table does. */
  isFlush?: boolean
}

export function Panel({ title, note, aside, children, isFlush = false }: PanelProps) {
  return (
    <section className={css['panel']}>
      {title !== undefined && (
        <header className={css['head']}>
          <h2>{title}</h2>
          {note !== undefined && <span className={css['note']}>{note}</span>}
          {aside !== undefined && <div className={css['aside']}>{aside}</div>}
        </header>
      )}
      <div className={isFlush ? undefined : css['body']}>{children}</div>
    </section>
  )
}
