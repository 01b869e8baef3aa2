/** What the chart draws, to read. */
import { type Exposure, nameDeploymentState } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { countByLayer, LAYERS } from '../../components/exposure/exposure-rows.ts'
import { Panel } from '../../components/panel.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './exposure-page.module.css'

type Day = Exposure['days'][number]

interface DayTableProps {
  days: readonly Day[]
  isOfVulnerability: boolean
}

export function DayTable({ days, isOfVulnerability }: DayTableProps) {
  const columns = isOfVulnerability ? ['With it'] : [...LAYERS.map(({ name }) => name), 'Exploited']
  const countsIn = (day: Day): number[] => {
    if (isOfVulnerability) return [day.affected ?? 0]
    const counts = countByLayer(day.byWorst)
    return [...LAYERS.map(({ id }) => counts[id] ?? 0), day.exploited]
  }
  return (
    <details className={css['details']}>
      <summary>As a table</summary>
      <div className={css['scroll']} tabIndex={0} role="region" aria-label="Devices by day">
        <table>
          <thead>
            <tr>
              {['Day', 'Devices', ...columns].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {withMissing(days).map(({ day, counted }) => (
              <tr key={day}>
                <th scope="row">{formatDate(`${day}T12:00:00Z`)}</th>
                {counted ? (
                  [counted.deviceCount, ...countsIn(counted)].map((count, index) => (
                    <td key={index} className="numbers">
                      {formatCount(count)}
                    </td>
                  ))
                ) : (
                  <td colSpan={columns.length + 1}>not counted</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

const DAY_MS = 86_400_000

/** Newest first, with the days between them that nobody counted. */
function withMissing(days: readonly Day[]): { day: string; counted: Day | undefined }[] {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return []
  const known = new Map(days.map((day) => [day.day, day]))
  const count = (Date.parse(last.day) - Date.parse(first.day)) / DAY_MS + 1
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.parse(last.day) - index * DAY_MS).toISOString().slice(0, 10)
    return { day, counted: known.get(day) }
  })
}

/** Newest first; each leads to what it names. */
export function MarkTable({ exposure: { releases, rollouts } }: { exposure: Exposure }) {
  const marks = [
    ...releases.map((release) => ({ at: release.at, key: release.firmwareVersionId, release })),
    ...rollouts.map((rollout) => ({ at: rollout.startedAt, key: rollout.deploymentId, rollout })),
  ].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
  if (marks.length === 0) return null
  return (
    <Panel
      title="What happened in these days"
      note={`${formatCountOf(releases.length, 'release')}, ${formatCountOf(rollouts.length, 'roll-out')}`}
      isFlush
    >
      <ol className={css['marks']}>
        {marks.map((mark) => (
          <li key={mark.key}>
            <Time at={mark.at} as="dateTime" />
            {'release' in mark ? (
              <ReleaseMark release={mark.release} />
            ) : (
              <RolloutMark rollout={mark.rollout} />
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

function ReleaseMark({ release }: { release: Exposure['releases'][number] }) {
  const workspaceId = useWorkspaceId()
  return (
    <span>
      Release of{' '}
      <Link
        to="/w/$workspaceId/versions/$versionId"
        params={{ workspaceId, versionId: release.firmwareVersionId }}
      >
        {release.firmwareName} <code>{release.version}</code>
      </Link>
    </span>
  )
}

function RolloutMark({ rollout }: { rollout: Exposure['rollouts'][number] }) {
  const workspaceId = useWorkspaceId()
  const { deploymentCohortId, deploymentId, cohortName, isRollback, state, endedAt } = rollout
  return (
    <span>
      {isRollback ? 'Rollback of' : 'Roll-out to'} {cohortName} to{' '}
      <Link
        to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
        params={{ workspaceId, deploymentCohortId, deploymentId }}
      >
        {rollout.firmwareName} <code>{rollout.firmwareVersionName}</code>
      </Link>{' '}
      <Tag>{nameDeploymentState({ state })}</Tag>
      {endedAt !== null && (
        <>
          {' '}
          until <Time at={endedAt} as="dateTime" />
        </>
      )}
    </span>
  )
}
