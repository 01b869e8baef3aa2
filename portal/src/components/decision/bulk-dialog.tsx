import { Modal } from '@mantine/core'
import { Button } from '../button.tsx'
import { useReturnedFocus } from '../return-focus.ts'
import { BulkForm, type BulkFormProps } from './bulk-form.tsx'

export interface BulkDialogProps extends Pick<BulkFormProps, 'act' | 'reaches' | 'onDone'> {
  onClose: () => void
}

const TITLES = {
  assess: 'Assess the selected findings',
  ignore: 'Ignore the selected findings',
  unignore: 'Stop ignoring the selected findings',
}

export default function BulkDialog({ onClose, ...form }: BulkDialogProps) {
  useReturnedFocus()
  return (
    <Modal opened onClose={onClose} title={TITLES[form.act]} size="xl">
      <BulkForm {...form}>
        <Button onClick={onClose}>Cancel</Button>
      </BulkForm>
    </Modal>
  )
}
