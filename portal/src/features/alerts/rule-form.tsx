/** A rule, new or changed, with what it would have done in the last day while one fills it in. */
import type { AlertRule } from '@plimsoll/api-client'
import { MultiSelect, Select, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { DryRunResult } from './dry-run-result.tsx'
import { emailTargetsQuery, webhooksQuery } from './queries.ts'
import { RuleChart } from './rule-chart.tsx'
import { RuleFields, TellingFields } from './rule-fields.tsx'
import {
  FIRST_PLAN,
  readPlan,
  type RuleBody,
  writeRule,
  type RulePlan,
  type RuleType,
} from './rule-plan.ts'
import { RULE_TYPES } from './rule-words.ts'

const TYPING_MS = 500

interface RuleFormProps {
  /** undefined: a new one. */
  rule: AlertRule | undefined
  /** What a new one is to watch. */
  metric?: string | undefined
  onSaved: () => void
}

export function RuleForm({ rule: known, metric, onSaved }: RuleFormProps) {
  const [plan, setPlan] = useState(() => (known ? readPlan(known) : firstPlan(metric)))
  // The version that was opened: the list goes on reading the newest.
  const [opened] = useState(known)
  const change = (next: Partial<RulePlan>) => setPlan((old) => ({ ...old, ...next }))
  const rule = useMemo(() => writeRule(plan), [plan])
  const [tried] = useDebouncedValue(rule, TYPING_MS)
  const save = useSave(opened, onSaved)
  const act = opened ? 'Save rule' : 'Create rule'
  return (
    <Form onSubmit={() => rule && save.mutate(rule)} label={opened ? 'Change rule' : 'New rule'}>
      {opened ? (
        <p>{RULE_TYPES[plan.type]}</p>
      ) : (
        <Select
          label="Watches"
          allowDeselect={false}
          value={plan.type}
          data={Object.entries(RULE_TYPES).map(([value, label]) => ({ value, label }))}
          onChange={(type) => change({ type: (type ?? plan.type) as RuleType })}
        />
      )}
      <RuleFields plan={plan} onChange={change} />
      <div className={css['preview']}>
        <RuleChart rule={tried} />
        <DryRunResult rule={tried} />
      </div>
      <NameFields plan={plan} onChange={change} />
      <ChooseTargets plan={plan} onChange={change} />
      <TellingFields plan={plan} onChange={change} />
      <ChangedMeanwhile opened={opened} now={known} />
      <FormFault error={save.error} />
      <FormActs>
        <Button
          type="submit"
          kind="primary"
          isBusy={save.isPending}
          disabled={!rule || plan.name.trim() === ''}
        >
          {act}
        </Button>
      </FormActs>
    </Form>
  )
}

function firstPlan(metric: string | undefined): RulePlan {
  return metric === undefined ? FIRST_PLAN : { ...FIRST_PLAN, type: 'MetricFixedThreshold', metric }
}

function useSave(opened: AlertRule | undefined, onSaved: () => void) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: RuleBody) =>
      opened
        ? api.put('/workspaces/{workspaceId}/alert-rules/{alertRuleId}', {
            params: { workspaceId, alertRuleId: opened.id },
            body,
          })
        : api.post('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId }, body }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
      onSaved()
    },
  })
}

interface PlanProps {
  plan: RulePlan
  onChange: (next: Partial<RulePlan>) => void
}

function NameFields({ plan, onChange }: PlanProps) {
  return (
    <>
      <TextInput
        label="Name"
        description="The subject of its mails"
        required
        value={plan.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <Textarea
        label="Description"
        description="What to do when it is firing; stands in its mails"
        autosize
        minRows={1}
        value={plan.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </>
  )
}

function ChooseTargets({ plan: { targets }, onChange }: PlanProps) {
  const workspaceId = useWorkspaceId()
  const { data: mails } = useQuery(emailTargetsQuery(workspaceId))
  const { data: hooks } = useQuery(webhooksQuery(workspaceId))
  const all = [...(mails?.notificationTargets ?? []), ...(hooks?.webhooks ?? [])]
  const isRead = mails !== undefined && hooks !== undefined
  return (
    <MultiSelect
      label="Tells"
      description={
        isRead && all.length === 0 ? 'There is no target yet: make one under Targets' : undefined
      }
      placeholder={targets.length === 0 ? 'Nobody' : undefined}
      value={targets}
      data={all.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(next) => onChange({ targets: next })}
    />
  )
}

/** Two people may have the form open. */
function ChangedMeanwhile({
  opened,
  now,
}: {
  opened: AlertRule | undefined
  now: AlertRule | undefined
}) {
  if (!opened) return null
  if (!now)
    return (
      <p className={css['warning']} role="alert">
        Somebody deleted the rule meanwhile; it cannot be saved.
      </p>
    )
  if (now.updatedAt === opened.updatedAt) return null
  return (
    <p className={css['warning']} role="alert">
      Somebody changed the rule while this was open. Saving replaces that; close and open it again
      to see it.
    </p>
  )
}
