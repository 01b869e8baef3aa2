/**
 * Releases as points in one line, roll-outs as bars in a line for each cohort, under the axis of the chart. Each leads to what it
 * names, and says so when somebody points at it or comes to it by keys.
 */
import type { Exposure } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { TimeScale } from '../scales.ts'
import { formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './exposure-chart.module.css'
import {
  groupIntoLanes,
  placeReleases,
  type PlacedRelease,
  type RolloutLane,
} from './exposure-marks.ts'

export interface LanesProps {
  exposure: Exposure
  x: TimeScale
  /** Where the chart begins, in pixels. */
  left: number
  /** Names stand over their lanes. */
  isNarrow: boolean
}

/** The mark that somebody points at: where it is, and what it says. */
interface PointedMark {
  left: number
  /** The top of its lane. */
  top: number
  lines: readonly string[]
}

export function Lanes({ exposure: { releases, rollouts }, x, left, isNarrow }: LanesProps) {
  const [pointed, setPointed] = useState<PointedMark>()
  const within = (at: Date) => Math.min(Math.max(x.placeOf(at), left), x.right)
  const { lanes, hidden } = groupIntoLanes(rollouts)
  const nameWidth = isNarrow ? undefined : left - 12
  const shared = { within, nameWidth, onPoint: setPointed }
  return (
    <div className={css['marks']}>
      <div className={`${css['lanes']} ${isNarrow ? css['narrow'] : ''}`}>
        {releases.length > 0 && <Releases {...{ releases, left, ...shared }} right={x.right} />}
        {lanes.map((lane) => (
          <Rollouts key={lane.cohortId} lane={lane} {...shared} />
        ))}
        {hidden > 0 && (
          <p className={css['more']}>and roll-outs of {formatCountOf(hidden, 'more cohort')}</p>
        )}
      </div>
      {pointed && <MarkTip pointed={pointed} right={x.right} isNarrow={isNarrow} />}
    </div>
  )
}

interface MarkTipProps {
  pointed: PointedMark
  right: number
  isNarrow: boolean
}

/** Over the mark's lane; on narrow screens as wide as the chart. */
function MarkTip({ pointed: { left, top, lines }, right, isNarrow }: MarkTipProps) {
  const [title, ...rest] = lines
  const beside = left > right / 2 ? { right: `calc(100% - ${left}px)` } : { left }
  const place = isNarrow ? { left: 0, right: 0 } : { ...beside, whiteSpace: 'nowrap' as const }
  return (
    <div
      className={`${css['tip']} ${css['over']}`}
      style={{ ...place, bottom: `calc(100% - ${top - 2}px)` }}
    >
      <strong>{title}</strong>
      {rest.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </div>
  )
}

interface LaneProps {
  within: (at: Date) => number
  nameWidth: number | undefined
  onPoint: (pointed: PointedMark | undefined) => void
}

/** What all marks have: a name for those who do not see them, and a tip for those who do. */
function pointing({ left, lines }: Omit<PointedMark, 'top'>, onPoint: LaneProps['onPoint']) {
  const show = ({ currentTarget }: { currentTarget: HTMLElement }) =>
    onPoint({ left, top: currentTarget.parentElement?.offsetTop ?? 0, lines })
  const hide = () => onPoint(undefined)
  return {
    'aria-label': lines.join(', '),
    onMouseEnter: show,
    onMouseLeave: hide,
    onFocus: show,
    onBlur: hide,
  }
}

interface ReleasesProps extends LaneProps {
  releases: Exposure['releases']
  left: number
  right: number
}

function Releases({ releases, left, right, within, nameWidth, onPoint }: ReleasesProps) {
  const placed = placeReleases(releases, { left, right, placeOf: (at) => within(new Date(at)) })
  return (
    <div className={css['lane']}>
      <span style={{ maxWidth: nameWidth }}>Releases</span>
      {placed.map((one) => (
        <ReleaseMark key={one.release.firmwareVersionId} placed={one} onPoint={onPoint} />
      ))}
    </div>
  )
}

function ReleaseMark({ placed, onPoint }: { placed: PlacedRelease } & Pick<LaneProps, 'onPoint'>) {
  const workspaceId = useWorkspaceId()
  const { release, left, name, label, side } = placed
  const lines = [name, `released ${formatDate(release.at)}`]
  return (
    <Link
      to="/w/$workspaceId/versions/$versionId"
      params={{ workspaceId, versionId: release.firmwareVersionId }}
      className={css['release']}
      style={{ left }}
      {...pointing({ left, lines }, onPoint)}
    >
      {side !== undefined && <code className={css[side]}>{label}</code>}
    </Link>
  )
}

function Rollouts({ lane, within, nameWidth, onPoint }: LaneProps & { lane: RolloutLane }) {
  const { cohortId, cohortName, rollouts } = lane
  const workspaceId = useWorkspaceId()
  return (
    <div className={css['lane']}>
      <span style={{ maxWidth: nameWidth }}>
        <Link
          to="/w/$workspaceId/deployments/$deploymentCohortId"
          params={{ workspaceId, deploymentCohortId: cohortId }}
          title={`Roll-outs to ${cohortName}`}
        >
          {cohortName}
        </Link>
      </span>
      {rollouts.map((rollout) => (
        <RolloutMark key={rollout.deploymentId} {...{ rollout, within, onPoint }} />
      ))}
    </div>
  )
}

/** A letter in a bar, in pixels. */
const LETTER = 6.2

interface RolloutMarkProps extends Omit<LaneProps, 'nameWidth'> {
  rollout: RolloutLane['rollouts'][number]
}

function RolloutMark({ rollout, within, onPoint }: RolloutMarkProps): ReactNode {
  const workspaceId = useWorkspaceId()
  const { deploymentCohortId, deploymentId, firmwareVersionName, state, isRollback } = rollout
  const from = within(new Date(rollout.startedAt))
  const end = findEnd(rollout)
  const to = within(end === undefined ? new Date() : new Date(end))
  // A pixel less, so that one that follows at once is told from it.
  const width = Math.max(3, to - from - 1)
  const text = `${isRollback ? '↩ ' : ''}${firmwareVersionName ?? ''}`
  return (
    <Link
      to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
      params={{ workspaceId, deploymentCohortId, deploymentId }}
      className={`${css['rollout']} ${css[state] ?? ''}`}
      style={{ left: from, width }}
      {...pointing({ left: from, lines: rolloutLines(rollout) }, onPoint)}
    >
      {text.length * LETTER + 8 <= width && text}
    </Link>
  )
}

/** As long as it took: to the last device that had it or failed, else to what ended it; undefined: it goes on. */
const findEnd = ({ finishedAt, endedAt }: RolloutMarkProps['rollout']) =>
  finishedAt ?? endedAt ?? undefined

function rolloutLines(rollout: RolloutMarkProps['rollout']): string[] {
  const { firmwareName, firmwareVersionName, cohortName, startedAt, finishedAt, state } = rollout
  const end = findEnd(rollout)
  const what = [firmwareName, firmwareVersionName].filter((part) => part !== null).join(' ')
  const until = end === undefined ? 'now' : formatDate(end)
  return [
    `${rollout.isRollback ? 'Back to ' : ''}${what} on ${cohortName}`,
    `${formatDate(startedAt)} to ${until}, ${finishedAt === null ? state.toLowerCase() : 'all devices done'}`,
  ]
}
