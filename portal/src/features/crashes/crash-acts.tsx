/** Says in which version a crash is fixed, and takes that back. */
import type { CrashGroupDetail } from '@plimsoll/api-client'
import { Select } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { usePerform } from '../../components/perform.ts'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { versionsQuery } from '../../workspace-queries.ts'

const GROUP = '/workspaces/{workspaceId}/crash-groups/{crashGroupId}'

export function CrashActs({ group }: { group: CrashGroupDetail }) {
  const mayWrite = useMay('Devices: write')
  const [isOpen, dialog] = useDisclosure(false)
  const { state, firmware } = group
  if (!mayWrite) return null
  if (state === 'Closed') return <Reopen group={group} />
  // Without its firmware there is no version to name.
  if (firmware === null) return null
  return (
    <>
      <Button kind="primary" aria-haspopup="dialog" onClick={dialog.open}>
        Mark as fixed…
      </Button>
      {isOpen && <FixedDialog group={group} firmwareId={firmware.id} onClose={dialog.close} />}
    </>
  )
}

const close = (workspaceId: string, crashGroupId: string, fixedInVersionId: string) =>
  api.post(`${GROUP}/close`, { params: { workspaceId, crashGroupId }, body: { fixedInVersionId } })

const reopen = (workspaceId: string, crashGroupId: string) =>
  api.post(`${GROUP}/reopen`, { params: { workspaceId, crashGroupId } })

function Reopen({ group: { id, title, fixedIn } }: { group: CrashGroupDetail }) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('devices')
  const send = async () => {
    await reopen(workspaceId, id)
    if (fixedIn === null) return undefined
    return async () => {
      await close(workspaceId, id, fixedIn.id)
      return undefined
    }
  }
  return (
    <Button onClick={() => void perform({ text: `${title}: open again`, send })}>Open again</Button>
  )
}

interface FixedDialogProps {
  group: CrashGroupDetail
  firmwareId: string
  onClose: () => void
}

function FixedDialog(props: FixedDialogProps) {
  useReturnedFocus()
  return (
    <Dialog opened onClose={props.onClose} title="Fixed in which version?">
      <FixedForm {...props} />
    </Dialog>
  )
}

function FixedForm({ group: { id, title }, firmwareId, onClose }: FixedDialogProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(versionsQuery(workspaceId, firmwareId))
  const versions = data?.firmwareVersions ?? []
  const perform = usePerform('devices')
  const sending = useFormAct(onClose)
  const [chosen, setChosen] = useState<string | null>(null)
  const version = versions.find((one) => one.id === chosen)
  const submit = ({ id: versionId, name }: { id: string; name: string }) =>
    sending.send((form) =>
      perform({
        text: `${title}: fixed in ${name}`,
        form,
        send: async () => {
          await close(workspaceId, id, versionId)
          return async () => {
            await reopen(workspaceId, id)
            return undefined
          }
        },
      }),
    )
  return (
    <Form label="Fixed in which version?" onSubmit={() => version && submit(version)}>
      <p>
        It opens again by itself when a device crashes like this in that version or a later one.
      </p>
      <Select
        label="Version"
        data-autofocus
        searchable
        data={versions.map((one) => ({ value: one.id, label: one.name }))}
        value={chosen}
        onChange={setChosen}
        error={sending.findFault('fixedInVersionId')}
      />
      <FormFault error={sending.error} said="Not marked." />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" disabled={!version} isBusy={sending.isPending}>
          Mark as fixed
        </Button>
      </FormActs>
    </Form>
  )
}
