/** Where this device crashed. */
import type { CrashReport, DeviceCrashes } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CrashStack } from '../../components/crashes/crash-stack.tsx'
import crashes from '../../components/crashes/crashes.module.css'
import { HowToReport } from '../../components/crashes/how-to-report.tsx'
import { deviceCrashesQuery } from '../../components/crashes/queries.ts'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'

export function CrashesTab({ deviceId }: { deviceId: string }) {
  const query = useQuery(deviceCrashesQuery(useWorkspaceId(), deviceId))
  const { data } = query
  return (
    <ListPanel
      query={query}
      rows={data?.reports}
      title="Crashes"
      note={data && data.reports.length > 0 && 'the newest ones'}
      foot={
        data && (
          <>
            <ReportsCrashes of={data} />
            <NotKept of={data} />
          </>
        )
      }
      empty={
        <Empty title={data && data.reportsSince !== null ? 'No crash' : 'It has told no crash'}>
          {data && data.reportsSince !== null ? 'It reports crashes.' : <HowToReport />}
        </Empty>
      }
    >
      {(reports) => (
        <ul className={crashes['rows']}>
          {reports.map((report) => (
            <Report key={report.id} report={report} />
          ))}
        </ul>
      )}
    </ListPanel>
  )
}

function Report({ report }: { report: CrashReport }) {
  const workspaceId = useWorkspaceId()
  const { crashGroupId, reason, time, deviceTime, firmwareVersion, thread } = report
  return (
    <li>
      <div>
        <Link to="/w/$workspaceId/crashes/$crashGroupId" params={{ workspaceId, crashGroupId }}>
          {reason}
        </Link>
        <p>
          {firmwareVersion === null ? 'version not known' : `with ${firmwareVersion.name}`}
          {thread !== null && `, in thread ${thread}`}
          {deviceTime !== null && (
            <>
              ; its own clock said <Time at={deviceTime} as="dateTime" />
            </>
          )}
        </p>
        <details>
          <summary>{formatCountOf(report.frames.length, 'address', 'addresses')}</summary>
          <CrashStack report={report} />
        </details>
      </div>
      <Time at={time} as="dateTime" />
    </li>
  )
}

function ReportsCrashes({ of }: { of: DeviceCrashes }) {
  const { reportsSince, unknownSince, knownBy, knownUntil } = of
  if (unknownSince !== null && knownBy === 'Crash')
    return (
      <p className={css['note']}>
        It sent crashes, the last one 30 days before <Time at={unknownSince} />, and never said that
        it reports them: from then on it may crash unseen.
      </p>
    )
  if (unknownSince !== null)
    return (
      <p className={css['note']}>
        It said that it reports crashes, and says it no more since <Time at={unknownSince} />: from
        then on it may crash unseen.
      </p>
    )
  if (reportsSince === null)
    return (
      <p className={css['note']}>
        Nothing says that this device reports crashes: it may crash unseen.
      </p>
    )
  if (knownUntil !== null)
    return (
      <p className={css['note']}>
        It sent a crash, and does not say that it reports them: without a further one it counts as a
        device that does until <Time at={knownUntil} />.
      </p>
    )
  return (
    <p className={css['note']}>
      Says that it reports crashes, as far as is known since <Time at={reportsSince} />.
    </p>
  )
}

function NotKept({ of: { droppedCount, malformedCount, lastFault } }: { of: DeviceCrashes }) {
  if (droppedCount === 0 && malformedCount === 0) return null
  return (
    <p className={css['note']}>
      {droppedCount > 0 &&
        `${formatCountOf(droppedCount, 'more crash was', 'more crashes were')} sent and not kept: of a device 60 an hour are kept, of a workspace 10,000 different stacks. `}
      {malformedCount > 0 &&
        `${formatCountOf(malformedCount, 'crash', 'crashes')} could not be read${lastFault === null ? '' : `, the last one as ${lastFault}`}.`}
    </p>
  )
}
