/** What the devices of a cohort are asked to do, and where each value comes from. */
import type { DeploymentCohort } from '@plimsoll/api-client'
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { LOG_SEVERITIES } from '../../components/log-severities.ts'
import { usePerform, writeValue } from '../../components/perform.ts'
import { Panel } from '../../components/panel.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { settingsQuery } from '../../workspace-queries.ts'
import css from './deployments.module.css'

type LogSeverity = NonNullable<DeploymentCohort['logSeverity']>

export function CohortConfiguration({
  cohort: { id, name, logSeverity },
}: {
  cohort: DeploymentCohort
}) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('deployments', 'devices')
  const mayWrite = useMay('Deployments: write')
  const { data: settings } = useQuery(settingsQuery(workspaceId))
  const path = '/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}'
  const params = { workspaceId, deploymentCohortId: id }
  const save = (value: LogSeverity | null) =>
    perform({
      text: `Log severity of ${name}: ${value ?? 'as the workspace has it'}`,
      send: () =>
        writeValue({
          before: logSeverity,
          after: value,
          read: async () => (await api.get(path, { params })).logSeverity,
          write: (to) => api.patch(path, { params, body: { logSeverity: to } }),
        }),
    })
  const inherited = settings?.defaultLogSeverity
  return (
    <Panel
      title="Configuration"
      note="what its devices are asked to do; a device’s own value comes first"
    >
      <Select
        label="Log severity"
        className={css['narrow'] ?? ''}
        disabled={!mayWrite}
        value={logSeverity ?? ''}
        data={[
          {
            value: '',
            label: `As the workspace has it${inherited === undefined ? '' : `: ${inherited}`}`,
          },
          ...LOG_SEVERITIES.map((one) => ({ value: one, label: one })),
        ]}
        onChange={(value) => void save(LOG_SEVERITIES.find((one) => one === value) ?? null)}
      />
      <p className={css['note']} role="status">
        {logSeverity === null
          ? `In force: ${inherited ?? '…'}, from the workspace.`
          : `In force: ${logSeverity}, from this cohort. Without it: ${inherited ?? '…'}, from the workspace.`}{' '}
        Devices with a value of their own keep it. Those that are connected are told at once, the
        others when they come.
      </p>
    </Panel>
  )
}
