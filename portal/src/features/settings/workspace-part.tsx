import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { useMay, useWorkspaceId } from '../../session.ts'
import { settingsQuery, type SettingsChange, type WorkspaceSettings } from './queries.ts'
import css from './settings-page.module.css'

export function WorkspacePart() {
  const workspaceId = useWorkspaceId()
  const { data, error, refetch } = useQuery(settingsQuery(workspaceId))
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return <SettingsForm key={data.updatedAt} settings={data} />
}

const TARGETS = ['Critical', 'High', 'Medium', 'Low'] as const

/** The members of an answer that a change may hold. */
function changeOf(settings: WorkspaceSettings): SettingsChange {
  const { id: _id, updatedAt: _updatedAt, ...change } = settings
  return change
}

function SettingsForm({ settings }: { settings: WorkspaceSettings }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Workspace settings: write')
  const queryClient = useQueryClient()
  const [form, setForm] = useState<SettingsChange>(() => changeOf(settings))
  const set = (changes: Partial<SettingsChange>) => setForm({ ...form, ...changes })
  const save = useMutation({
    mutationFn: () =>
      api.put('/workspaces/{workspaceId}/settings', { params: { workspaceId }, body: form }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['settings', workspaceId] })
      await queryClient.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const submit = () => save.mutate()
  return (
    <Form onSubmit={submit} label="Workspace settings">
      <Panel title="Workspace">
        <TextInput
          label="Name"
          required
          value={form.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      </Panel>
      <DecisionsPanel form={form} set={set} />
      <DevicesPanel form={form} set={set} />
      <FormFault error={save.error} />
      {save.isSuccess && <p role="status">Saved.</p>}
      <FormActs>
        <Button type="submit" kind="primary" disabled={!mayWrite} isBusy={save.isPending}>
          Save settings
        </Button>
      </FormActs>
    </Form>
  )
}

interface PanelProps {
  form: SettingsChange
  set: (changes: Partial<SettingsChange>) => void
}

function DecisionsPanel({ form, set }: PanelProps) {
  return (
    <Panel title="Decisions" note="when a finding is due, and what a version may not ship with">
      <div className={css['grid']}>
        {TARGETS.map((severity) => (
          <NumberInput
            key={severity}
            label={`${severity}: days to decide`}
            min={1}
            max={3650}
            value={form.remediationTargetDays[severity]}
            onChange={(days) =>
              set({
                remediationTargetDays: {
                  ...form.remediationTargetDays,
                  [severity]: Number(days),
                },
              })
            }
          />
        ))}
        <Select
          label="Release gate"
          data={[
            { value: 'Off', label: 'Off: deployments are never held' },
            { value: 'Warn', label: 'Warn: say it, and deploy' },
            { value: 'Block', label: 'Block: deploy only with a reason' },
          ]}
          value={form.releaseGate ?? 'Warn'}
          onChange={(gate) =>
            set({ releaseGate: gate as NonNullable<SettingsChange['releaseGate']> })
          }
        />
      </div>
      <Checkbox
        mt={12}
        label="Carry decisions over to the next version where they still hold"
        checked={form.carryOverAssessments ?? true}
        onChange={(event) => set({ carryOverAssessments: event.currentTarget.checked })}
      />
      <Checkbox
        mt={8}
        label="List findings of fuzzing services that have no CVE id"
        checked={form.listFuzzingFindings ?? true}
        onChange={(event) => set({ listFuzzingFindings: event.currentTarget.checked })}
      />
    </Panel>
  )
}

function DevicesPanel({ form, set }: PanelProps) {
  return (
    <Panel title="Devices">
      <div className={css['grid']}>
        <NumberInput
          label="Keep metrics for days"
          min={1}
          value={form.metricRetentionDays}
          onChange={(days) => set({ metricRetentionDays: Number(days) })}
        />
        <NumberInput
          label="Keep logs for days"
          min={1}
          value={form.logRetentionDays}
          onChange={(days) => set({ logRetentionDays: Number(days) })}
        />
        <Select
          label="Devices send logs from"
          data={['Debug', 'Info', 'Warning', 'Error', 'Critical']}
          value={form.defaultLogSeverity}
          onChange={(severity) =>
            set({ defaultLogSeverity: severity as SettingsChange['defaultLogSeverity'] })
          }
        />
      </div>
      <Checkbox
        mt={12}
        label="Devices register themselves at their first message"
        checked={form.deviceAutoRegistration}
        onChange={(event) => set({ deviceAutoRegistration: event.currentTarget.checked })}
      />
    </Panel>
  )
}
