import {
  cloneElement,
  type MouseEventHandler,
  type ReactElement,
  type ReactNode,
  Suspense,
  useEffect,
  useState,
} from 'react'

type Target = ReactElement<{
  onClick?: MouseEventHandler
  'aria-haspopup'?: 'menu'
  autoFocus?: boolean
}>

export interface MenuButtonProps {
  /** The button. */
  children: Target
  /** The menu around the button, open from its beginning; a lazy component. */
  panel: (target: Target) => ReactNode
}

/** A button whose menu is loaded when it is pressed first: menus weigh a tenth of a page, and few visits open one. */
export function MenuButton({ children, panel }: MenuButtonProps) {
  const [isAsked, setAsked] = useState(false)
  const onClick = () => setAsked(true)
  if (!isAsked) return cloneElement(children, { onClick, 'aria-haspopup': 'menu' })
  // It is another element than the one that was pressed, so it takes the focus over.
  const target = cloneElement(children, { autoFocus: true })
  return <Suspense fallback={target}>{panel(target)}</Suspense>
}

/** Opens the menu once its button is there and has the focus: closed, it gives the focus back to what had it before. */
export function useOpenedMenu() {
  const [opened, onChange] = useState(false)
  useEffect(() => onChange(true), [])
  return { opened, onChange }
}
