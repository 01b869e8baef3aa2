/** The overview for a screen on a wall: large, without rail, asks again by itself, and says how old it is. */
import { useInterval } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { OpenCases } from '../../components/cases/open-cases.tsx'
import { useShell } from '../../components/shell-context.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { formatAgo, formatDateTime } from '../../format/dates.ts'
import { useWorkspace, useWorkspaceId } from '../../session.ts'
import { overviewQuery } from '../../workspace-queries.ts'
import { ExposurePanel } from './exposure-panel.tsx'
import { FirmwareInField } from './firmware-in-field.tsx'
import { NeedsYou } from './needs-you.tsx'
import { Opening } from './opening.tsx'
import css from './wall.module.css'

/** The stream of events is quicker; this is for what it does not speak of, and for when it is gone. */
const EVERY_MS = 30_000
const SECOND_MS = 1000

export default function Wall() {
  const workspaceId = useWorkspaceId()
  const name = useWorkspace()?.name ?? 'Overview'
  const queryClient = useQueryClient()
  const { data, error, dataUpdatedAt, refetch } = useQuery(overviewQuery(workspaceId))
  useInterval(() => void queryClient.refetchQueries({ type: 'active' }), EVERY_MS, {
    autoInvoke: true,
  })
  useEffect(() => {
    document.title = `${name} · Plimsoll`
  }, [name])
  return (
    <div className={css['wall']} data-scroll="" tabIndex={0}>
      <header className={css['head']}>
        <h1>{name}</h1>
        {data && <Age at={dataUpdatedAt} hasFailed={error !== null} />}
        <Link to="/w/$workspaceId" params={{ workspaceId }}>
          Leave the wall
        </Link>
      </header>
      {/* Also where the figures are slow, or fail. */}
      <OpenCases />
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={10} />}
      {data && (
        <>
          <div className={css['opening']}>
            <Opening devices={data.devices} />
          </div>
          <div className={css['top']}>
            <ExposurePanel devices={data.devices} isFixed />
            <div className={css['needs']}>
              <NeedsYou needs={data.needsYou} />
            </div>
          </div>
          <FirmwareInField versions={data.firmwareVersions} total={data.firmwareVersionCount} />
        </>
      )}
    </div>
  )
}

/** When the figures are from. Nobody stands before a wall to reload it, so it must not look newer than it is. */
function Age({ at, hasFailed }: { at: number; hasFailed: boolean }) {
  const { silentSince } = useShell()
  const [now, setNow] = useState(() => new Date())
  useInterval(() => setNow(new Date()), SECOND_MS, { autoInvoke: true })
  const read = new Date(at)
  const isOld = now.getTime() - at > 2 * EVERY_MS
  if (silentSince === undefined && !hasFailed && !isOld)
    return (
      <p className={css['live']} role="status">
        Live · {formatDateTime(now)}
      </p>
    )
  return (
    <p className={css['old']} role="status">
      Not live: figures of {formatDateTime(read)}, {formatAgo(read, now)}
    </p>
  )
}
