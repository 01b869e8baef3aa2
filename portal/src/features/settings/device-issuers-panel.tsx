/** Authorities whose certificates let devices in, and what is revoked of theirs. */
import { Select, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { DeviceIdField, DeviceIssuer } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { GoBack } from '../../components/dialog.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { CommandDialog } from '../../components/previewed-command.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { deviceIssuersQuery } from './queries.ts'
import css from './settings-page.module.css'

const ISSUERS = '/workspaces/{workspaceId}/device-issuers'
const ISSUER = `${ISSUERS}/{deviceIssuerId}` as const

export function DeviceIssuersPanel() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Devices: write')
  const { data, error, refetch } = useQuery(deviceIssuersQuery(workspaceId))
  return (
    <Panel
      title="Issuers of device certificates"
      note="devices with a certificate of one of them connect without a key"
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data?.deviceIssuers.length === 0 && (
        <p>None is trusted: certificates let no device in, and devices connect with keys.</p>
      )}
      {data && data.deviceIssuers.length > 0 && (
        <CardTable
          label="Issuers of device certificates"
          list="device-issuers"
          csv={{
            name: 'device-issuers',
            columns: ['id', 'name', 'subject', 'state', 'deviceCount', 'notAfter', 'nextEndAt'],
          }}
          columns={mayWrite ? [...COLUMNS, ACTS] : COLUMNS}
          rows={data.deviceIssuers}
          keyOf={({ id }) => id}
        />
      )}
      {mayWrite && data && <NewIssuer proofName={data.proofName} />}
    </Panel>
  )
}

const COLUMNS: readonly CardColumn<DeviceIssuer>[] = [
  {
    title: 'Name',
    isPlain: true,
    cell: ({ name, subject }) => (
      <>
        <strong>{name}</strong>
        <p className={css['note']}>{subject}</p>
      </>
    ),
  },
  {
    title: 'What holds',
    cell: ({ standing, revokedCount }) => (
      <span className={css['note']}>
        {standing}
        {revokedCount > 0 && ` The team revoked ${formatCountOf(revokedCount, 'certificate')}.`}
      </span>
    ),
  },
  { title: 'Devices', cell: ({ deviceCount }) => formatCount(deviceCount) },
  { title: 'Trusted until', cell: ({ notAfter }) => <Time at={notAfter} as="date" /> },
  {
    title: 'First end of a device',
    cell: ({ nextEndAt }) =>
      nextEndAt === null ? 'none was seen' : <Time at={nextEndAt} as="date" />,
  },
]

const ACTS: CardColumn<DeviceIssuer> = {
  title: 'Acts',
  isActs: true,
  cell: (issuer) => (
    <div className={css['row']}>
      <Revoking issuer={issuer} />
      <RemoveIssuer issuer={issuer} />
    </div>
  ),
}

function useRefreshed() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ['device-issuers', workspaceId] }),
      queryClient.invalidateQueries({ queryKey: ['device-keys', workspaceId] }),
    ])
}

function RemoveIssuer({ issuer: { id, name, deviceCount } }: { issuer: DeviceIssuer }) {
  const workspaceId = useWorkspaceId()
  const remove = useMutation({
    mutationFn: () => api.delete(ISSUER, { params: { workspaceId, deviceIssuerId: id } }),
    onSuccess: useRefreshed(),
  })
  const devices = `${formatCountOf(deviceCount, 'device')} with its certificates ${deviceCount === 1 ? 'is' : 'are'}`
  return (
    <ConfirmedButton
      size="small"
      label={`Remove ${name}`}
      title={`Trust ${name} no more?`}
      verb="Remove issuer"
      act={remove}
      what={`${devices} cut off at once, unless they have a key. What was revoked of it is forgotten.`}
    >
      Remove…
    </ConfirmedButton>
  )
}

function Revoking({ issuer }: { issuer: DeviceIssuer }) {
  const [isOpen, dialog] = useDisclosure(false)
  const { name } = issuer
  return (
    <>
      <Button
        size="small"
        aria-haspopup="dialog"
        aria-label={`Revoke certificates of ${name}`}
        onClick={dialog.open}
      >
        Revoke…
      </Button>
      {isOpen && (
        <CommandDialog title={`Revoke certificates of ${name}?`} onClose={dialog.close}>
          <RevokeSerial issuer={issuer} />
          <UploadList issuer={issuer} />
        </CommandDialog>
      )}
    </>
  )
}

