/** How many devices have keys that are older than wanted, as it is or as it would be, and who cannot replace them. */
import { useDebouncedValue } from '@mantine/hooks'
import type { DeviceKeyAges } from '@plimsoll/api-client'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useWorkspaceId } from '../session.ts'
import { describeFailure } from './states.tsx'

interface Asked {
  /** As if so many days were saved; undefined: as it is. */
  days?: number | undefined
  /** Of this cohort, instead of the workspace. */
  cohortId?: string | undefined
}

const keyAgesQuery = (workspaceId: string, { days, cohortId }: Asked) =>
  queryOptions({
    queryKey: ['device-keys', workspaceId, 'ages', days, cohortId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/device-key-ages', {
        params: { workspaceId },
        query: {
          ...(days !== undefined && { days }),
          ...(cohortId !== undefined && { deploymentCohortId: cohortId }),
        },
      }),
    placeholderData: keepPreviousData,
    retry: false,
  })

const TYPING_MS = 300

export function KeyAges({ days, cohortId }: Asked) {
  const workspaceId = useWorkspaceId()
  const [asked] = useDebouncedValue(days, TYPING_MS)
  const query = useQuery(keyAgesQuery(workspaceId, { days: asked, cohortId }))
  const { data, error, isFetching } = query
  return (
    <div role="status" aria-label="Age of device keys" aria-busy={isFetching}>
      {error !== null && describeFailure(error)}
      {error === null && data && <Standing ages={data} workspaceId={workspaceId} />}
    </div>
  )
}

function Standing({ ages, workspaceId }: { ages: DeviceKeyAges; workspaceId: string }) {
  return (
    <p>
      {ages.standing}{' '}
      {ages.unable > 0 && (
        <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ rotation: 'Unable' }}>
          Show who was told in vain
        </Link>
      )}
      {ages.withoutOwnKey > 0 && (
        <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ key: 'none' }}>
          Show devices without a key of their own
        </Link>
      )}
      <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ sort: 'OldestKeyAt' }}>
        Show devices, the oldest key first
      </Link>
    </p>
  )
}
