/** One device: what runs on it, what it says, and what it was told. */
import { ApiProblem, type Device, type WithEntityTag } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { WhoDidWhat } from '../../components/audit/who-did-what.tsx'
import { Copyable } from '../../components/copyable.tsx'
import { Mark } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { CurrentUpdate } from '../../components/update-columns.tsx'
import type { DeviceSearch } from '../../searches.ts'
import { useWorkspaceId } from '../../session.ts'
import { ArtifactOfferPanel } from './artifact-offer.tsx'
import { ConfigurationTab } from './configuration-tab.tsx'
import { CrashesTab } from './crashes-tab.tsx'
import { DeviceActs } from './device-acts.tsx'
import css from './devices.module.css'
import { DOORS } from './doors.ts'
import { FoundInIt } from './found-in-it.tsx'
import { ImageReport } from './image-report.tsx'
import { LogsTab } from './logs-tab.tsx'
import { MetricsTab } from './metrics-tab.tsx'
import { Presence } from './presence.tsx'
import { deviceQuery } from './queries.ts'
import { RegistrationTab } from './registration-tab.tsx'
import { UpdatesTab } from './updates-tab.tsx'

export function DevicePage() {
  const { deviceId } = useParams({ from: '/w/$workspaceId/devices/$deviceId' })
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(deviceQuery(workspaceId, deviceId))
  return (
    <>
      <TopBar
        title={deviceId}
        subject={`device:${deviceId}`}
        trail={[
          <Link key="list" to="/w/$workspaceId/devices" params={{ workspaceId }}>
            Devices
          </Link>,
        ]}
      >
        <code>{deviceId}</code>
      </TopBar>
      <Page>
        {isGone(error) && <Gone deviceId={deviceId} wasHere={data !== undefined} />}
        {error && !isGone(error) && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={8} />}
        {data && !isGone(error) && <Content device={data} />}
      </Page>
    </>
  )
}

/** Deleted, perhaps while the page was open. */
function isGone(error: unknown): boolean {
  return error instanceof ApiProblem && error.problem.status === 404
}

function Gone({ deviceId, wasHere }: { deviceId: string; wasHere: boolean }) {
  const workspaceId = useWorkspaceId()
  return (
    <div role="alert">
      <Empty
        title={wasHere ? `${deviceId} was deleted` : `There is no device ${deviceId}`}
        action={
          <Link to="/w/$workspaceId/devices" params={{ workspaceId }}>
            All devices
          </Link>
        }
      >
        {wasHere
          ? 'Somebody deleted it while this page was open, with its keys, metrics and logs. The audit log says who.'
          : 'It was deleted, or was never here. Check the id.'}
      </Empty>
    </div>
  )
}

function Content({ device }: { device: WithEntityTag<Device> }) {
  const search = useSearch({ from: '/w/$workspaceId/devices/$deviceId' })
  const navigate = useNavigate({ from: '/w/$workspaceId/devices/$deviceId' })
  const go = (next: DeviceSearch) => void navigate({ search: next, replace: true })
  const open = search.tab ?? 'runs'
  return (
    <>
      <Head device={device} />
      <Clone device={device} />
      <div className={css['tabs']}>
        <Tabs
          label={device.id}
          tabs={[
            { id: 'runs', title: 'Runs' },
            { id: 'configuration', title: 'Configuration' },
            { id: 'metrics', title: 'Metrics' },
            { id: 'logs', title: 'Logs' },
            { id: 'crashes', title: 'Crashes' },
            { id: 'updates', title: 'Updates' },
            { id: 'registration', title: 'Registration' },
          ]}
          open={open}
          onOpen={(tab) => go(tab === 'runs' ? {} : { tab })}
        >
          <OpenTab
            device={device}
            open={open}
            search={search}
            onChange={(next) => go({ ...search, ...next })}
          />
        </Tabs>
      </div>
    </>
  )
}

interface OpenTabProps {
  device: Device
  open: NonNullable<DeviceSearch['tab']>
  search: DeviceSearch
  onChange: (next: DeviceSearch) => void
}

function OpenTab({ device, open, search, onChange }: OpenTabProps) {
  switch (open) {
    case 'configuration':
      return <ConfigurationTab deviceId={device.id} />
    case 'metrics':
      return <MetricsTab device={device} search={search} onChange={onChange} />
    case 'logs':
      return <LogsTab deviceId={device.id} search={search} onChange={onChange} />
    case 'crashes':
      return <CrashesTab deviceId={device.id} />
    case 'updates':
      return <UpdatesTab deviceId={device.id} />
    case 'registration':
      return <RegistrationTab device={device} />
    case 'runs':
      return <RunsTab device={device} />
  }
}

