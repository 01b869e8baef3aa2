import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { useForm } from '../../components/use-form.ts'
import { createSlug } from '../../format/slug.ts'
import { useWorkspaceId } from '../../session.ts'

export function NewFirmware() {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button kind="primary" aria-haspopup="dialog" onClick={dialog.open}>
        New firmware
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title="New firmware">
        <NewFirmwareForm />
      </Dialog>
    </>
  )
}

function NewFirmwareForm() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  /** The short name follows the name until somebody types one. */
  const first = { name: '', slug: undefined as string | undefined }
  const { save, submit, values, field } = useForm(first, {
    mutationFn: ({ name, slug = createSlug(name) }) =>
      api.post('/workspaces/{workspaceId}/firmwares', {
        params: { workspaceId },
        body: { slug, name: name.trim() },
      }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['firmware', workspaceId] })
      await navigate({
        to: '/w/$workspaceId/firmware/$firmwareId',
        params: { workspaceId, firmwareId: id },
      })
    },
  })
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="Name"
        description="As people call it: Harbour gateway"
        required
        data-autofocus
        {...field('name')}
      />
      <TextInput
        label="Short name"
        description="As devices and pipelines call it: small letters, digits, hyphens"
        required
        {...field('slug')}
        value={values.slug ?? createSlug(values.name)}
      />
      <FormFault error={save.error} />
      <Button type="submit" kind="primary" isBusy={save.isPending}>
        Create firmware
      </Button>
    </Form>
  )
}
