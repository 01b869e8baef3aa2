import type { Terminal } from '@plimsoll/api-client'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import css from './settings-page.module.css'

export const terminalsQuery = queryOptions({
  queryKey: ['me', 'terminals'],
  queryFn: () => api.get('/me/terminals', {}),
})

/** Where `plimsoll login` acts for whoever is signed in. */
export function TerminalsPanel() {
  const { data } = useQuery(terminalsQuery)
  if (!data || data.length === 0) return null
  return (
    <Panel id="terminals" title="Terminals" note="that act for you, with plimsoll login" isFlush>
      <CardTable
        label="Terminals"
        list="terminals"
        csv={FILE}
        columns={COLUMNS}
        rows={data}
        keyOf={({ id }) => id}
      />
    </Panel>
  )
}

const FILE: ListFile<Terminal> = {
  name: 'terminals',
  columns: [
    'name',
    ['workspace', ({ workspaceName }) => workspaceName],
    ['scopes', ({ scopes }) => scopes.join(' ')],
    'lastUsedAt',
    'expiresAt',
  ],
}

const COLUMNS: readonly CardColumn<Terminal>[] = [
  { title: 'Terminal', isPlain: true, cell: ({ name }) => <strong>{name}</strong> },
  {
    title: 'Acts in',
    cell: ({ workspaceName, scopes }) => (
      <>
        {workspaceName}
        <p className={css['note']}>{formatCountOf(scopes.length, 'scope')}</p>
      </>
    ),
  },
  {
    title: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'not used yet' : <Time at={lastUsedAt} />),
  },
  {
    title: 'Until',
    cell: ({ expiresAt }) =>
      expiresAt === null ? 'until it is logged out' : <Time at={expiresAt} as="date" />,
  },
  { title: 'Acts', isActs: true, cell: (terminal) => <LogOut terminal={terminal} /> },
]

function LogOut({ terminal: { id, name, workspaceName } }: { terminal: Terminal }) {
  const queryClient = useQueryClient()
  const end = useMutation({
    mutationFn: () => api.delete('/me/terminals/{apiKeyId}', { params: { apiKeyId: id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: terminalsQuery.queryKey }),
  })
  return (
    <ConfirmedButton
      size="small"
      label={`Log out: ${name}`}
      title={`Log out ${name}?`}
      verb="Log out"
      act={end}
      what={`Commands there are refused until you log in to ${workspaceName} again.`}
    >
      Log out…
    </ConfirmedButton>
  )
}