function RevokeSerial({ issuer: { id } }: { issuer: DeviceIssuer }) {
  const workspaceId = useWorkspaceId()
  const { save, submit, field } = useForm(
    { serial: '' },
    {
      mutationFn: ({ serial }) =>
        api.post(`${ISSUER}/revocations`, {
          params: { workspaceId, deviceIssuerId: id },
          body: { serial },
        }),
      onSuccess: useRefreshed(),
    },
  )
  return (
    <Form onSubmit={submit} label="Revoke one certificate">
      <TextInput
        label="Serial number of one certificate"
        description="In hexadecimal. It is refused for good, whether it was seen or not."
        required
        {...field('serial')}
      />
      <FormFault error={save.error} said="Not revoked." />
      {save.data && (
        <p role="status">
          {save.data.serial} is revoked.{' '}
          {save.data.seenCount === 0
            ? 'No device has connected with it so far, or it was revoked before.'
            : 'The device with it is cut off.'}
        </p>
      )}
      <FormActs>
        <GoBack />
        <Button type="submit" kind="danger" isBusy={save.isPending}>
          Revoke certificate
        </Button>
      </FormActs>
    </Form>
  )
}

function UploadList({ issuer: { id } }: { issuer: DeviceIssuer }) {
  const workspaceId = useWorkspaceId()
  const { save, submit, field } = useForm(
    { crl: '' },
    {
      mutationFn: ({ crl }) =>
        api.post(`${ISSUER}/revocation-list`, {
          params: { workspaceId, deviceIssuerId: id },
          body: { crl },
        }),
      onSuccess: useRefreshed(),
    },
  )
  return (
    <Form onSubmit={submit} label="Upload a revocation list">
      <Textarea
        label="Or the revocation list of the issuer (CRL, PEM)"
        description="It takes the place of the one before. When it ends, all certificates of the issuer are refused until the next one is here."
        placeholder="-----BEGIN X509 CRL-----"
        required
        autosize
        minRows={4}
        maxRows={12}
        {...field('crl')}
      />
      <FormFault error={save.error} said="Not taken." />
      {save.data && (
        <p role="status">
          Taken. Certificates that it names: {save.data.revokedCount}; newly refused:{' '}
          {save.data.newlyRevokedCount}. It holds until{' '}
          <Time at={save.data.nextUpdate} as="dateTime" />.
        </p>
      )}
      <div>
        <Button type="submit" isBusy={save.isPending}>
          Upload list
        </Button>
      </div>
    </Form>
  )
}

const FIELDS: readonly { value: DeviceIdField; label: string }[] = [
  { value: 'CommonName', label: 'the common name' },
  { value: 'DnsName', label: 'a DNS name' },
  { value: 'Uri', label: 'a URI' },
]

const FIRST = {
  name: '',
  certificate: '',
  proof: '',
  deviceIdField: 'CommonName' as DeviceIdField,
  deviceIdPrefix: '',
  deviceIdSuffix: '',
}

function NewIssuer({ proofName }: { proofName: string }) {
  const workspaceId = useWorkspaceId()
  const refresh = useRefreshed()
  const { save, submit, change, field } = useForm(FIRST, {
    mutationFn: (body) => api.post(ISSUERS, { params: { workspaceId }, body }),
    onSuccess: async () => {
      change(FIRST)
      await refresh()
    },
  })
  return (
    <Form onSubmit={submit} label="New issuer of device certificates">
      <div className={css['row']}>
        <TextInput
          label="Name of the issuer"
          placeholder="Factory 2026"
          required
          {...field('name')}
        />
        <Select
          label="The id of a device is in"
          data={[...FIELDS]}
          allowDeselect={false}
          {...field('deviceIdField')}
        />
        <TextInput label="after" placeholder="urn:device:" {...field('deviceIdPrefix')} />
        <TextInput label="before" placeholder=".devices.example.com" {...field('deviceIdSuffix')} />
      </div>
      <Textarea
        label="Certificate of the authority that issues them (PEM)"
        placeholder="-----BEGIN CERTIFICATE-----"
        required
        autosize
        minRows={3}
        maxRows={12}
        {...field('certificate')}
      />
      <Textarea
        label={`Proof: a certificate that it issued for ${proofName} (PEM)`}
        description="It shows that you hold the key of the authority: nobody else can claim it."
        placeholder="-----BEGIN CERTIFICATE-----"
        required
        autosize
        minRows={3}
        maxRows={12}
        {...field('proof')}
      />
      <FormFault error={save.error} />
      <div>
        <Button type="submit" isBusy={save.isPending}>
          Trust issuer
        </Button>
      </div>
    </Form>
  )
}
