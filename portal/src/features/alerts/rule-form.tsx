/** A rule, new or changed, with what it would have done in the last days while one fills it in. */
import type { AlertRule, WithEntityTag } from '@plimsoll/api-client'
import { MultiSelect, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { IconAlertTriangle } from '@tabler/icons-react'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { ChangeFault } from '../../components/change-fault.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { useChangeForm } from '../../components/use-change-form.ts'
import type { FormOf } from '../../components/use-form.ts'
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

const RULES = '/workspaces/{workspaceId}/alert-rules'
const RULE = `${RULES}/{alertRuleId}` as const

interface RuleFormProps {
  /** undefined: a new one. */
  rule: WithEntityTag<AlertRule> | undefined
  /** What a new one is to watch. */
  metric?: string | undefined
  /** What it did, under what it would have done. */
  past: ReactNode
  onSaved: () => void
  onLeave: () => void
}

export function RuleForm({ rule: known, metric, past, onSaved, onLeave }: RuleFormProps) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const params = { workspaceId, alertRuleId: known?.id ?? '' }
  // The same function at each call.
  const readValues = useCallback(
    (rule: AlertRule | undefined) => (rule ? readPlan(rule) : firstPlan(metric)),
    [metric],
  )
  const form = useChangeForm({
    latest: known,
    audited: { subject: `alert-rule:${params.alertRuleId}` },
    readValues,
    load: () => api.get(RULE, { params }),
    send: (values, ifStill): Promise<AlertRule> => {
      const body = writeRule(values)
      if (!body) throw new Error('The rule lacks what its type needs.')
      return ifStill
        ? api.put(RULE, { params, body, ifStill })
        : api.post(RULES, { params: { workspaceId }, body })
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
      onSaved()
    },
  })
  const { save, values: plan, change } = form
  const moveThreshold = useCallback((threshold: number) => change({ threshold }), [change])
  const rule = useMemo(() => writeRule(plan), [plan])
  const [tried] = useDebouncedValue(rule, TYPING_MS)
  const [days, setDays] = useState<Days>('1')
  // Only metrics have a past.
  const trial = { rule: tried, days: isMetricBody(tried) ? Number(days) : 1 }
  const act = known ? 'Save rule' : 'Create rule'
  return (
    <>
      <RuleSentence trial={trial} />
      <div className={css['rule']}>
        <Panel title="Rule">
          <Form onSubmit={form.submit} label={known ? 'Change rule' : 'New rule'}>
            <NameFields {...form} />
            <ChooseType isKept={known !== undefined} {...form} />
            <RuleFields {...form} />
            <ChooseTargets {...form} />
            <TellingFields {...form} />
            <ChangeFault error={save.error} meanwhile={form.meanwhile} />
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
