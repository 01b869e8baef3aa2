/** What the device was told beside what it says it does. */
import { Select } from '@mantine/core'
import { ApiProblem } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../api.ts'
import { FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './devices.module.css'
import { desiredQuery, type LogSeverity, reportedQuery } from './queries.ts'
import { LOG_SEVERITIES } from './log-severities.ts'

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
  const mayWrite = useMay('Devices: write')
  const queryClient = useQueryClient()
  const { data, error, refetch } = useQuery(desiredQuery(workspaceId, deviceId))
  const save = useMutation({
    mutationFn: (logSeverity: LogSeverity | null) =>
      api.put('/workspaces/{workspaceId}/devices/{deviceId}/configuration/desired', {
        params: { workspaceId, deviceId },
        body: { logSeverity },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['devices', workspaceId] }),
  })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { configuration, effective, version, acknowledgedVersion, changedAt } = data
  const own = configuration.logSeverity
  return (
    <Panel
      title="Desired"
      note={
        <>
          version {version}, changed <Time at={changedAt} />
        </>
      }
    >
      <Select
        label="Log severity"
        description={`In force: ${effective.logSeverity}${own === null ? ', as the workspace or its cohort has it' : ', set for this device'}`}
        disabled={!mayWrite}
        value={own ?? ''}
        data={[
          { value: '', label: 'As the workspace has it' },
          ...LOG_SEVERITIES.map((one) => ({ value: one, label: one })),
        ]}
        onChange={(value) => save.mutate(value === '' || value === null ? null : value)}
      />
      <FormFault error={save.error} />
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
    </Panel>
  )
}

function Reported({ deviceId }: { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(reportedQuery(workspaceId, deviceId))
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
