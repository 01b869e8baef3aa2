import { Textarea, TextInput } from '@mantine/core'
import type { TrustedKey } from '@plimsoll/api-client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { Form, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Dot, Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { trustedKeysQuery } from './queries.ts'
import { DeleteKey, RenameKey } from './trusted-key-acts.tsx'
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
          note="update files, SBOMs and statements that it signed count as verified; never send a private key"
        >
          <NewTrustedKey />
        </Panel>
      )}
      <Panel title="Trusted keys" isFlush>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={3} />}
        {data?.trustedKeys.length === 0 && (
          <p className={css['note']}>
            There is none yet: no update file, SBOM or statement can be verified.
          </p>
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
  { title: 'Ends', cell: (trustedKey) => <Ends {...trustedKey} /> },
]

/** Nothing is verified with a certificate that has ended, or that has not begun. */
function Ends({ beginsAt, endsAt }: TrustedKey) {
  if (endsAt === null) return 'never'
  const isEnded = Date.parse(endsAt) <= Date.now()
  const isAhead = beginsAt !== null && Date.parse(beginsAt) > Date.now()
  return (
    <>
      {isEnded && <Dot tone="danger">ended, verifies nothing</Dot>}
      <Time at={endsAt} as="date" />
      {isAhead && (
        <p className={css['note']}>
          begins <Time at={beginsAt} as="date" />
        </p>
      )}
    </>
  )
}

const ACTS: CardColumn<TrustedKey> = {
  title: 'Acts',
  isActs: true,
  cell: (trustedKey) => (
    <div className={css['acts']}>
      <RenameKey trustedKey={trustedKey} />
      <DeleteKey trustedKeyId={trustedKey.id} name={trustedKey.name} />
    </div>
  ),
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
