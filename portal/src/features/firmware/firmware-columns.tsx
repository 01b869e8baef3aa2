/** The columns of the table of firmwares, for a firmware, a version, and the line of those that are left out. */
import {
  type FirmwareInOverview,
  nameDeploymentState,
  type NewestVersion,
  type VersionInOverview,
} from '@plimsoll/api-client'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { Column } from '../../components/data-table.tsx'
import { DevicesLink } from '../../components/devices-link.tsx'
import { MARK_WORDS, MarkSentence, MarkSign, type MarkState } from '../../components/mark.tsx'
import { ShareBar } from '../../components/share-bar.tsx'
import { SeverityCounts } from '../../components/severity-counts.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { describeLeft, type FirmwareRow } from './firmware-rows.ts'
import css from './firmwares-page.module.css'
import { runningFindingsQuery } from './queries.ts'

interface Cells {
  firmware: (firmware: FirmwareInOverview, isFolded: boolean) => ReactNode
  version: (version: VersionInOverview) => ReactNode
  left?: (left: FirmwareInOverview['left']) => ReactNode
}

const cellOf =
  ({ firmware, version, left }: Cells) =>
  (row: FirmwareRow): ReactNode => {
    if (row.kind === 'firmware') return firmware(row.firmware, row.isFolded)
    return row.kind === 'version' ? version(row.version) : left?.(row.left)
  }

export const createColumns = (onFold: (slug: string) => void): readonly Column<FirmwareRow>[] => [
  {
    id: 'name',
    title: 'Firmware',
    width: 'minmax(216px, 1.2fr)',
    cell: cellOf({
      firmware: (firmware, isFolded) => (
        <FirmwareName firmware={firmware} isFolded={isFolded} onFold={onFold} />
      ),
      version: (version) => <VersionName version={version} />,
      left: (left) => <span className={css['left']}>{describeLeft(left)}</span>,
    }),
  },
  {
    id: 'runs',
    title: 'What devices run',
    width: 'minmax(160px, 1.5fr)',
    cell: cellOf({
      firmware: (firmware) => <Shares firmware={firmware} />,
      version: ({ mark }) => (
        <span className={css['sentenceOfMark']}>
          <MarkSentence mark={mark} />
        </span>
      ),
    }),
  },
  {
    id: 'devices',
    title: 'Devices',
    width: '76px',
    isNumber: true,
    cell: cellOf({
      firmware: ({ deviceCount }) => (
        <>
          <strong>{formatCount(deviceCount)}</strong>
          <Unit count={deviceCount} />
        </>
      ),
      version: ({ id, deviceCount }) => (
        <>
          {id === null ? (
            formatCount(deviceCount)
          ) : (
            <DevicesLink of={{ version: id }} count={deviceCount} isBare />
          )}
          <Unit count={deviceCount} />
        </>
      ),
    }),
  },
  {
    id: 'counts',
    title: 'Active findings',
    width: '250px',
    cell: cellOf({
      firmware: ({ id, deviceCount }) =>
        id !== null && deviceCount > 0 && <RunningFindings firmwareId={id} />,
      version: ({ id, countsBySeverity }) =>
        countsBySeverity === null ? (
          <span className={css['quiet']}>not known without an SBOM</span>
        ) : (
          <SeverityCounts versionId={id ?? undefined} counts={countsBySeverity} />
        ),
    }),
    isWideOnly: true,
  },
  {
    id: 'trend',
    title: '90 days',
    width: '92px',
    cell: cellOf({
      firmware: ({ trend }) => <Sparkline values={trend.map(({ devices }) => devices)} />,
      version: ({ trend }) => <Sparkline values={trend.map(({ devices }) => devices)} />,
    }),
    isWideOnly: true,
  },
  {
    id: 'next',
    title: 'Roll-outs',
    width: 'minmax(130px, 1fr)',
    cell: cellOf({ firmware: () => null, version: (version) => <NextStep version={version} /> }),
    isWideOnly: true,
  },
]

/** Cards have no head of the column that says what is counted. */
function Unit({ count }: { count: number }) {
  return <span className={css['unit']}> {count === 1 ? 'device' : 'devices'}</span>
}

interface FirmwareNameProps {
  firmware: FirmwareInOverview
  isFolded: boolean
  onFold: (slug: string) => void
}

function FirmwareName({ firmware, isFolded, onFold }: FirmwareNameProps) {
  const workspaceId = useWorkspaceId()
  const { id, slug, name, newest, lines, versionCount } = firmware
  const Chevron = isFolded ? IconChevronRight : IconChevronDown
  return (
    <span className={css['firmware']}>
      <button
        type="button"
        aria-expanded={!isFolded}
        aria-label={`Versions of ${name ?? slug}`}
        onClick={(event) => {
          event.stopPropagation()
          onFold(slug)
        }}
      >
        <Chevron size={16} aria-hidden="true" />
      </button>
      <span>
        {id === null ? (
          <strong>{slug}</strong>
        ) : (
          <Link
            to="/w/$workspaceId/firmware/$firmwareId"
            params={{ workspaceId, firmwareId: id }}
            title={slug}
          >
            {name}
          </Link>
        )}
        <small>
          {newest ? (
            <>
              newest <NewestVersions {...{ newest, lines }} /> · {formatCount(versionCount)} in all
            </>
          ) : id === null ? (
            'devices report it, and nobody registered it'
          ) : (
            'no version yet'
          )}
        </small>
      </span>
    </span>
  )
}

