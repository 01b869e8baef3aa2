import type { FormEvent, ReactNode } from 'react'
import css from './form.module.css'
import { failureText } from './states.tsx'

export function Form({
  onSubmit,
  children,
  label,
}: {
  onSubmit: (event: FormEvent) => void
  children: ReactNode
  label?: string
}) {
  return (
    <form className={css['form']} onSubmit={onSubmit} aria-label={label}>
      {children}
    </form>
  )
}

/** Why it was not saved; what was typed stays. */
export function FormFault({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  return (
    <p className={css['fault']} role="alert">
      Not saved. {failureText(error)}
    </p>
  )
}

/** Buttons at the foot of a form, the main one last. */
export function FormActs({ children }: { children: ReactNode }) {
  return <div className={css['acts']}>{children}</div>
}
