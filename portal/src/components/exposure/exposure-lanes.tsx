/** Releases as points in one line, roll-outs as bars in a line for each cohort, under the axis of the chart. */
import type { TimeScale } from '../scales.ts'
import { countOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import css from './exposure-chart.module.css'
import { lanesOf, placeReleases, type RolloutLane } from './exposure-marks.ts'
import type { Exposure } from '../../workspace-queries.ts'

export interface LanesProps {
  exposure: Exposure
  x: TimeScale
  /** Where the chart begins, in pixels. */
  left: number
  /** Names stand over their lanes. */
  isNarrow: boolean
}

export function Lanes({ exposure: { releases, rollouts }, x, left, isNarrow }: LanesProps) {
  const within = (at: Date) => Math.min(Math.max(x.placeOf(at), left), x.right)
  const { lanes, hidden } = lanesOf(rollouts)
  const nameWidth = isNarrow ? undefined : left - 12
  return (
    <div className={`${css['lanes']} ${isNarrow ? css['narrow'] : ''}`}>
      {releases.length > 0 && (
        <Releases {...{ releases, left, within, nameWidth }} right={x.right} />
      )}
      {lanes.map((lane) => (
        <Rollouts key={lane.cohortId} {...{ lane, within, nameWidth }} />
      ))}
      {hidden > 0 && (
        <p className={css['more']}>and roll-outs of {countOf(hidden, 'more cohort')}</p>
      )}
    </div>
  )
}

interface LaneProps {
  within: (at: Date) => number
  nameWidth: number | undefined
}

interface ReleasesProps extends LaneProps {
  releases: Exposure['releases']
  left: number
  right: number
}

function Releases({ releases, left, right, within, nameWidth }: ReleasesProps) {
  const placed = placeReleases(releases, { left, right, placeOf: (at) => within(new Date(at)) })
  return (
    <div className={css['lane']}>
      <span style={{ maxWidth: nameWidth }}>Releases</span>
      {placed.map(({ release, left: place, name, label, side }) => (
        <i
          key={release.firmwareVersionId}
          className={css['release']}
          style={{ left: place }}
          title={`${name}, ${formatDate(release.at)}`}
        >
          {side !== undefined && <code className={css[side]}>{label}</code>}
        </i>
      ))}
    </div>
  )
}

/** A letter in a bar, in pixels. */
const LETTER = 6.2

function Rollouts({
  lane: { cohortName, rollouts },
  within,
  nameWidth,
}: LaneProps & { lane: RolloutLane }) {
  return (
    <div className={css['lane']}>
      <span style={{ maxWidth: nameWidth }} title={`Roll-outs to ${cohortName}`}>
        {cohortName}
      </span>
      {rollouts.map(
        ({ deploymentId, startedAt, endedAt, firmwareVersionName, state, isRollback }) => {
          const from = within(new Date(startedAt))
          const to = within(endedAt === null ? new Date() : new Date(endedAt))
          // A pixel less, so that one that follows at once is told from it.
          const width = Math.max(3, to - from - 1)
          const name = `${isRollback ? '↩ ' : ''}${firmwareVersionName ?? ''}`
          return (
            <i
              key={deploymentId}
              className={`${css['rollout']} ${css[state] ?? ''}`}
              style={{ left: from, width }}
              title={`${isRollback ? 'Back to ' : ''}${firmwareVersionName ?? ''}, ${cohortName}, from ${formatDate(startedAt)}, ${state.toLowerCase()}`}
            >
              {name.length * LETTER + 8 <= width && name}
            </i>
          )
        },
      )}
    </div>
  )
}
