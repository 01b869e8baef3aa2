import type { WithEntityTag, WorkspaceSettings } from '@plimsoll/api-client'
import { Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { findBlockingError } from '../../components/blocking-error.ts'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { KeyAges } from '../../components/key-ages.tsx'
import { LOG_SEVERITIES } from '../../components/log-severities.ts'
import { pickChanges } from '../../components/merged-values.ts'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { useChangeForm } from '../../components/use-change-form.ts'
import type { FormOf } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { settingsQuery } from '../../workspace-queries.ts'
import { AcceptancesPanel } from './acceptances-panel.tsx'
import { GateImagesPanel } from './gate-images-panel.tsx'
import css from './settings-page.module.css'
import { readSettings, type SettingsValues } from './settings-values.ts'

export function WorkspacePart() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(settingsQuery(workspaceId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return <SettingsForm settings={data} />
}

const TARGETS = ['Critical', 'High', 'Medium', 'Low'] as const

const SETTINGS = '/workspaces/{workspaceId}/settings'

function SettingsForm({ settings }: { settings: WithEntityTag<WorkspaceSettings> }) {
  const mayWrite = useMay('Workspace settings: write')
  const params = { workspaceId: useWorkspaceId() }
  const queryClient = useQueryClient()
  const form = useChangeForm({
    latest: settings,
    audited: { action: 'workspace.update' },
    readValues: readSettings,
    load: () => api.get(SETTINGS, { params }),
    send: (values, ifStill, before) =>
      api.patch(SETTINGS, { params, body: pickChanges(before, values), ifStill }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['settings', params.workspaceId] })
      await queryClient.invalidateQueries({ queryKey: ['me'] })
    },
  })
  const { save, meanwhile } = form
  return (
    <Form onSubmit={form.submit} label="Workspace settings">
      <Panel title="Workspace">
        <TextInput label="Name" required {...form.field('name')} />
      </Panel>
      <DecisionsPanel {...form} />
      <GateImagesPanel {...form} />
      <AcceptancesPanel {...form} />
      <DevicesPanel {...form} />
      <PeoplePanel {...form} />
      <ChangeFault error={save.error} meanwhile={meanwhile} />
      {save.isSuccess && !form.isTouched && <p role="status">Saved.</p>}
      <FormActs>
        <Button type="submit" kind="primary" disabled={!mayWrite} isBusy={save.isPending}>
          Save settings
        </Button>
      </FormActs>
    </Form>
  )
}

type PanelProps = FormOf<SettingsValues>

function DecisionsPanel({ values, change, field, checkbox, findFault }: PanelProps) {
  return (
    <Panel title="Decisions" note="when a finding is due, and what a version may not ship with">
      <div className={css['grid']}>
        {TARGETS.map((severity) => (
          <NumberInput
            key={severity}
            label={`${severity}: days to decide`}
            min={1}
            max={3650}
            value={values.remediationTargetDays[severity]}
            error={findFault(severity)}
            onChange={(days) =>
              change({
                remediationTargetDays: {
                  ...values.remediationTargetDays,
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
          allowDeselect={false}
          {...field('releaseGate')}
        />
        <Select
          label="Release gate: support of components"
          description="What is not known stops nothing, and is no pass"
          data={[
            { value: 'NotAsked', label: 'Not asked' },
            { value: 'NotEnded', label: 'None is out of support' },
            { value: 'UntilPromise', label: 'None ends before the promised day' },
          ]}
          allowDeselect={false}
          {...field('gateSupport')}
        />
        <NumberInput
          label="Keep replaced SBOMs for days"
          min={0}
          {...field('replacedSbomDays', Number)}
        />
      </div>
      <Checkbox
        mt={12}
        label="Carry decisions over to the next version where they still hold"
        {...checkbox('carryOverAssessments')}
      />
      <Checkbox
        mt={8}
        label="List findings of fuzzing services that have no CVE id"
        {...checkbox('listFuzzingFindings')}
      />
      <Checkbox
        mt={8}
        label="List disputed findings of a version after all others"
        checked={values.disputedFindings === 'Last'}
        onChange={(event) =>
          change({ disputedFindings: event.currentTarget.checked ? 'Last' : 'Normal' })
        }
      />
      <Textarea
        mt={12}
        autosize
        label="Authors whose VEX documents decide over people"
        description="One a line, as the documents write it. Nobody, if empty: what people decide holds until people change it."
        value={values.decidingVexAuthors.join('\n')}
        error={findFault('decidingVexAuthors')}
        onChange={(event) => change({ decidingVexAuthors: event.currentTarget.value.split('\n') })}
        onBlur={() =>
          change({
            decidingVexAuthors: values.decidingVexAuthors.filter((name) => name.trim() !== ''),
          })
        }
      />
    </Panel>
  )
}

function DevicesPanel({ values, change, field, checkbox, findFault }: PanelProps) {
  return (
    <Panel title="Devices">
      <div className={css['grid']}>
        <NumberInput
          label="Keep metrics for days"
          min={1}
          {...field('metricRetentionDays', Number)}
        />
        <NumberInput
          label="Keep hourly sums for days"
          min={1}
          {...field('metricHourRetentionDays', Number)}
        />
        <NumberInput label="Keep logs for days" min={1} {...field('logRetentionDays', Number)} />
        <Select
          label="Devices send logs from"
          data={LOG_SEVERITIES}
          allowDeselect={false}
          {...field('defaultLogSeverity')}
        />
      </div>
      <div className={css['grid']}>
        <NumberInput
          label="hawkBit clients ask every, in seconds"
          min={1}
          max={86_399}
          {...field('devicePollingSeconds', Number)}
        />
        <TextInput
          label="hawkBit clients report their version in"
          placeholder="firmware.gateway, or version"
          value={values.deviceVersionAttribute ?? ''}
          error={findFault('deviceVersionAttribute')}
          onChange={({ currentTarget: { value } }) =>
            change({ deviceVersionAttribute: value === '' ? null : value })
          }
        />
      </div>
      <NumberInput
        mt={12}
        label="Devices replace keys after days"
        description="Empty: when somebody asks. Cohorts may say otherwise. Asked are so many at once that all devices take a day."
        min={1}
        max={3650}
        value={values.deviceKeyRotationDays ?? ''}
        error={findFault('deviceKeyRotationDays')}
        onChange={(days) => change({ deviceKeyRotationDays: days === '' ? null : Number(days) })}
      />
      <KeyAges days={values.deviceKeyRotationDays ?? 0} />
      <Checkbox
        mt={12}
        label="Devices register themselves at their first message"
        {...checkbox('deviceAutoRegistration')}
      />
    </Panel>
  )
}

function PeoplePanel({ checkbox }: PanelProps) {
  return (
    <Panel title="People">
      <Checkbox
        label="Members need a second factor"
        description="An authenticator app, a passkey, or a provider that asked for one. Without it a member reaches only their own account. API keys go on."
        {...checkbox('requireSecondFactor')}
      />
    </Panel>
  )
}
