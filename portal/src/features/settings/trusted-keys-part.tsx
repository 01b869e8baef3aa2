import { Textarea, TextInput } from '@mantine/core'
import type { TrustedKey } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Dot, Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { trustedKeysQuery } from './queries.ts'
import css from './settings-page.module.css'

export function TrustedKeysPart() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Workspace settings: write')
  const { data, error, refetch } = useQuery(trustedKeysQuery(workspaceId))
  return (
    <>
      {mayWrite && (
        <Panel
          title="New trusted key"
          note="images that it signed count as verified; never send a private key"
        >
          <NewTrustedKey />
        </Panel>
      )}
      <Panel title="Trusted keys" isFlush>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={3} />}
        {data?.trustedKeys.length === 0 && (
          <p className={css['note']}>There is none yet: no image can be verified.</p>
        )}
        {data && data.trustedKeys.length > 0 && (
          <CardTable
            label="Trusted keys"
            list="trusted-keys"
            csv={{
              name: 'trusted-keys',
              columns: [
                'id',
                'name',
                'purpose',
                'kind',
                'algorithm',
                'fingerprint',
                'subject',
                'endsAt',
                'testKey',
                'createdByEmail',
                'createdAt',
              ],
            }}
            columns={mayWrite ? [...COLUMNS, ACTS] : COLUMNS}
            rows={data.trustedKeys}
            keyOf={({ id }) => id}
          />
        )}
      </Panel>
    </>
  )
}

const COLUMNS: readonly CardColumn<TrustedKey>[] = [
  {
    title: 'Name',
    isPlain: true,
    cell: ({ name, purpose, createdByEmail }) => (
      <>
        <strong>{name}</strong>
        <p className={css['note']}>
          {[purpose, createdByEmail !== null && `added by ${createdByEmail}`]
            .filter(Boolean)
            .join(' · ')}
        </p>
      </>
    ),
  },
  {
    title: 'Key',
    cell: ({ kind, algorithm, subject, fingerprint, testKey }) => (
      <>
        <Tag>{kind === 'Certificate' ? 'certificate' : 'public key'}</Tag> {algorithm}
        <p className={css['note']} title="SHA-256 of the public key">
          {subject} <code>{fingerprint.slice(0, 16)}…</code>
        </p>
        {testKey !== null && <Dot tone="danger">Everybody can sign with {testKey}</Dot>}
      </>
    ),
  },
  {
    title: 'Ends',
    cell: ({ endsAt }) => (endsAt === null ? 'never' : <Time at={endsAt} as="date" />),
  },
]

const ACTS: CardColumn<TrustedKey> = {
  title: 'Acts',
  isActs: true,
  cell: ({ id, name }) => <DeleteKey trustedKeyId={id} name={name} />,
}

function DeleteKey({ trustedKeyId, name }: { trustedKeyId: string; name: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/trusted-keys/{trustedKeyId}', {
        params: { workspaceId, trustedKeyId },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['trusted-keys', workspaceId] })
      await queryClient.invalidateQueries({ queryKey: ['firmware', workspaceId] })
    },
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Delete ${name}`}
      title={`Trust ${name} no more?`}
      verb="Delete key"
      act={remove}
      what="Images that only it verified are no longer verified from then on. The audit log keeps the key."
    >
      Delete…
    </ConfirmedButton>
  )
}

function NewTrustedKey() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const first = { name: '', purpose: '', key: '' }
  const { save, submit, change, field } = useForm(first, {
    mutationFn: ({ name, purpose, key }) =>
      api.post('/workspaces/{workspaceId}/trusted-keys', {
        params: { workspaceId },
        body: { name, key, ...(purpose.trim() !== '' && { purpose }) },
      }),
    onSuccess: async () => {
      change(first)
      await queryClient.invalidateQueries({ queryKey: ['trusted-keys', workspaceId] })
      await queryClient.invalidateQueries({ queryKey: ['firmware', workspaceId] })
    },
  })
  return (
    <Form onSubmit={submit} label="New trusted key">
      <div className={css['row']}>
        <TextInput label="Name" placeholder="Release key 2026" required {...field('name')} />
        <TextInput
          label="Purpose"
          placeholder="Release builds of the gateway"
          {...field('purpose')}
        />
      </div>
      <Textarea
        label="Public key or certificate"
        description="PEM, also of cosign; a public key of minisign; 32 bytes of Ed25519 in Base64 or hexadecimal"
        required
        autosize
        minRows={3}
        maxRows={12}
        {...field('key')}
      />
      <FormFault error={save.error} />
      <div>
        <Button type="submit" kind="primary" isBusy={save.isPending}>
          Trust this key
        </Button>
      </div>
    </Form>
  )
}
