import type { ButtonHTMLAttributes, Ref } from 'react'
import css from './button.module.css'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: the one act a page is there for. `danger`: takes something away. `quiet`: beside others. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  size?: 'small' | 'usual' | 'touch'
  /** Says that the act runs; the button cannot be pressed meanwhile. */
  isBusy?: boolean
  ref?: Ref<HTMLButtonElement>
}

export function Button({
  kind = 'plain',
  size = 'usual',
  isBusy = false,
  className = '',
  children,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${css['button']} ${css[kind]} ${css[size]} ${className}`}
      disabled={disabled === true || isBusy}
      aria-busy={isBusy || undefined}
    >
      {isBusy && <span className={css['spinner']} aria-hidden="true" />}
      {children}
    </button>
  )
}
