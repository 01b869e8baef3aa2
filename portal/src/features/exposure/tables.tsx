/** What the chart draws, to read. */
import { type Exposure, nameDeploymentState } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { countByLayer, LAYERS } from '../../components/exposure/exposure-rows.ts'
import { CardTable } from '../../components/card-table.tsx'
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
  const counts = listCounts(isOfVulnerability)
  return (
    <details className={css['details']}>
      <summary>As a table</summary>
      <div className={css['scroll']} tabIndex={0} role="region" aria-label="Devices by day">
        <CardTable
          label="Devices by day"
          list="exposure"
          csv={{
            name: 'devices-by-day',
            columns: [
              'day',
              ...counts.map(
                ({ name, countIn }) =>
                  [
                    name,
                    ({ counted }: DayRow) => (counted ? countIn(counted) : 'not counted'),
                  ] as const,
              ),
            ],
          }}
          columns={[
            {
              title: 'Day',
              isPlain: true,
              cell: ({ day }) => <strong>{formatDate(`${day}T12:00:00Z`)}</strong>,
            },
            ...counts.map(({ name, countIn }, place) => ({
              title: name,
              cell: ({ counted }: DayRow) =>
                counted ? (
                  <span className="numbers">{formatCount(countIn(counted))}</span>
                ) : place === 0 ? (
                  'not counted'
                ) : (
                  '–'
                ),
            })),
          ]}
          rows={withMissing(days)}
          keyOf={({ day }) => day}
        />
      </div>
    </details>
  )
}

function listCounts(isOfVulnerability: boolean): { name: string; countIn: (day: Day) => number }[] {
  const all = { name: 'Devices', countIn: ({ deviceCount }: Day) => deviceCount }
  if (isOfVulnerability) return [all, { name: 'With it', countIn: ({ affected }) => affected ?? 0 }]
  const layers = LAYERS.map(({ id, name }) => ({
    name,
    countIn: ({ byWorst }: Day) => countByLayer(byWorst)[id] ?? 0,
  }))
  return [all, ...layers, { name: 'Exploited', countIn: ({ exploited }) => exploited }]
}

interface DayRow {
  day: string
  counted: Day | undefined
}

const DAY_MS = 86_400_000

/** Newest first, with the days between them that nobody counted. */
function withMissing(days: readonly Day[]): DayRow[] {
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
