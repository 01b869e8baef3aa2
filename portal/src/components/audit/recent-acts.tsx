import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { useWorkspaceId } from '../../session.ts'
import { Failure, Loading } from '../states.tsx'
import { Time } from '../time.tsx'
import css from './audit.module.css'
import { ActorSign, Sentence } from './sentence.tsx'

const SHOWN = 5

/** What is told anew when such a thing changes. */
const TOPICS: Readonly<Record<string, string>> = {
  vulnerability: 'findings',
  'firmware-version': 'sboms',
  device: 'devices',
  deployment: 'deployments',
}

export default function RecentList({ subject }: { subject: string }) {
  const workspaceId = useWorkspaceId()
  const type = subject.slice(0, subject.indexOf(':'))
  const { data, error, refetch } = useQuery({
    queryKey: [TOPICS[type] ?? 'audit-log', workspaceId, 'acts', subject],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/audit-log', {
        params: { workspaceId },
        query: { subject, limit: SHOWN },
      }),
  })
  if (!data) {
    return error ? <Failure error={error} onRetry={() => void refetch()} /> : <Loading rows={3} />
  }
  if (data.entries.length === 0)
    return <p className={css['none']}>The audit log has no entry about it.</p>
  return (
    <ul className={css['recent']} aria-label="Who did what">
      {data.entries.map((entry) => (
        <li key={entry.id}>
          <ActorSign entry={entry} />
          <div>
            <p>
              <Sentence entry={entry} />
            </p>
            {entry.note !== null && <p className={css['note']}>“{entry.note}”</p>}
          </div>
          <Time at={entry.createdAt} />
        </li>
      ))}
    </ul>
  )
}
