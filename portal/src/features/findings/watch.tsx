/** Whether whoever is signed in gets a mail when something about the vulnerability changes. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import { IconEye } from '@tabler/icons-react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { usePerform, writeValue } from '../../components/perform.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'

const PATH = '/workspaces/{workspaceId}/vulnerabilities/{cveId}/watch'

const watchQuery = (workspaceId: string, cveId: string) =>
  queryOptions({
    queryKey: ['watches', workspaceId, cveId],
    queryFn: () => api.get(PATH, { params: { workspaceId, cveId } }),
  })

export function WatchButton({ cveId }: { cveId: string }) {
  const workspaceId = useWorkspaceId()
  const params = { workspaceId, cveId }
  const { data } = useQuery(watchQuery(workspaceId, cveId))
  const perform = usePerform('watches')
  if (!data) return null
  const { isWatched, isMailConfigured, watcherCount } = data
  const mail = isMailConfigured
    ? 'a mail tells you when its records, findings or decisions change'
    : 'but there is no mail server, so nobody is told yet'
  const toggle = () =>
    void perform({
      text: isWatched ? `You watch ${cveId} no longer` : `You watch ${cveId}: ${mail}`,
      send: () =>
        writeValue({
          before: isWatched,
          after: !isWatched,
          read: async () => (await api.get(PATH, { params })).isWatched,
          write: (value) => api.put(PATH, { params, body: { isWatched: value } }),
        }),
    })
  return (
    <Button
      aria-pressed={isWatched}
      title={`${isWatched ? 'You watch it' : 'Watch it'}: ${mail}. ${formatCountOf(watcherCount, 'member')} ${watcherCount === 1 ? 'watches' : 'watch'} it.`}
      onClick={toggle}
    >
      <IconEye size={16} aria-hidden="true" /> {isWatched ? 'Watching' : 'Watch'}
    </Button>
  )
}
