import {
  cloneElement,
  type MouseEventHandler,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from 'react'

type Target = ReactElement<{ onClick?: MouseEventHandler; 'aria-haspopup'?: 'menu' }>

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
  return <Suspense fallback={children}>{panel(children)}</Suspense>
}
