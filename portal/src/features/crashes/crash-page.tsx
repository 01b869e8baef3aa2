/** One kind of crash: where in the code, in which versions, on which devices, and whether it is fixed. */
import type { CrashGroupDetail, CrashReport } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { CrashStack } from '../../components/crashes/crash-stack.tsx'
import { CrashState } from '../../components/crashes/crash-state.tsx'
import { GroupTrend } from '../../components/crashes/crash-trends.tsx'
import { crashGroupQuery } from '../../components/crashes/queries.ts'
import { FailedPage } from '../../components/failed-page.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { findMax } from '../../components/extremes.ts'
import { Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { CrashActs } from './crash-acts.tsx'
import css from './crashes.module.css'

const route = getRouteApi('/w/$workspaceId/crashes/$crashGroupId')

export function CrashPage() {
  const { crashGroupId } = route.useParams()
  const workspaceId = useWorkspaceId()
  const query = useQuery(crashGroupQuery(workspaceId, crashGroupId))
  const error = findBlockingError(query)
  const { data } = query
  if (error) return <FailedPage title="Crash" error={error} onRetry={() => void query.refetch()} />
  return (
    <>
      <TopBar
        title={data?.title ?? 'Crash'}
        trail={[
          <Link key="devices" to="/w/$workspaceId/devices" params={{ workspaceId }}>
            Devices
          </Link>,
          <Link key="crashes" to="/w/$workspaceId/crashes" params={{ workspaceId }}>
            Crashes
          </Link>,
        ]}
      />
      <Page>{data ? <Content group={data} /> : <Loading rows={8} />}</Page>
    </>
  )
}

function Content({ group }: { group: CrashGroupDetail }) {
  const [newest] = group.reports
  return (
    <>
      <Head group={group} />
      <GroupTrend days={group.days} />
      {newest && (
        <Panel
          title="Where it stopped"
          note={
            <>
              as {newest.deviceId} told it <Time at={newest.time} />
              {newest.thread !== null && `, in thread ${newest.thread}`}
            </>
          }
          isFlush
        >
          <CrashStack report={newest} />
        </Panel>
      )}
      <div className={css['sides']}>
        <Versions versions={group.versions} />
        <Devices devices={group.devices} />
      </div>
      {newest && <Reports reports={group.reports} />}
    </>
  )
}

function Head({ group }: { group: CrashGroupDetail }) {
  const { closedAt, closedByEmail } = group
  const { title, firmware, firstSeenAt, firstVersion, lastSeenAt, crashCount, deviceCount } = group
  const workspaceId = useWorkspaceId()
  return (
    <header className={css['head']}>
      <div>
        <h2>{title}</h2>
        <p className={css['facts']}>
          <CrashState of={group} />
          {closedAt !== null && (
            <span>
              {closedByEmail === null ? 'marked' : `marked by ${closedByEmail}`}{' '}
              <Time at={closedAt} />
            </span>
          )}
          <span>
            {formatCountOf(crashCount, 'crash', 'crashes')} on{' '}
            {formatCountOf(deviceCount, 'device')}
          </span>
          <span>
            first <Time at={firstSeenAt} />
            {firstVersion !== null && ` in ${firstVersion.name}`}
          </span>
          <span>
            last <Time at={lastSeenAt} />
          </span>
          {firmware === null ? (
            <span>firmware not known</span>
          ) : (
            <Link
              to="/w/$workspaceId/firmware/$firmwareId"
              params={{ workspaceId, firmwareId: firmware.id }}
            >
              {firmware.name}
            </Link>
          )}
        </p>
      </div>
      <CrashActs group={group} />
    </header>
  )
}

/** Crashes of each version as a bar beside their count. */
function Versions({ versions }: Pick<CrashGroupDetail, 'versions'>) {
  const workspaceId = useWorkspaceId()
  const most = findMax(
    versions.map(({ crashCount }) => crashCount),
    1,
  )
  return (
    <Panel title="Versions" note="crashes since ever" isFlush>
      <ul className={css['versions']}>
        {versions.map(({ firmwareVersion, crashCount, deviceCount }) => (
          <li key={firmwareVersion?.id ?? ''}>
            {firmwareVersion === null ? (
              <em>not known</em>
            ) : (
              <Link
                to="/w/$workspaceId/versions/$versionId"
                params={{ workspaceId, versionId: firmwareVersion.id }}
                search={{ tab: 'crashes' }}
              >
                <code>{firmwareVersion.name}</code>
              </Link>
            )}
            <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
              <rect className={css['ground']} width="100" height="10" />
              <rect width={Math.max(1, (100 * crashCount) / most)} height="10" />
            </svg>
            <span>
              {formatCountOf(crashCount, 'crash', 'crashes')},{' '}
              {formatCountOf(deviceCount, 'device')}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const SHOWN = 12

function Devices({ devices }: Pick<CrashGroupDetail, 'devices'>) {
  const workspaceId = useWorkspaceId()
  const more = devices.length - SHOWN
  return (
    <Panel title="Devices" note="those that crashed last" isFlush>
      <ul className={css['versions']}>
        {devices.slice(0, SHOWN).map(({ deviceId, crashCount, lastAt }) => (
          <li key={deviceId}>
            <Link
              to="/w/$workspaceId/devices/$deviceId"
              params={{ workspaceId, deviceId }}
              search={{ tab: 'crashes' }}
            >
              <code>{deviceId}</code>
            </Link>
            <span>{formatCountOf(crashCount, 'crash', 'crashes')}</span>
            <Time at={lastAt} />
          </li>
        ))}
      </ul>
      {devices.length === 0 && (
        <p className={css['note']}>Older than what is kept of single devices.</p>
      )}
      {more > 0 && <p className={css['note']}>and {formatCount(more)} more</p>}
    </Panel>
  )
}

const REPORT_COLUMNS: readonly CardColumn<CrashReport>[] = [
  { title: 'Crashed', cell: ({ time }) => <Time at={time} as="dateTime" /> },
  { title: 'Device', cell: ({ deviceId }) => <code>{deviceId}</code> },
  {
    title: 'Version',
    cell: ({ firmwareVersion }) => firmwareVersion?.name ?? <em>not known</em>,
  },
  { title: 'Thread', cell: ({ thread }) => thread ?? <em>not told</em> },
  { title: 'Build', cell: ({ buildId }) => <code>{buildId ?? 'not known'}</code> },
]

function Reports({ reports }: Pick<CrashGroupDetail, 'reports'>) {
  return (
    <Panel title="Newest reports" isFlush>
      <CardTable
        list="crash-reports"
        csv={{
          name: 'crash-reports',
          columns: [
            'time',
            'deviceId',
            ['version', ({ firmwareVersion }) => firmwareVersion?.name ?? null],
            'thread',
            'buildId',
            ['frames', ({ frames }) => frames.map(({ address }) => address).join(' ')],
          ],
        }}
        label="Newest reports"
        columns={REPORT_COLUMNS}
        rows={reports}
        keyOf={({ id }) => id}
      />
    </Panel>
  )
}
