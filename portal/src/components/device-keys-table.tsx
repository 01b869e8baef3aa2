/** Device keys and certificates: how they stand, and what can be done with each. */
import { useDisclosure } from '@mantine/hooks'
import type { BodyOf, DeviceKey } from '@plimsoll/api-client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api.ts'
import { formatCountOf } from '../format/counts.ts'
import { useMay, useWorkspaceId } from '../session.ts'
import { Button } from './button.tsx'
import { type CardColumn, CardTable } from './card-table.tsx'
import { ConfirmedButton } from './confirm.tsx'
import css from './device-keys-panel.module.css'
import { GoBack } from './dialog.tsx'
import type { ListFile } from './download-csv.ts'
import { Form, FormActs, FormFault, ShownOnce } from './form.tsx'
import { CommandDialog } from './previewed-command.tsx'
import { Tag } from './tag.tsx'
import { Time } from './time.tsx'

const KEYS = '/workspaces/{workspaceId}/device-keys'

export function DeviceKeysTable({ rows }: { rows: readonly DeviceKey[] }) {
  const mayWrite = useMay('Devices: write')
  return (
    <CardTable
      label="Device keys"
      list="device-keys"
      isPaged
      csv={KEYS_FILE}
      columns={mayWrite ? [...COLUMNS, ACTS] : COLUMNS}
      rows={rows}
      keyOf={({ id }) => id}
    />
  )
}

const KEYS_FILE: ListFile<DeviceKey> = {
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

export function useNewKey() {
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

function RevokeKey({ deviceKey }: { deviceKey: DeviceKey }) {
  const { id, name, deviceId, certificate } = deviceKey
  const kind = certificate ? 'certificate' : 'key'
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
      title={`Revoke the ${kind} ${name}?`}
      verb={`Revoke ${kind}`}
      act={revoke}
      what={
        deviceId === null
          ? 'Every device that connects with it is cut off at once, and stays off until it gets another key.'
          : `${deviceId} is cut off at once, and stays off until it gets another ${kind}.`
      }
    >
      Revoke…
    </ConfirmedButton>
  )
}
