/** What a list puts into the head of the panel around it. */
import { createContext, type ReactNode, useContext } from 'react'
import { createPortal } from 'react-dom'
import css from './panel.module.css'

/** null: it has none, or is not there yet. */
export const PanelHeadContext = createContext<HTMLElement | null>(null)

/** At the right, behind all else. */
export function InPanelHead({ children }: { children: ReactNode }) {
  const head = useContext(PanelHeadContext)
  return head && createPortal(<div className={css['menu']}>{children}</div>, head)
}

/** In place of the head for a while, so that nothing below it moves. */
export function InPlaceOfPanelHead({ children }: { children: ReactNode }) {
  const head = useContext(PanelHeadContext)
  return head ? createPortal(<div className={css['over']}>{children}</div>, head) : children
}
