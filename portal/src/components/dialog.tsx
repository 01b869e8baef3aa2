/** A dialog with a form: closing it asks first if what was typed is not saved. */
import { Modal, type ModalProps } from '@mantine/core'
import { createContext, useContext, useRef } from 'react'
import { Button } from './button.tsx'
import css from './form.module.css'
import { mayLeave } from './unsaved.ts'

const LeaveContext = createContext<() => void>(() => undefined)

export function Dialog({ onClose, children, ...props }: ModalProps) {
  const body = useRef<HTMLDivElement>(null)
  const leave = async () => {
    if (!body.current || (await mayLeave(body.current))) onClose()
  }
  return (
    <Modal {...props} onClose={() => void leave()}>
      <LeaveContext value={() => void leave()}>
        <div ref={body} className={css['whole']}>
          {children}
        </div>
      </LeaveContext>
    </Modal>
  )
}

/** The button that closes the dialog around it. */
export function GoBack() {
  return <Button onClick={useContext(LeaveContext)}>Go back</Button>
}
