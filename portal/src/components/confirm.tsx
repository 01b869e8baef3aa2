/** Asks before an act that cannot be taken back: says what it will do, and then whether it was done. */
import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import css from './form.module.css'
import { FormActs, FormFault } from './form.tsx'
import { useReturnedFocus } from './return-focus.ts'

export interface Question {
  /** "Delete pump-1?" */
  title: string
  /** What happens then: names, and how many devices. */
  what: ReactNode
  /** On the button that does it: "Delete device". */
  verb: string
  act: Act
  /** It closes in any case: the page shows the fault, as it may ask for something first. */
  isFaultOnPage?: boolean
}

/** A mutation without input. */
interface Act {
  mutate: (input: void, then: { onSuccess?: () => void; onSettled?: () => void }) => void
  reset: () => void
  isPending: boolean
  error: unknown
}

/** The focus begins at the way back, so that a stray Enter does nothing. */
export function ConfirmDialog({
  title,
  what,
  verb,
  act,
  isFaultOnPage = false,
  onClose,
}: Question & { onClose: () => void }) {
  useReturnedFocus()
  // Whoever closes it meanwhile would not read whether it was done.
  const close = () => {
    if (!act.isPending) onClose()
  }
  return (
    <Modal opened onClose={close} title={title}>
      <div className={css['form']}>
        <div>{what}</div>
        <FormFault error={isFaultOnPage ? null : act.error} said="Not done." />
        <FormActs>
          <Button data-autofocus onClick={close}>
            Go back
          </Button>
          <Button
            kind="danger"
            isBusy={act.isPending}
            onClick={() =>
              act.mutate(undefined, { [isFaultOnPage ? 'onSettled' : 'onSuccess']: onClose })
            }
          >
            {verb}
          </Button>
        </FormActs>
      </div>
    </Modal>
  )
}

interface ConfirmedButtonProps extends Question, Pick<ButtonProps, 'size' | 'children'> {
  /** Where several buttons of a page read the same. */
  label?: string
}

/** A button that asks first. */
export function ConfirmedButton({ size, label, children, ...question }: ConfirmedButtonProps) {
  const [isOpen, dialog] = useDisclosure(false)
  const ask = () => {
    question.act.reset()
    dialog.open()
  }
  return (
    <>
      <Button
        kind="danger"
        {...(size && { size })}
        {...(label !== undefined && { 'aria-label': label })}
        aria-haspopup="dialog"
        onClick={ask}
      >
        {children}
      </Button>
      {isOpen && <ConfirmDialog {...question} onClose={dialog.close} />}
    </>
  )
}
