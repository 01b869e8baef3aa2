import type { Device, WithEntityTag } from '@plimsoll/api-client'
import { TagsInput, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { pickChanges } from '../../components/merged-values.ts'
import { usePerform } from '../../components/perform.ts'
import { putBack } from '../../components/put-back.ts'
import { useChangeForm } from '../../components/use-change-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'

/** Changing what people say of a device, and deleting it. */
export function DeviceActs({ device }: { device: WithEntityTag<Device> }) {
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

const DEVICE = '/workspaces/{workspaceId}/devices/{deviceId}'

function ChangeForm({ device, onSaved }: { device: WithEntityTag<Device>; onSaved: () => void }) {
  const params = { workspaceId: useWorkspaceId(), deviceId: device.id }
  const perform = usePerform('devices', 'deployments')
  const { save, submit, field, meanwhile } = useChangeForm({
    latest: device,
    audited: { subject: `device:${device.id}` },
    readValues: readFields,
    load: () => api.get(DEVICE, { params }),
    send: async (values, ifStill, before) => {
      const [was, is] = [writeFields(before), writeFields(values)]
      const written = await api.patch(DEVICE, { params, body: pickChanges(was, is), ifStill })
      const body = pickChanges(is, was)
      return () => putBack(() => api.patch(DEVICE, { params, body, ifStill: written }))
    },
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
      <ChangeFault error={save.error} meanwhile={meanwhile} />
      <FormActs>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          Save device
        </Button>
      </FormActs>
    </Form>
  )
}

const readFields = ({ description, tags }: Device) => ({ description: description ?? '', tags })

/** Tags are a set. */
const writeFields = ({ description, tags }: ReturnType<typeof readFields>) => ({
  description: description === '' ? null : description,
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
