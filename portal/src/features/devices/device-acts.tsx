import type { Device } from '@plimsoll/api-client'
import { TagsInput, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform, writeValue } from '../../components/perform.ts'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'

/** Changing what people say of a device, and deleting it. */
export function DeviceActs({ device }: { device: Device }) {
  const mayWrite = useMay('Devices: write')
  const [isOpen, dialog] = useDisclosure(false)
  if (!mayWrite) return null
  return (
    <div className={css['acts']}>
      <Button aria-haspopup="dialog" onClick={dialog.open}>
        Change…
      </Button>
      <DeleteDevice deviceId={device.id} />
      <Dialog opened={isOpen} onClose={dialog.close} title={`Change ${device.id}`}>
        <ChangeForm device={device} onSaved={dialog.close} />
      </Dialog>
    </div>
  )
}

function ChangeForm({ device, onSaved }: { device: Device; onSaved: () => void }) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('devices', 'deployments')
  const params = { workspaceId, deviceId: device.id }
  const first = { description: device.description ?? '', tags: device.tags }
  const { save, submit, field } = useForm(first, {
    mutationFn: ({ description, tags }) =>
      writeValue({
        before: readFields(device),
        after: readFields({ description: description === '' ? null : description, tags }),
        read: async () =>
          readFields(await api.get('/workspaces/{workspaceId}/devices/{deviceId}', { params })),
        write: (body) =>
          api.patch('/workspaces/{workspaceId}/devices/{deviceId}', { params, body }),
      }),
    // It is done, and the notice has the way back.
    onSuccess: (undo) => {
      void perform({ text: `${device.id}: changed`, send: () => Promise.resolve(undo) })
      onSaved()
    },
  })
  return (
    <Form onSubmit={submit}>
      <TextInput label="Description" data-autofocus {...field('description')} />
      <TagsInput
        label="Tags"
        description="Cohorts may choose their devices by these."
        splitChars={[',', ' ']}
        {...field('tags')}
      />
      <FormFault error={save.error} />
      <FormActs>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          Save device
        </Button>
      </FormActs>
    </Form>
  )
}

type Fields = Pick<Device, 'description' | 'tags'>

/** Tags are a set. */
const readFields = ({ description, tags }: Fields): Fields => ({
  description,
  tags: [...new Set(tags)].toSorted(),
})

function DeleteDevice({ deviceId }: { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/devices/{deviceId}', {
        params: { workspaceId, deviceId },
      }),
    onSuccess: async () => {
      await navigate({ to: '/w/$workspaceId/devices', params: { workspaceId } })
      await queryClient.invalidateQueries({ queryKey: ['devices', workspaceId] })
    },
  })
  return (
    <ConfirmedButton
      title={`Delete ${deviceId}?`}
      verb="Delete device"
      act={remove}
      what="Its keys, metrics and logs go with it. Where devices register themselves, it comes back as a new device when it connects again."
    >
      Delete…
    </ConfirmedButton>
  )
}
