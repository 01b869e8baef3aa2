/** Keys with which devices connect, of the workspace or those that one device may use, and the first command of a device. */
import { TextInput } from '@mantine/core'
import type { DeviceKey } from '@plimsoll/api-client'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useMay, useWorkspaceId } from '../session.ts'
import { findBlockingError } from './blocking-error.ts'
import { Button } from './button.tsx'
import { type CardColumn, CardTable } from './card-table.tsx'
import { ConfirmedButton } from './confirm.tsx'
import css from './device-keys-panel.module.css'
import { Form, FormFault, ShownOnce } from './form.tsx'
import { Panel } from './panel.tsx'
import { Failure, Loading } from './states.tsx'
import { Tag } from './tag.tsx'
import { Time } from './time.tsx'
import { useForm } from './use-form.ts'

interface OfDevice {
  /** undefined: those of the whole workspace. */
  deviceId?: string | undefined
}

const deviceKeysQuery = (workspaceId: string, deviceId: string | undefined) =>
  queryOptions({
    queryKey: ['device-keys', workspaceId, deviceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/device-keys', {
        params: { workspaceId },
        ...(deviceId !== undefined && { query: { deviceId } }),
      }),
  })

export function DeviceKeysPanel({ deviceId }: OfDevice) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Devices: write')
  const query = useQuery(deviceKeysQuery(workspaceId, deviceId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  return (
    <Panel
      title="Device keys"
      note={
        deviceId === undefined
          ? 'with which devices connect; one for a fleet, or one for a device'
          : 'with which it may connect: its own, and those of all devices'
      }
    >
      {mayWrite && <NewDeviceKey deviceId={deviceId} />}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data?.length === 0 && <p>There is none yet: without a key no device can connect.</p>}
      {data && data.length > 0 && (
        <CardTable
          label="Device keys"
          list="device-keys"
          csv={{
            name: 'device-keys',
            columns: [
              'id',
              'name',
              'deviceId',
              'createdByEmail',
              'createdAt',
              'lastUsedAt',
              'revokedAt',
            ],
          }}
          columns={mayWrite ? [...COLUMNS, ACTS] : COLUMNS}
          rows={data}
          keyOf={({ id }) => id}
        />
      )}
    </Panel>
  )
}

const COLUMNS: readonly CardColumn<DeviceKey>[] = [
  { title: 'Name', isPlain: true, cell: ({ name }) => <strong>{name}</strong> },
  { title: 'For', cell: ({ deviceId }) => deviceId ?? 'all devices' },
  {
    title: 'Made',
    cell: ({ createdByEmail, createdAt }) => (
      <>
        {createdByEmail !== null && `by ${createdByEmail} `}
        <Time at={createdAt} />
      </>
    ),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'not yet' : <Time at={lastUsedAt} />),
  },
  {
    title: 'State',
    cell: ({ revokedAt }) => <Tag>{revokedAt === null ? 'in use' : 'revoked'}</Tag>,
  },
]

const ACTS: CardColumn<DeviceKey> = {
  title: 'Acts',
  isActs: true,
  cell: (deviceKey) => deviceKey.revokedAt === null && <RevokeKey deviceKey={deviceKey} />,
}

function RevokeKey({ deviceKey: { id, name, deviceId } }: { deviceKey: DeviceKey }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/device-keys/{deviceKeyId}', {
        params: { workspaceId, deviceKeyId: id },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['device-keys', workspaceId] }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Revoke ${name}`}
      title={`Revoke the key ${name}?`}
      verb="Revoke key"
      act={revoke}
      what={
        deviceId === null
          ? 'Every device that connects with it is cut off at once, and stays off until it gets another key.'
          : `${deviceId} is cut off at once, and stays off until it gets another key.`
      }
    >
      Revoke…
    </ConfirmedButton>
  )
}

function NewDeviceKey({ deviceId }: OfDevice) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const first = { name: '' }
  const { save, submit, change, field } = useForm(first, {
    mutationFn: ({ name }) =>
      api.post('/workspaces/{workspaceId}/device-keys', {
        params: { workspaceId },
        body: { name, ...(deviceId !== undefined && { deviceId }) },
      }),
    onSuccess: async () => {
      change(first)
      await queryClient.invalidateQueries({ queryKey: ['device-keys', workspaceId] })
    },
  })
  const example = deviceId ?? 'bench-1'
  return (
    <Form onSubmit={submit} label="New device key">
      <div className={css['row']}>
        <TextInput
          label={deviceId === undefined ? 'Name' : `Name of a key for ${deviceId} alone`}
          placeholder={deviceId === undefined ? 'meters' : 'since the repair'}
          required
          {...field('name')}
        />
        <Button type="submit" isBusy={save.isPending}>
          Create device key
        </Button>
      </div>
      <FormFault error={save.error} />
      {save.data && (
        <ShownOnce text={firstMessage(workspaceId, example, save.data.deviceKey)} label="command">
          The key, shown this once. A first message of {deviceId ?? `a device called ${example}`}:
        </ShownOnce>
      )}
    </Form>
  )
}

function firstMessage(workspaceId: string, deviceId: string, key: string): string {
  const session = JSON.stringify({
    session: { runId: '1', firmware: [{ slug: 'my-firmware', version: '1.0.0' }] },
  })
  return `curl ${globalThis.location.origin}/device/v1/${workspaceId}/${deviceId}/sync -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '${session}'`
}
