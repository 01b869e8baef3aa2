import { Modal } from '@mantine/core'
import { Button } from '../../components/button.tsx'
import { FormActs } from '../../components/form.tsx'
import { useReturnedFocus } from '../../components/return-focus.ts'

/** The focus begins at what loses nothing. Esc is of this dialog alone, not also of the one below it. */
export default function UnsavedDialog({ onAnswer }: { onAnswer: (isLeft: boolean) => void }) {
  useReturnedFocus()
  return (
    <Modal
      opened
      onClose={() => onAnswer(false)}
      closeOnEscape={false}
      withCloseButton={false}
      title="What you typed is not saved"
      onKeyDown={({ key }) => key === 'Escape' && onAnswer(false)}
    >
      <FormActs>
        <Button data-mantine-stop-propagation="true" onClick={() => onAnswer(true)}>
          Leave it
        </Button>
        <Button
          kind="primary"
          data-autofocus
          data-mantine-stop-propagation="true"
          onClick={() => onAnswer(false)}
        >
          Keep writing
        </Button>
      </FormActs>
    </Modal>
  )
}
