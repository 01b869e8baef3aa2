import type { AlertRule, AlertSilence } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { usePerform, writeValue } from '../../components/perform.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { ConfirmedButton } from '../../components/confirm.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { FormFault } from '../../components/form.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import type { AlertsSearch } from '../../searches.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { rulesQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import { EvaluationStrip } from './evaluation-strip.tsx'
import { silencesQuery } from './queries.ts'
import { RuleLink } from './rule-link.tsx'
import { SilencedTag } from './silenced-tag.tsx'

interface RulesTabProps {
  search: AlertsSearch
  onChange: (next: AlertsSearch) => void
}

/** All, or those that tell one target. */
export function RulesTab({ search: { target }, onChange }: RulesTabProps) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const mayWrite = useMay('Alerts: write')
  const query = useQuery(rulesQuery(workspaceId))
  const ofTarget = (rule: AlertRule) => rule.targets.find(({ id }) => id === target)
  const rows = target === undefined ? query.data : query.data?.filter(ofTarget)
  const { data: silences = [], error } = useQuery(silencesQuery(workspaceId, { isActive: 'true' }))
  return (
    <ListPanel
      query={query}
      rows={rows}
      title="Rules"
      note="the last ten looks of each, newest at the right"
      aside={
        mayWrite && (
          <Button
            kind="primary"
            onClick={() =>
              void navigate({
                to: '/w/$workspaceId/alerts/rules/$ruleId',
                params: { workspaceId, ruleId: 'new' },
              })
            }
          >
            New rule
          </Button>
        )
      }
      head={
        <>
          <FormFault error={error} said="Which rules are silenced is not known." />
          {target !== undefined && (
            <ChipRow label="Filters of the rules">
              <Chip isOn isRemovable onChange={() => onChange({ target: undefined })}>
                tells {rows?.map(ofTarget)[0]?.name ?? 'a target'}
              </Chip>
            </ChipRow>
          )}
        </>
      }
      empty={
        target === undefined ? (
          <Empty title="Nothing is watched yet">
            A rule watches findings, devices, deployments, sources or measurements, and tells people
            by mail or programs by webhook.
          </Empty>
        ) : (
          <Empty title="Nothing matches">No rule tells this target anything.</Empty>
        )
      }
    >
      {(rules) => (
        <CardTable
          label="Rules"
          list="rules"
          csv={CSV}
          columns={[nameColumn(silences), ...COLUMNS]}
          rows={rules}
          keyOf={({ id }) => id}
        />
      )}
    </ListPanel>
  )
}

const CSV: ListFile<AlertRule> = {
  name: 'alert-rules',
  columns: [
    'id',
    'name',
    'description',
    'type',
    'state',
    'conditionText',
    'evaluationFrequency',
    ['hasFiringAlert', ({ hasFiringAlert }) => String(hasFiringAlert)],
    ['targets', ({ targets }) => targets.map(({ name }) => name).join(', ')],
    'repeatInterval',
    ['notifyResolved', ({ notifyResolved }) => String(notifyResolved)],
    ['notifyOwners', ({ notifyOwners }) => String(notifyOwners)],
    'nextEvaluationAt',
    'createdAt',
    'updatedAt',
  ],
}

/** Others cover what fired in one incident alone. */
const isOfAll = (rule: AlertRule) => (silence: AlertSilence) =>
  silence.covers === 'Rule' && silence.alertRule.id === rule.id

const nameColumn = (silences: readonly AlertSilence[]): CardColumn<AlertRule> => ({
  title: 'Rule',
  isPlain: true,
  cell: (rule) => {
    const silence = silences.find(isOfAll(rule))
    return (
      <>
        <RuleLink rule={rule}>
          <strong>{rule.name}</strong>
        </RuleLink>{' '}
        {rule.hasFiringAlert && <Tag tone="danger">firing</Tag>}
        {rule.state === 'Disabled' && <Tag>off</Tag>}
        {silence && <SilencedTag incident={{ silencedUntil: silence.until }} />}
      </>
    )
  },
})

const COLUMNS: readonly CardColumn<AlertRule>[] = [
  {
    title: 'Watches',
    cell: ({ conditionText, warnings }) => (
      <>
        {conditionText}
        {warnings.map((warning) => (
          <p key={warning} className={css['warning']}>
            {warning}
          </p>
        ))}
      </>
    ),
  },
  {
    title: 'Tells',
    cell: ({ targets }) =>
      targets.length === 0 ? (
        <p className={css['warning']}>tells nobody: open it, and choose who is told under Tells</p>
      ) : (
        targets.map(({ name }) => name).join(', ')
      ),
  },
  {
    title: 'Looks',
    cell: ({ evaluations, nextEvaluationAt }) => (
      <>
        <EvaluationStrip evaluations={evaluations} />
        {nextEvaluationAt !== null && <Next at={nextEvaluationAt} />}
      </>
    ),
  },
  { title: 'Acts', isActs: true, cell: (rule) => <Acts rule={rule} /> },
]

const MINUTE_MS = 60_000

function Next({ at }: { at: string }) {
  if (Date.parse(at) - Date.now() < MINUTE_MS)
    return <p className={css['note']}>next within a minute</p>
  return (
    <p className={css['note']}>
      next <Time at={at} />
    </p>
  )
}

function Acts({ rule }: { rule: AlertRule }) {
  const { id, name, state } = rule
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Alerts: write')
  const params = { workspaceId, alertRuleId: id }
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
  const perform = usePerform('alerts')
  const isOn = state === 'Enabled'
  const turn = () =>
    perform({
      text: `Rule ${name}: switched ${isOn ? 'off' : 'on'}`,
      send: () =>
        writeValue({
          before: isOn,
          after: !isOn,
          read: async () => {
            const now = await api.get('/workspaces/{workspaceId}/alert-rules/{alertRuleId}', {
              params,
            })
            return now.state === 'Enabled'
          },
          write: (to) =>
            to
              ? api.post('/workspaces/{workspaceId}/alert-rules/{alertRuleId}/enable', { params })
              : api.post('/workspaces/{workspaceId}/alert-rules/{alertRuleId}/disable', { params }),
        }),
    })
  const remove = useMutation({
    mutationFn: () => api.delete('/workspaces/{workspaceId}/alert-rules/{alertRuleId}', { params }),
    onSettled,
  })
  if (!mayWrite) return <span />
  return (
    <div className={css['acts']}>
      <RuleLink rule={rule}>
        Change<span className="visually-hidden"> {name}</span>
      </RuleLink>
      <Button
        size="small"
        aria-label={isOn ? `Switch off ${name}` : `Switch on ${name}`}
        onClick={() => void turn()}
      >
        {isOn ? 'Switch off' : 'Switch on'}
      </Button>
      <ConfirmedButton
        size="small"
        label={`Delete ${name}`}
        title={`Delete the rule ${name}?`}
        verb="Delete rule"
        act={remove}
        what="Nobody is told of what it watched any more. An incident that is open ends; incidents can still be read."
      >
        Delete…
      </ConfirmedButton>
    </div>
  )
}
