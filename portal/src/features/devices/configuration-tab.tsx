/** What the device was told, and who says so, beside what it says it does. */
import { Select } from '@mantine/core'
import { ApiProblem, type DesiredConfiguration } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { api } from '../../api.ts'
import { LOG_SEVERITIES } from '../../components/log-severities.ts'
import { usePerform, writeValue } from '../../components/perform.ts'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'
import { desiredQuery, type LogSeverity, reportedQuery } from './queries.ts'

export function ConfigurationTab({ deviceId }: { deviceId: string }) {
  return (
    <div className={css['sides']}>
      <Desired deviceId={deviceId} />
      <Reported deviceId={deviceId} />
    </div>
  )
}

function Desired({ deviceId }: { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(desiredQuery(workspaceId, deviceId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { version, changedAt } = data
  return (
    <Panel
      title="Desired"
      note={
        <>
          version {version}, changed <Time at={changedAt} />
        </>
      }
    >
      <Levels desired={data} />
      <Editor deviceId={deviceId} desired={data} />
      <Acknowledged desired={data} />
    </Panel>
  )
}

interface DesiredProps {
  desired: DesiredConfiguration
}

function Editor({ deviceId, desired }: DesiredProps & { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Devices: write')
  const perform = usePerform('devices')
  const path = '/workspaces/{workspaceId}/devices/{deviceId}/configuration/desired'
  const params = { workspaceId, deviceId }
  const save = (logSeverity: LogSeverity | null) =>
    perform({
      text: `Log severity of ${deviceId}: ${logSeverity ?? 'none of its own'}`,
      send: () =>
        writeValue({
          before: configuration.logSeverity,
          after: logSeverity,
          read: async () => (await api.get(path, { params })).configuration.logSeverity,
          write: (to) => api.put(path, { params, body: { logSeverity: to } }),
        }),
    })
  const { configuration, effective, source, inherited } = desired
  const without = inheritedLevel(inherited)
  return (
    <>
      <Select
        label="Log severity of this device"
        description={
          configuration.logSeverity === null
            ? `In force: ${effective.logSeverity}, from ${LEVEL_WORDS[source.logSeverity]}.`
            : `In force: ${effective.logSeverity}, set for this device. Without it: ${without.logSeverity}, from ${LEVEL_WORDS[without.level]}.`
        }
        disabled={!mayWrite}
        value={configuration.logSeverity ?? ''}
        data={[
          { value: '', label: `As ${LEVEL_WORDS[without.level]} has it: ${without.logSeverity}` },
          ...LOG_SEVERITIES.map((one) => ({ value: one, label: one })),
        ]}
        onChange={(value) => void save(LOG_SEVERITIES.find((one) => one === value) ?? null)}
      />
    </>
  )
}

function Acknowledged({ desired: { version, acknowledgedVersion } }: DesiredProps) {
  return (
    <p className={css['note']} role="status">
      {acknowledgedVersion === version ? (
        <Dot tone="ok">The device confirmed version {version}</Dot>
      ) : (
        <Dot tone="warn" isHollow>
          {acknowledgedVersion === null
            ? 'The device confirmed no version yet'
            : `The device confirmed version ${acknowledgedVersion}; it gets ${version} when it connects`}
        </Dot>
      )}
    </p>
  )
}

type Level = DesiredConfiguration['source']['logSeverity']

const LEVEL_WORDS: Record<Level, string> = {
  Device: 'this device',
  Cohort: 'its cohort',
  Workspace: 'the workspace',
}

/** What would be in force without a value of the device itself. */
function inheritedLevel({ cohort, workspace }: DesiredConfiguration['inherited']): {
  level: Level
  logSeverity: LogSeverity
} {
  if (cohort?.logSeverity) return { level: 'Cohort', logSeverity: cohort.logSeverity }
  return { level: 'Workspace', logSeverity: workspace.logSeverity }
}

/** Each value with the levels that may set it, the nearest first; the first that has one is in force. */
function Levels({ desired: { configuration, effective, source, inherited } }: DesiredProps) {
  const { cohort, workspace } = inherited
  const cells: [Level, LogSeverity | null | undefined][] = [
    ['Device', configuration.logSeverity],
    ['Cohort', cohort?.logSeverity],
    ['Workspace', workspace.logSeverity],
  ]
  return (
    <div className={css['scroll']} tabIndex={0} role="region" aria-label="Values by level">
      <table className={css['levels']}>
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">In force</th>
            <th scope="col">This device</th>
            <th scope="col">{cohort ? <CohortLink cohort={cohort} /> : 'Cohort'}</th>
            <th scope="col">Workspace</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">Log severity</th>
            <td>
              <strong>{effective.logSeverity}</strong>
              <p className={css['note']}>from {LEVEL_WORDS[source.logSeverity]}</p>
            </td>
            {cells.map(([level, value]) => (
              <td key={level} className={level === source.logSeverity ? css['inForce'] : undefined}>
                {value ?? (level === 'Cohort' && !cohort ? 'in none' : 'not set')}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  )
}

function CohortLink({
  cohort,
}: {
  cohort: NonNullable<DesiredConfiguration['inherited']['cohort']>
}) {
  const workspaceId = useWorkspaceId()
  return (
    <>
      Cohort{' '}
      <Link
        to="/w/$workspaceId/deployments/$deploymentCohortId"
        params={{ workspaceId, deploymentCohortId: cohort.id }}
      >
        {cohort.name}
      </Link>
    </>
  )
}

function Reported({ deviceId }: { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(reportedQuery(workspaceId, deviceId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error instanceof ApiProblem && error.problem.status === 404)
    return (
      <Panel title="Reported">
        <Empty title="It reported no configuration">
          Devices may report what they do; this one has not done so.
        </Empty>
      </Panel>
    )
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { logSeverity, compiledLogSeverity } = data.configuration
  return (
    <Panel title="Reported" note={<Time at={data.reportedAt} />}>
      <dl className={css['pairs']}>
        <Pair name="Log severity">{logSeverity ?? 'not told'}</Pair>
        <Pair name="Lowest that it was compiled with">{compiledLogSeverity ?? 'not told'}</Pair>
      </dl>
    </Panel>
  )
}

function Pair({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
