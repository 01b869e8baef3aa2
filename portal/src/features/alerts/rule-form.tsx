/** A rule, new or changed, with what it would have done in the last days while one fills it in. */
import type { AlertRule } from '@plimsoll/api-client'
import { MultiSelect, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { type FormOf, useForm } from '../../components/use-form.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { DryRunResult, RuleSentence } from './dry-run-result.tsx'
import { emailTargetsQuery } from './queries.ts'
import { webhooksQuery } from '../../workspace-queries.ts'
import { OtherThresholds } from './other-thresholds.tsx'
import { isMetricBody, RuleChart } from './rule-chart.tsx'
import { RuleFields } from './rule-fields.tsx'
import { TellingFields } from './telling-fields.tsx'
import { FIRST_PLAN, readPlan, writeRule, type RulePlan } from './rule-plan.ts'
import { RULE_TYPES } from './rule-words.ts'

const TYPING_MS = 200

interface RuleFormProps {
  /** undefined: a new one. */
  rule: AlertRule | undefined
  /** What a new one is to watch. */
  metric?: string | undefined
  /** What it did, under what it would have done. */
  past: ReactNode
  onSaved: () => void
  onLeave: () => void
}

export function RuleForm({ rule: known, metric, past, onSaved, onLeave }: RuleFormProps) {
  // The version that was opened: the list goes on reading the newest.
  const [opened] = useState(known)
  const form = useForm(
    () => (known ? readPlan(known) : firstPlan(metric)),
    useSave(opened, onSaved),
  )
  const { save, values: plan, change } = form
  const moveThreshold = useCallback((threshold: number) => change({ threshold }), [change])
  const rule = useMemo(() => writeRule(plan), [plan])
  const [tried] = useDebouncedValue(rule, TYPING_MS)
  const [days, setDays] = useState<Days>('1')
  // Only metrics have a past.
  const trial = { rule: tried, days: isMetricBody(tried) ? Number(days) : 1 }
  const act = opened ? 'Save rule' : 'Create rule'
  return (
    <>
      <RuleSentence trial={trial} />
      <div className={css['rule']}>
        <Panel title="Rule">
          <Form onSubmit={form.submit} label={opened ? 'Change rule' : 'New rule'}>
            <NameFields {...form} />
            <ChooseType isKept={opened !== undefined} {...form} />
            <RuleFields {...form} />
            <ChooseTargets {...form} />
            <TellingFields {...form} />
            {save.isIdle && <ChangedMeanwhile opened={opened} now={known} />}
            <FormFault error={save.error} />
            <FormActs>
              <Button onClick={onLeave}>Go back</Button>
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
        </Panel>
        <div className={css['drawing']}>
          <Panel
            title="As this rule would have seen it"
            note="drawn again while you type"
            aside={isMetricBody(tried) && <ChooseDays days={days} onChoose={setDays} />}
          >
            <div className={css['preview']}>
              <RuleChart trial={trial} threshold={plan.threshold} onThreshold={moveThreshold} />
              <DryRunResult trial={trial} />
              {plan.targets.length === 0 && (
                <p className={css['note']}>It would have told nobody, as it has no target.</p>
              )}
            </div>
          </Panel>
          {isMetricBody(tried) && (
            <OtherThresholds rule={tried} days={Number(days)} onChoose={moveThreshold} />
          )}
          {past}
        </div>
      </div>
    </>
  )
}

type Days = '1' | '7' | '30'
const DAYS = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
] as const

function ChooseDays({ days, onChoose }: { days: Days; onChoose: (days: Days) => void }) {
  return (
    <SegmentedControl
      aria-label="How far back it is tried"
      size="xs"
      value={days}
      data={[...DAYS]}
      onChange={onChoose}
    />
  )
}

function firstPlan(metric: string | undefined): RulePlan {
  return metric === undefined ? FIRST_PLAN : { ...FIRST_PLAN, type: 'MetricFixedThreshold', metric }
}

function useSave(opened: AlertRule | undefined, onSaved: () => void) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return {
    mutationFn: async (plan: RulePlan) => {
      const body = writeRule(plan)
      if (!body) throw new Error('The rule lacks what its type needs.')
      return opened
        ? api.put('/workspaces/{workspaceId}/alert-rules/{alertRuleId}', {
            params: { workspaceId, alertRuleId: opened.id },
            body,
          })
        : api.post('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
      onSaved()
    },
  }
}

type PlanProps = FormOf<RulePlan>

function ChooseType({ values, field, isKept }: PlanProps & { isKept: boolean }) {
  if (isKept) return <p>{RULE_TYPES[values.type]}</p>
  return (
    <Select
      label="Watches"
      allowDeselect={false}
      data={Object.entries(RULE_TYPES).map(([value, label]) => ({ value, label }))}
      {...field('type')}
    />
  )
}

function NameFields({ field }: PlanProps) {
  return (
    <>
      <TextInput label="Name" description="The subject of its mails" required {...field('name')} />
      <Textarea
        label="Description"
        description="What to do when it is firing; stands in its mails"
        autosize
        minRows={1}
        {...field('description')}
      />
    </>
  )
}

function ChooseTargets({ values: { targets }, field }: PlanProps) {
  const workspaceId = useWorkspaceId()
  const { data: mails, error: noMails } = useQuery(emailTargetsQuery(workspaceId))
  const { data: hooks, error: noHooks } = useQuery(webhooksQuery(workspaceId))
  const error = noMails ?? noHooks
  const all = [...(mails?.notificationTargets ?? []), ...(hooks?.webhooks ?? [])]
  const isRead = mails !== undefined && hooks !== undefined
  return (
    <>
      <MultiSelect
        label="Tells"
        description={
          isRead && all.length === 0 ? 'There is no target yet: make one under Targets' : undefined
        }
        placeholder={targets.length === 0 ? 'Nobody' : undefined}
        data={all.map(({ id, name }) => ({ value: id, label: name }))}
        {...field('targets')}
      />
      {error && <FormFault error={error} said="Not all targets could be read." />}
      {targets.length === 0 && (
        <p className={css['nobody']} role="status">
          <IconAlertTriangle size={16} aria-hidden="true" />
          Nobody yet: it would only show here. It can be saved so.
        </p>
      )}
    </>
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
      Somebody changed the rule while this was open. Saving replaces that; go back and open it again
      to see it.
    </p>
  )
}
