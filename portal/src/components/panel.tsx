import { type ReactNode, useState } from 'react'
import { PanelHeadContext } from './panel-head.tsx'
import css from './panel.module.css'

export interface PanelProps {
  /** For links to it within the page. */
  id?: string
  title?: ReactNode
  /** Behind the title: what it counts, as of when. */
  note?: ReactNode
  /** At the right of the title. */
  aside?: ReactNode
  children: ReactNode
  /** The content reaches the edges, as a table does. */
  isFlush?: boolean
}

export function Panel({ id, title, note, aside, children, isFlush = false }: PanelProps) {
  const [head, setHead] = useState<HTMLElement | null>(null)
  return (
    <section className={css['panel']} {...(id !== undefined && { id })}>
      {title !== undefined && (
        <header className={css['head']} ref={setHead}>
          <h2>{title}</h2>
          {note !== undefined && <span className={css['note']}>{note}</span>}
          {aside !== undefined && <div className={css['aside']}>{aside}</div>}
        </header>
      )}
      <PanelHeadContext value={head}>
        <div className={isFlush ? undefined : css['body']}>{children}</div>
      </PanelHeadContext>
    </section>
  )
}
