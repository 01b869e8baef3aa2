import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form, FormFault } from '../../components/form.tsx'
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
  const [name, setName] = useState('')
  /** undefined: nobody typed one, so it follows the name. */
  const [typedSlug, setSlug] = useState<string>()
  const slug = typedSlug ?? createSlug(name)
  const create = useMutation({
    mutationFn: () =>
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
  const submit = () => create.mutate()
  return (
    <Form onSubmit={submit}>
      <TextInput
        label="Name"
        description="As people call it: Harbour gateway"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Short name"
        description="As devices and pipelines call it: small letters, digits, hyphens"
        required
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value)}
      />
      <FormFault error={create.error} />
      <Button type="submit" kind="primary" isBusy={create.isPending}>
        Create firmware
      </Button>
    </Form>
  )
}
