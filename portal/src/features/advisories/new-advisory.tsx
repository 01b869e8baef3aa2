/** An advisory of a title alone; those of findings are drafted where these are looked at. */
import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { useCreateAdvisory } from '../../components/advisories/draft-advisory.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { useWorkspaceId } from '../../session.ts'

export function NewAdvisory() {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button kind="primary" aria-haspopup="dialog" onClick={dialog.open}>
        New advisory
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="New advisory">
        <NewAdvisoryForm />
      </Dialog>
    </>
  )
}

function NewAdvisoryForm() {
  const workspaceId = useWorkspaceId()
  const [title, setTitle] = useState('')
  const { mutate, isPending, error } = useCreateAdvisory()
  const isReady = title.trim() !== ''
  return (
    <Form
      onSubmit={() => isReady && mutate({ workspaceId, source: { title: title.trim() } })}
      label="New advisory"
    >
      <p>
        It begins empty. One that is drafted of a case, a vulnerability or two versions says already
        what was decided of each version.
      </p>
      <TextInput
        label="Title"
        required
        data-autofocus
        maxLength={255}
        value={title}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
      />
      <FormFault error={error} said="Not created." />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" disabled={!isReady} isBusy={isPending}>
          Create draft
        </Button>
      </FormActs>
    </Form>
  )
}
