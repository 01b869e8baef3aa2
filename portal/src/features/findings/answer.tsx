import type { ReactNode } from 'react'
import css from './finding-page.module.css'

interface AnswerProps {
  number?: number
  title: string
  note?: ReactNode
  /** At the right of the title. */
  aside?: ReactNode
  id?: string
  children: ReactNode
}

/** One of the numbered answers of a page. */
export function Answer({ number, title, note, aside, id, children }: AnswerProps) {
  return (
    <section className={css['answer']} id={id}>
      <h3>
        {number !== undefined && <span className={css['number']}>{number}</span>}
        <span className={css['title']}>{title}</span>
        {note !== undefined && <small>{note}</small>}
        {aside !== undefined && <span className={css['aside']}>{aside}</span>}
      </h3>
      {children}
    </section>
  )
}
