import { TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { deviceKeysQuery } from './queries.ts'
import css from './settings-page.module.css'

/** Keys with which devices connect, and the first command of a device. */
export function DeviceKeysPanel() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Devices: write')
  const queryClient = useQueryClient()
  const { data } = useQuery(deviceKeysQuery(workspaceId))
  const revoke = useMutation({
    mutationFn: (deviceKeyId: string) =>
      api.delete('/workspaces/{workspaceId}/device-keys/{deviceKeyId}', {
        params: { workspaceId, deviceKeyId },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['device-keys', workspaceId] }),
  })
  return (
    <Panel
      title="Device keys"
      note="with which devices connect; one for a fleet, or one for a device"
    >
      {mayWrite && <NewDeviceKey />}
      <FormFault error={revoke.error} />
      <table className={css['table']}>
        <tbody>
          {data?.map(({ id, name, deviceId, lastUsedAt, revokedAt }) => (
            <tr key={id}>
              <td>
                <strong>{name}</strong>
                <p className={css['note']}>
                  {deviceId === null ? 'all devices' : `device ${deviceId}`}
                </p>
              </td>
              <td>{lastUsedAt === null ? 'not used yet' : <Time at={lastUsedAt} />}</td>
              <td className={css['acts']}>
                {revokedAt === null && mayWrite ? (
                  <Button size="small" kind="danger" onClick={() => revoke.mutate(id)}>
                    Revoke
                  </Button>
                ) : (
                  <Tag>{revokedAt === null ? 'in use' : 'revoked'}</Tag>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function NewDeviceKey() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/device-keys', {
        params: { workspaceId },
        body: { name },
      }),
    onSuccess: async () => {
      setName('')
      await queryClient.invalidateQueries({ queryKey: ['device-keys', workspaceId] })
    },
  })
  const submit = () => create.mutate()
  return (
    <Form onSubmit={submit} label="New device key">
      <div className={css['row']}>
        <TextInput
          label="Name"
          placeholder="meters"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" isBusy={create.isPending}>
          Create device key
        </Button>
      </div>
      <FormFault error={create.error} />
      {create.data && (
        <ShownOnce text={firstMessage(workspaceId, create.data.deviceKey)} label="command">
          The key, shown this once. A first message of a device called bench-1:
        </ShownOnce>
      )}
    </Form>
  )
}

function firstMessage(workspaceId: string, key: string): string {
  const session = JSON.stringify({
    session: { runId: '1', firmware: [{ slug: 'my-firmware', version: '1.0.0' }] },
  })
  return `curl ${globalThis.location.origin}/device/v1/${workspaceId}/bench-1/sync -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${session}'`
}
