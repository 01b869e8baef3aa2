import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
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
      <FormFault error={end.error} />
      <div className={css['scroll']} tabIndex={0}>
        <table className={css['table']}>
          <tbody>
            {data.map(({ id, name, workspaceName, scopes, lastUsedAt, expiresAt }) => (
              <tr key={id}>
                <td>
                  {name}
                  <p className={css['note']}>
                    {workspaceName}, {scopes.length} scopes
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
                  <Button
                    size="small"
                    aria-label={`Log out: ${name}`}
                    onClick={() => end.mutate(id)}
                  >
                    Log out
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
