import { Checkbox, Select, TextInput } from '@mantine/core'
import type { ApiKey } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import { DeviceKeysPanel } from '../../components/device-keys-panel.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { KeyAges } from '../../components/key-ages.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useForm } from '../../components/use-form.ts'
import { useWorkspace, useWorkspaceId } from '../../session.ts'
import { DeviceIssuersPanel } from './device-issuers-panel.tsx'
import { apiKeysQuery } from './queries.ts'
import css from './settings-page.module.css'

export function ApiKeysPart() {
  const workspaceId = useWorkspaceId()
  const search = useSearch({ from: '/w/$workspaceId/settings/$part' })
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery(apiKeysQuery(workspaceId))
  return (
    <>
      <Panel
        title="New API key"
        note="for pipelines and tools; it does what its scopes say, nothing else"
      >
        <NewKey />
      </Panel>
      <Panel title="API keys" isFlush>
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={3} />}
        {data && (
          <CardTable
            label="API keys"
            list="api-keys"
            csv={{
              name: 'api-keys',
              columns: [
                'id',
                'name',
                ['scopes', ({ scopes }) => scopes.join('; ')],
                'createdByEmail',
                'lastUsedAt',
                'expiresAt',
                'revokedAt',
              ],
            }}
            columns={COLUMNS}
            rows={data}
            keyOf={({ id }) => id}
          />
        )}
      </Panel>
      <DeviceKeysPanel
        filters={{
          search,
          onChange: (next) => {
            void navigate({ to: '.', search: (given) => ({ ...given, ...next }), replace: true })
          },
        }}
      />
      <Panel
        title="Age of device keys"
        note="devices replace keys of their own by age, as the settings of the workspace and its cohorts say"
      >
        <KeyAges />
      </Panel>
      <DeviceIssuersPanel />
    </>
  )
}

const COLUMNS: readonly CardColumn<ApiKey>[] = [
  {
    title: 'Name',
    isPlain: true,
    cell: ({ name, createdByEmail }) => (
      <div className={css['keyName']}>
        <strong>{name}</strong>
        <p className={css['note']}>made by {createdByEmail}</p>
      </div>
    ),
  },
  {
    title: 'Scopes',
    cell: ({ scopes }) => <span className={css['note']}>{scopes.join(' · ')}</span>,
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
  },
  {
    title: 'Expires',
    cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Time at={expiresAt} as="date" />),
  },
  {
    title: 'Acts',
    isActs: true,
    cell: ({ id, name, revokedAt }) =>
      revokedAt === null ? <RevokeKey apiKeyId={id} name={name} /> : <Tag>revoked</Tag>,
  },
]

function RevokeKey({ apiKeyId, name }: { apiKeyId: string; name: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const revoke = useMutation({
    mutationFn: () =>
      api.delete('/workspaces/{workspaceId}/api-keys/{apiKeyId}', {
        params: { workspaceId, apiKeyId },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['api-keys', workspaceId] }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Revoke ${name}`}
      title={`Revoke the key ${name}?`}
      verb="Revoke key"
      act={revoke}
      what="Pipelines and tools that use it are refused from then on."
    >
      Revoke…
    </ConfirmedButton>
  )
}

const DAY_MS = 86_400_000
const LIFETIMES = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'a year' },
  { value: '', label: 'no end' },
]

function NewKey() {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mine = useWorkspace()?.scopes ?? []
  const first = { name: '', days: '365', scopes: [] as readonly string[] }
  const { save, submit, values, change, field, findFault } = useForm(first, {
    mutationFn: ({ name, days, scopes }) =>
      api.post('/workspaces/{workspaceId}/api-keys', {
        params: { workspaceId },
        body: {
          name,
          scopes: mine.filter((scope) => scopes.includes(scope)),
          ...(days !== '' && {
            expiresAt: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
          }),
        },
      }),
    onSuccess: async () => {
      change({ name: '' })
      await queryClient.invalidateQueries({ queryKey: ['api-keys', workspaceId] })
    },
  })
  const { scopes } = values
  const scopesFault = findFault('scopes')
  return (
    <Form onSubmit={submit} label="New API key">
      <div className={css['row']}>
        <TextInput label="Name" placeholder="CI of gateway" required {...field('name')} />
        <Select
          label="Works for"
          data={LIFETIMES}
          allowDeselect={false}
          {...field('days')}
          error={findFault('expiresAt')}
        />
      </div>
      <fieldset className={css['scopes']}>
        <legend>Scopes</legend>
        {mine.map((scope, index) => (
          <Checkbox
            key={scope}
            label={scope}
            checked={scopes.includes(scope)}
            // Said once, at the first.
            error={index === 0 ? scopesFault : scopesFault !== undefined}
            aria-invalid={scopesFault !== undefined}
            onChange={(event) =>
              change({
                scopes: event.currentTarget.checked
                  ? [...scopes, scope]
                  : scopes.filter((one) => one !== scope),
              })
            }
          />
        ))}
      </fieldset>
      <FormFault error={save.error} />
      {save.data && (
        <ShownOnce text={save.data.apiKey} label="API key">
          The key, shown this once:
        </ShownOnce>
      )}
      <div>
        <Button type="submit" kind="primary" disabled={scopes.length === 0} isBusy={save.isPending}>
          Create key
        </Button>
      </div>
    </Form>
  )
}
