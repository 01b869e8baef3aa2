/** The vulnerabilities that one watches in the workspace. */
import type { WatchedVulnerability } from '@plimsoll/api-client'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { usePerform } from '../../components/perform.ts'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './settings-page.module.css'

const watchedQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['watches', workspaceId, 'all'],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/watched-vulnerabilities', { params: { workspaceId } }),
  })

export function WatchedPanel() {
  const query = useQuery(watchedQuery(useWorkspaceId()))
  return (
    <ListPanel
      id="watched"
      query={query}
      rows={query.data?.watches}
      title="Vulnerabilities that you watch"
      note="a mail tells you what changed about them in this workspace"
      head={
        query.data?.isMailConfigured === false && (
          <p className={`${css['note']} ${css['within']}`}>
            This service sends no mail yet, so nobody is told. What you watch counts once its
            operator has named a mail server.
          </p>
        )
      }
      empty={<Empty title="You watch none">Watch one on its page.</Empty>}
    >
      {(watches) => (
        <CardTable
          label="Watched vulnerabilities"
          list="watched"
          csv={CSV}
          columns={COLUMNS}
          rows={watches}
          keyOf={({ cveId }) => cveId}
        />
      )}
    </ListPanel>
  )
}

const CSV: ListFile<WatchedVulnerability> = {
  name: 'watched-vulnerabilities',
  columns: ['cveId', 'watchedAt', 'toldAt'],
}

const COLUMNS: readonly CardColumn<WatchedVulnerability>[] = [
  { title: 'Vulnerability', isPlain: true, cell: ({ cveId }) => <Named cveId={cveId} /> },
  { title: 'Since', cell: ({ watchedAt }) => <Time at={watchedAt} /> },
  {
    title: 'Last mail',
    cell: ({ toldAt }) => (toldAt === null ? 'none yet' : <Time at={toldAt} />),
  },
  { title: 'Acts', isActs: true, cell: ({ cveId }) => <Stop cveId={cveId} /> },
]

function Named({ cveId }: { cveId: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/vulnerabilities/$cveId" params={{ workspaceId, cveId }}>
      <code>{cveId}</code>
    </Link>
  )
}

function Stop({ cveId }: { cveId: string }) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('watches')
  const write = (isWatched: boolean) =>
    api.put('/workspaces/{workspaceId}/vulnerabilities/{cveId}/watch', {
      params: { workspaceId, cveId },
      body: { isWatched },
    })
  const stop = () =>
    perform({
      text: `You watch ${cveId} no longer`,
      send: async () => {
        await write(false)
        return async () => {
          await write(true)
          return undefined
        }
      },
    })
  return (
    <Button size="small" aria-label={`Stop watching ${cveId}`} onClick={() => void stop()}>
      Stop watching
    </Button>
  )
}
