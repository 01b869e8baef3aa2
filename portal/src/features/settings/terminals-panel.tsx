import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { ConfirmedButton } from '../../components/confirm.tsx'
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
  const queryClient = useQueryClient()
  const { data } = useQuery(terminalsQuery)
  const end = useMutation({
    mutationFn: (apiKeyId: string) =>
      api.delete('/me/terminals/{apiKeyId}', { params: { apiKeyId } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: terminalsQuery.queryKey }),
  })
  if (!data || data.length === 0) return null
  return (
    <Panel title="Terminals" note="that act for you, with plimsoll login" isFlush>
      <div className={css['scroll']} tabIndex={0}>
        <table className={css['table']}>
          <tbody>
            {data.map(({ id, name, workspaceName, scopes, lastUsedAt, expiresAt }) => (
              <tr key={id}>
                <td>
                  {name}
                  <p className={css['note']}>
                    {workspaceName}, {formatCountOf(scopes.length, 'scope')}
                  </p>
                </td>
                <td>
                  {lastUsedAt === null ? 'not used yet' : <Time at={lastUsedAt} />}
                  {expiresAt !== null && (
                    <p className={css['note']}>
                      until <Time at={expiresAt} as="date" />
                    </p>
                  )}
                </td>
                <td>
                  <ConfirmedButton
                    size="small"
                    label={`Log out: ${name}`}
                    title={`Log out ${name}?`}
                    verb="Log out"
                    act={{ ...end, mutate: (_, then) => end.mutate(id, then) }}
                    what={`Commands there are refused until you log in to ${workspaceName} again.`}
                  >
                    Log out…
                  </ConfirmedButton>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
