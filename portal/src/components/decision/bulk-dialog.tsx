import { Dialog, GoBack } from '../dialog.tsx'
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
    <Dialog
      opened
      onClose={onClose}
      title={`${TITLES[form.act]} ${form.subject ?? 'the selected findings'}`}
      size="xl"
    >
      <BulkForm {...form}>
        <GoBack />
      </BulkForm>
    </Dialog>
  )
}
