import type { ReactNode } from 'react'
import css from './page.module.css'

/** What scrolls under the top bar. */
export function Page({
  children,
  isNarrowColumn = false,
}: {
  children: ReactNode
  isNarrowColumn?: boolean
}) {
  return (
    <div className={css['page']} data-scroll="" tabIndex={0}>
      <div className={`${css['column']} ${isNarrowColumn ? css['text'] : ''}`}>{children}</div>
    </div>
  )
}
