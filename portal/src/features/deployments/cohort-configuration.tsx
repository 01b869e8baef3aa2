/** What the devices of a cohort are asked to do, and where each value comes from. */
import type { DeploymentCohort } from '@plimsoll/api-client'
import { Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { FormFault } from '../../components/form.tsx'
import { LOG_SEVERITIES } from '../../components/log-severities.ts'
import { Panel } from '../../components/panel.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { settingsQuery } from '../../workspace-queries.ts'
import css from './deployments.module.css'

type LogSeverity = NonNullable<DeploymentCohort['logSeverity']>

export function CohortConfiguration({ cohort: { id, logSeverity } }: { cohort: DeploymentCohort }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Deployments: write')
  const { data: settings } = useQuery(settingsQuery(workspaceId))
  const save = useMutation({
    mutationFn: (value: LogSeverity | null) =>
      api.patch('/workspaces/{workspaceId}/deployment-cohorts/{deploymentCohortId}', {
        params: { workspaceId, deploymentCohortId: id },
        body: { logSeverity: value },
      }),
    onSettled: async () => {
      await queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] })
      await queryClient.invalidateQueries({ queryKey: ['devices', workspaceId] })
    },
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
        disabled={!mayWrite || save.isPending}
        value={logSeverity ?? ''}
        data={[
          {
            value: '',
            label: `As the workspace has it${inherited === undefined ? '' : `: ${inherited}`}`,
          },
          ...LOG_SEVERITIES.map((one) => ({ value: one, label: one })),
        ]}
        onChange={(value) => save.mutate(LOG_SEVERITIES.find((one) => one === value) ?? null)}
      />
      <p className={css['note']} role="status">
        {logSeverity === null
          ? `In force: ${inherited ?? '…'}, from the workspace.`
          : `In force: ${logSeverity}, from this cohort. Without it: ${inherited ?? '…'}, from the workspace.`}{' '}
        Devices with a value of their own keep it. Those that are connected are told at once, the
        others when they come.
      </p>
      <FormFault error={save.error} />
    </Panel>
  )
}