function Head({ device }: { device: WithEntityTag<Device> }) {
  const workspaceId = useWorkspaceId()
  const { id, description, tags, cohort, door, client, firstSeenAt } = device
  return (
    <header className={css['head']}>
      <div>
        <h2>
          <Copyable text={id} label="device" />
        </h2>
        {description !== null && <p>{description}</p>}
        <p className={css['facts']}>
          <Presence device={device} />
          {door !== null && <span>by {DOORS[door]}</span>}
          {/* Many MQTT clients call themselves as their device. */}
          {client !== null && client !== id && <span>{client}</span>}
          {cohort && (
            <Link
              to="/w/$workspaceId/deployments/$deploymentCohortId"
              params={{ workspaceId, deploymentCohortId: cohort.id }}
            >
              {cohort.name}
            </Link>
          )}
          {firstSeenAt !== null && (
            <span>
              here since <Time at={firstSeenAt} as="date" />
            </span>
          )}
          {tags.map((tag) => (
            <Link key={tag} to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ tag }}>
              <Tag>{tag}</Tag>
            </Link>
          ))}
        </p>
      </div>
      <DeviceActs device={device} />
    </header>
  )
}

/** Counts and findings of two devices under one id are of neither. */
function Clone({ device: { alternation } }: { device: Device }) {
  if (!alternation) return null
  const { name, values, returns, lastAt } = alternation
  return (
    <p className={css['clone']} role="status">
      <Tag tone="warn">two devices?</Tag> Its {name} goes to and fro between {values.join(' and ')}:{' '}
      {returns === 1 ? 'once' : `${returns} times`}, last <Time at={lastAt} />. If a disk was
      copied, give each device an id and a key of its own.
    </p>
  )
}

function RunsTab({ device }: { device: Device }) {
  const { firmware, currentUpdate, reportedAt, unnamedVersion } = device
  return (
    <div className={css['stack']}>
      <Panel
        title="Firmware"
        note={
          reportedAt === null ? undefined : (
            <>
              as it said <Time at={reportedAt} />
            </>
          )
        }
        isFlush
      >
        {unnamedVersion !== null && (
          <Empty
            title={`Unknown; reports ${unnamedVersion.attribute}=${unnamedVersion.version}: of which firmware?`}
          >
            The workspace has several firmwares. Let its client report{' '}
            <code>firmware.SLUG={unnamedVersion.version}</code> instead, with the slug of the
            firmware: see{' '}
            <a href="/docs/guide/hawkbit.html#what-a-device-runs">What a device runs</a>.
          </Empty>
        )}
        {firmware.length === 0 && unnamedVersion === null && (
          <Empty title="It never said what it runs">
            Its findings are not known until it reports its firmware and version.
          </Empty>
        )}
        <ul className={css['spots']}>
          {firmware.map((one) => (
            <FirmwareRow key={one.slug} firmware={one} />
          ))}
        </ul>
      </Panel>
      <FoundInIt device={device} />
      {currentUpdate && <Update device={device} update={currentUpdate} />}
      <ArtifactOfferPanel device={device} />
      <WhoDidWhat subject={`device:${device.id}`} />
    </div>
  )
}

function FirmwareRow({ firmware }: { firmware: Device['firmware'][number] }) {
  const workspaceId = useWorkspaceId()
  const { slug, version, buildId, since, confirmed, firmwareVersion } = firmware
  return (
    <li>
      <div>
        {firmwareVersion ? (
          <Link
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId: firmwareVersion.id }}
          >
            <strong>{firmwareVersion.firmware.name}</strong> <code>{version}</code>
          </Link>
        ) : (
          <>
            <strong>{slug}</strong> <code>{version}</code>
          </>
        )}
        <p>
          since <Time at={since} as="dateTime" />
          {buildId !== null && <>; build {buildId}</>}
          {!confirmed && '; not confirmed by the device yet'}
        </p>
        <ImageReport firmware={firmware} />
      </div>
      {firmwareVersion ? (
        <Mark mark={firmwareVersion.mark} />
      ) : (
        <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ show: 'unknown' }}>
          Unknown version: describe it
        </Link>
      )}
    </li>
  )
}

interface UpdateProps {
  device: Device
  update: NonNullable<Device['currentUpdate']>
}

function Update({ device, update }: UpdateProps) {
  const workspaceId = useWorkspaceId()
  const { deploymentId, deploymentName, state, progress, reason } = update
  return (
    <Panel title="Update" isFlush>
      <ul className={css['spots']}>
        <li>
          <div>
            {device.cohort ? (
              <Link
                to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
                params={{ workspaceId, deploymentCohortId: device.cohort.id, deploymentId }}
              >
                {deploymentName}
              </Link>
            ) : (
              deploymentName
            )}
            {reason !== null && <p>{reason}</p>}
          </div>
          <CurrentUpdate of={{ state, progress }} />
        </li>
      </ul>
    </Panel>
  )
}
