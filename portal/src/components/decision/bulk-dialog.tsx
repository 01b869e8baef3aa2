import { Modal } from '@mantine/core'
import { Button } from '../button.tsx'
import { useReturnedFocus } from '../return-focus.ts'
import { BulkForm, type BulkFormProps } from './bulk-form.tsx'

export interface BulkDialogProps extends Pick<
  BulkFormProps,
  'act' | 'reaches' | 'onSent' | 'subject'
> {
  onClose: () => void
}

const TITLES = { assess: 'Assess', ignore: 'Ignore', unignore: 'Stop ignoring' }

export default function BulkDialog({ onClose, ...form }: BulkDialogProps) {
  useReturnedFocus()
  return (
    <Modal
      opened
      onClose={onClose}
      title={`${TITLES[form.act]} ${form.subject ?? 'the selected findings'}`}
      size="xl"
    >
      <BulkForm {...form}>
        <Button onClick={onClose}>Cancel</Button>
      </BulkForm>
    </Modal>
  )
}