/** The newest version of all, or that of each release line. */
function NewestVersions({
  newest,
  lines,
}: {
  newest: NewestVersion
  lines: FirmwareInOverview['lines']
}) {
  if (lines.length === 0)
    return (
      <>
        <MarkSign state={newest.mark.state} size={14} /> <code>{newest.name}</code>,{' '}
        <Time at={newest.createdAt} as="date" />
      </>
    )
  return lines.map((line, place) => (
    <Fragment key={line.id}>
      {place > 0 && ', '}
      of {line.name} <MarkSign state={line.newest.mark.state} size={14} />{' '}
      <code>{line.newest.name}</code>
    </Fragment>
  ))
}

function VersionName({ version: { id, name, buildId, mark } }: { version: VersionInOverview }) {
  const workspaceId = useWorkspaceId()
  return (
    <span className={css['version']}>
      <MarkSign state={mark.state} isBesideWord />
      {id === null ? (
        <code title={buildId === null ? undefined : `build ${buildId}`}>{name}</code>
      ) : (
        <Link to="/w/$workspaceId/versions/$versionId" params={{ workspaceId, versionId: id }}>
          <code>{name}</code>
        </Link>
      )}
    </span>
  )
}

const WORSE: ReadonlySet<MarkState> = new Set(['Overloaded'])

/** The devices of a firmware by the mark of what they run: a bar, and the same in words that lead to the devices. */
function Shares({
  firmware: { id, deviceCount, devicesByMark, versions },
}: {
  firmware: FirmwareInOverview
}) {
  const workspaceId = useWorkspaceId()
  if (deviceCount === 0) return <span className={css['quiet']}>on no device</span>
  const shares = devicesByMark.filter(({ devices }) => devices > 0).toReversed()
  const say = ({ state, devices }: (typeof shares)[number]) =>
    `${formatCount(devices)} ${MARK_WORDS[state].toLowerCase()}`
  const hasUnregistered = versions.some((version) => version.id === null)
  return (
    <span className={css['shares']}>
      <ShareBar
        label={shares.map(say).join(', ')}
        shares={shares.map(({ state, devices }) => ({
          key: state,
          count: devices,
          className: css[state],
        }))}
        isSmall
      />
      <small>
        {shares.map((share, place) => (
          <span key={share.state} className={WORSE.has(share.state) ? css['worse'] : undefined}>
            {place > 0 && ', '}
            {id === null || (share.state === 'Unknown' && hasUnregistered) ? (
              say(share)
            ) : (
              <Link
                to="/w/$workspaceId/devices"
                params={{ workspaceId }}
                search={{ firmware: id, mark: share.state }}
              >
                {say(share)}
              </Link>
            )}
          </span>
        ))}
      </small>
    </span>
  )
}

/** Each finding is counted once, in however many versions it is. */
function RunningFindings({ firmwareId }: { firmwareId: string }) {
  const { data } = useQuery(runningFindingsQuery(useWorkspaceId(), firmwareId))
  if (!data?.bySeverity) return null
  const counts = data.bySeverity.map(({ severity, totalCount }) => ({
    severity,
    count: totalCount,
  }))
  return <SeverityCounts versionId={undefined} counts={counts} />
}

/** What is to be done with a version, or what is on its way. */
function NextStep({ version: { id, countsBySeverity, rollouts } }: { version: VersionInOverview }) {
  const workspaceId = useWorkspaceId()
  const [rollout, ...others] = rollouts
  if (rollout) {
    const { deploymentCohortId, deploymentId, state, cohortName, unfinished } = rollout
    const isHeld = state === 'Paused' || state === 'Stopped'
    return (
      <Link
        to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
        params={{ workspaceId, deploymentCohortId, deploymentId }}
        className={isHeld ? css['held'] : undefined}
        title={rollouts
          .map((one) => `${describeRollout(one.state, one.unfinished)}: ${one.cohortName}`)
          .join(', ')}
      >
        {describeRollout(state, unfinished)}: {cohortName}
        {others.length > 0 && `, +${others.length}`}
      </Link>
    )
  }
  if (id === null)
    return (
      <Link to="/w/$workspaceId/devices" params={{ workspaceId }} search={{ show: 'unknown' }}>
        Register it
      </Link>
    )
  if (countsBySeverity !== null) return null
  return (
    <Link
      to="/w/$workspaceId/versions/$versionId"
      params={{ workspaceId, versionId: id }}
      search={{ tab: 'sboms' }}
    >
      Add SBOM
    </Link>
  )
}

function describeRollout(state: string, unfinished: number): string {
  if (state === 'Running') return `${formatCount(unfinished)} to go`
  return nameDeploymentState({ state })
}
