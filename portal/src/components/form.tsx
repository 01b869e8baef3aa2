import { type ReactNode, useEffect, useRef } from 'react'
import { Copyable } from './copyable.tsx'
import css from './form.module.css'
import { describeFailure } from './states.tsx'

export function Form({
  onSubmit,
  children,
  label,
}: {
  onSubmit: () => void
  children: ReactNode
  label?: string
}) {
  return (
    <form
      className={css['form']}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault()
        // React hands it on to a form around, though a dialog stands elsewhere in the document.
        event.stopPropagation()
        onSubmit()
      }}
    >
      {children}
    </form>
  )
}

/** Why it was not saved; what was typed stays, and the first wrong field gets the focus. */
export function FormFault({ error, said = 'Not saved.' }: { error: unknown; said?: string }) {
  const fault = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    fault.current?.closest('form')?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  if (error === null || error === undefined) return null
  return (
    <p ref={fault} className={css['fault']} role="alert">
      {said} {describeFailure(error)}
    </p>
  )
}

/** Buttons at the foot of a form, the main one last. */
export function FormActs({ children }: { children: ReactNode }) {
  return <div className={css['acts']}>{children}</div>
}

/** A secret that the service tells this once; a click copies it. */
export function ShownOnce({
  text,
  label,
  children,
}: {
  text: string
  label: string
  children: ReactNode
}) {
  return (
    <div className={css['secret']} role="status">
      <p>{children}</p>
      <Copyable text={text} label={label} />
    </div>
  )
}
