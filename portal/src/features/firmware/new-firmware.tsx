import { Modal, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { useWorkspaceId } from '../../session.ts'

export function NewFirmware() {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    <>
      <Button kind="primary" onClick={dialog.open}>
        New firmware
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title="New firmware">
        <NewFirmwareForm />
      </Modal>
    </>
  )
}

function NewFirmwareForm() {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [slug, setSlug] = useState('')
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/firmwares', {
        params: { workspaceId },
        body: { slug, ...(name.trim() !== '' && { name: name.trim() }) },
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
        label="Slug"
        description="What devices and pipelines call it: small letters, digits, hyphens."
        required
        data-autofocus
        value={slug}
        onChange={(event) => setSlug(event.currentTarget.value)}
      />
      <TextInput
        label="Name"
        description="For people. The slug if left empty."
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <FormFault error={create.error} />
      <Button type="submit" kind="primary" isBusy={create.isPending}>
        Create firmware
      </Button>
    </Form>
  )
}
