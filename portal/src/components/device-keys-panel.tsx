/** Keys with which devices connect, of the workspace or those that one device may use, and the first command of a device. */
import { TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { BodyOf, DeviceKey } from '@plimsoll/api-client'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../api.ts'
import { formatCountOf } from '../format/counts.ts'
import { useMay, useWorkspaceId } from '../session.ts'
import { findBlockingError } from './blocking-error.ts'
import { Button } from './button.tsx'
import { type CardColumn, CardTable } from './card-table.tsx'
import { ConfirmedButton } from './confirm.tsx'
import css from './device-keys-panel.module.css'
import { GoBack } from './dialog.tsx'
import { Form, FormActs, FormFault, ShownOnce } from './form.tsx'
import { Panel } from './panel.tsx'
import { CommandDialog } from './previewed-command.tsx'
import { Failure, Loading } from './states.tsx'
import { Tag } from './tag.tsx'
import { Time } from './time.tsx'
import { useForm } from './use-form.ts'

const KEYS = '/workspaces/{workspaceId}/device-keys'

interface OfDevice {
  /** undefined: those of the whole workspace. */
  deviceId?: string | undefined
}

const deviceKeysQuery = (workspaceId: string, deviceId: string | undefined) =>
  queryOptions({
    queryKey: ['device-keys', workspaceId, deviceId],
    queryFn: () =>
      api.get(KEYS, {
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
      title="Device keys and certificates"
      note={
        deviceId === undefined
          ? 'with which devices connect; one for a fleet, or one for a device'
          : 'with which it may connect: its own, and those of all devices'
      }
    >
      {mayWrite && <NewDeviceKey deviceId={deviceId} />}
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data?.length === 0 && (
        <p>There is none yet: without a key or a certificate no device can connect.</p>
      )}
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
              ['certificate', ({ certificate }) => certificate?.serial ?? ''],
              ['expiresAt', ({ certificate }) => certificate?.expiresAt ?? ''],
              'createdByEmail',
              'createdAt',
              'ageDays',
              'lastUsedAt',
              ['askedAt', ({ replacement }) => replacement.askedAt ?? ''],
              ['replacement', ({ replacement }) => replacement.standing],
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

function describeState({ revokedAt, certificate, isNext }: DeviceKey): string {
  if (revokedAt !== null) return 'revoked'
  if (isNext) return 'fetched, not used yet'
  const isEnded = certificate !== null && Date.parse(certificate.expiresAt) <= Date.now()
  return isEnded ? 'ended' : 'in use'
}

const COLUMNS: readonly CardColumn<DeviceKey>[] = [
  {
    title: 'Name',
    isPlain: true,
    cell: ({ name, certificate }) => (
      <>
        <strong>{name}</strong>
        {certificate && (
          <p className={css['note']}>
            certificate {certificate.serial} of {certificate.issuer.name}, until{' '}
            <Time at={certificate.expiresAt} as="date" />
          </p>
        )}
      </>
    ),
  },
  {
    title: 'For',
    cell: ({ deviceId }) => deviceId ?? <span className={css['whole']}>all devices</span>,
  },
  {
    title: 'Age',
    cell: ({ createdByEmail, createdAt, certificate, ageDays }) => (
      <>
        {formatCountOf(ageDays, 'day')}
        <p className={css['note']}>
          {certificate ? 'first seen ' : 'made '}
          {createdByEmail !== null && `by ${createdByEmail} `}
          <Time at={createdAt} />
        </p>
      </>
    ),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'not yet' : <Time at={lastUsedAt} />),
  },
  {
    title: 'State',
    cell: (key) => <Tag>{describeState(key)}</Tag>,
  },
  {
    title: 'Replacement',
    isPlain: true,
    cell: ({ replacement: { askedAt, state, standing } }) => (
      <>
        {askedAt !== null && (
          <>
            <Tag tone={state === 'Unable' ? 'warn' : 'accent'}>asked</Tag> <Time at={askedAt} />
          </>
        )}
        <p className={css['note']}>{standing}</p>
      </>
    ),
  },
]

const ACTS: CardColumn<DeviceKey> = {
  title: 'Acts',
  isActs: true,
  cell: (deviceKey) =>
    deviceKey.revokedAt === null && (
      <div className={css['acts']}>
        {deviceKey.certificate === null && <RotateKey deviceKey={deviceKey} />}
        <RevokeKey deviceKey={deviceKey} />
      </div>
    ),
}

function useNewKey() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return {
    mutationFn: (body: BodyOf<'createDeviceKey'>) =>
      api.post(KEYS, { params: { workspaceId }, body }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['device-keys', workspaceId] }),
  }
}

/** Another key in place of this one, which goes on until somebody revokes it. */
function RotateKey({ deviceKey }: { deviceKey: DeviceKey }) {
  const [isOpen, dialog] = useDisclosure(false)
  const { name } = deviceKey
  return (
    <>
      <Button
        size="small"
        aria-haspopup="dialog"
        aria-label={`Rotate ${name}`}
        onClick={dialog.open}
      >
        Rotate…
      </Button>
      {isOpen && (
        <CommandDialog title={`Another key in place of ${name}?`} onClose={dialog.close}>
          <Rotation deviceKey={deviceKey} />
        </CommandDialog>
      )}
    </>
  )
}

function Rotation({ deviceKey: { name, deviceId, lastUsedAt } }: { deviceKey: DeviceKey }) {
  const make = useMutation(useNewKey())
  if (make.data)
    return (
      <ShownOnce text={make.data.deviceKey} label="key">
        The new key of {deviceId ?? 'all devices'}, shown this once. When they connect with it,
        revoke the old one: it goes on until then.
      </ShownOnce>
    )
  return (
    <Form onSubmit={() => make.mutate({ name, ...(deviceId !== null && { deviceId }) })}>
      <p>
        {deviceId === null
          ? 'Every device may connect with the new key, too.'
          : `${deviceId} may connect with the new key, too.`}{' '}
        The old one,{' '}
        {lastUsedAt === null ? (
          'not used yet'
        ) : (
          <>
            last used <Time at={lastUsedAt} />
          </>
        )}
        , goes on until you revoke it: nobody is cut off.
      </p>
      <FormFault error={make.error} said="Not made." />
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary" isBusy={make.isPending}>
          Make another key
        </Button>
      </FormActs>
    </Form>
  )
}

function RevokeKey({ deviceKey: { id, name, deviceId } }: { deviceKey: DeviceKey }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () =>
      api.delete(`${KEYS}/{deviceKeyId}`, {
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
  const make = useNewKey()
  const first = { name: '' }
  const { save, submit, change, field } = useForm(first, {
    ...make,
    mutationFn: ({ name }) =>
      make.mutationFn({ name, ...(deviceId !== undefined && { deviceId }) }),
    onSuccess: () => {
      change(first)
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
