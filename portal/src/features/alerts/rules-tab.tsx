import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatDateTime } from '../../format/dates.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { type Evaluation, type Rule, rulesQuery } from './queries.ts'
import { NewRule } from './rule-form.tsx'
import { conditionSentence, RULE_TYPES } from './rule-words.ts'

export function RulesTab() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const { data, error, refetch } = useQuery(rulesQuery(workspaceId))
  return (
    <Panel
      title="Rules"
      note="the last ten looks of each, newest at the right"
      aside={mayWrite && <NewRule />}
      isFlush
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <Empty title="Nothing is watched yet">
          A rule watches findings, devices, deployments, sources or measurements, and tells people
          by mail or programs by webhook.
        </Empty>
      )}
      <ul className={css['rows']}>
        {data?.map((rule) => (
          <RuleRow key={rule.id} rule={rule} />
        ))}
      </ul>
    </Panel>
  )
}

function RuleRow({ rule }: { rule: Rule }) {
  const { name, type, state, hasFiringAlert, targets, warnings, evaluations } = rule
  return (
    <li>
      <div>
        <strong>{name}</strong> {hasFiringAlert && <Tag tone="danger">firing</Tag>}
        {state === 'Disabled' && <Tag>off</Tag>}
        <p>
          {RULE_TYPES[type]}: {conditionSentence(rule)}
        </p>
        <p>
          {targets.length === 0
            ? 'tells nobody'
            : `tells ${targets.map((target) => target.name).join(', ')}`}
        </p>
        {warnings.map((warning) => (
          <p key={warning} className={css['warning']}>
            {warning}
          </p>
        ))}
      </div>
      <div>
        <Strip evaluations={evaluations} />
        {rule.nextEvaluationAt !== null && (
          <p>
            next <Time at={rule.nextEvaluationAt} />
          </p>
        )}
      </div>
      <Acts rule={rule} />
    </li>
  )
}

function Strip({ evaluations }: { evaluations: readonly Evaluation[] }) {
  if (evaluations.length === 0) return <p>not looked at yet</p>
  return (
    <ol className={css['strip']}>
      {evaluations.toReversed().map(({ id, status, evaluatedAt, firingCount, reason }) => {
        const text = `${STATUSES[status]} at ${formatDateTime(evaluatedAt)}${firingCount > 0 ? `, ${firingCount} firing` : ''}${reason === null ? '' : `: ${reason}`}`
        return (
          <li key={id} className={css[status]} title={text}>
            <span className="visually-hidden">{text}</span>
          </li>
        )
      })}
    </ol>
  )
}

const STATUSES: Record<Evaluation['status'], string> = {
  Ok: 'fine',
  Firing: 'fired',
  NoData: 'no data',
  Failed: 'could not be evaluated',
}

function Acts({ rule: { id, name, state } }: { rule: Rule }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Alerts: write')
  const params = { workspaceId, alertRuleId: id }
  const onSettled = () => queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] })
  const turn = useMutation({
    mutationFn: () =>
      state === 'Enabled'
        ? api.post('/workspaces/{workspaceId}/alert-rules/{alertRuleId}/disable', { params })
        : api.post('/workspaces/{workspaceId}/alert-rules/{alertRuleId}/enable', { params }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: () => api.delete('/workspaces/{workspaceId}/alert-rules/{alertRuleId}', { params }),
    onSettled,
  })
  if (!mayWrite) return <span />
  return (
    <div className={css['acts']}>
      <Button
        size="small"
        isBusy={turn.isPending}
        aria-label={state === 'Enabled' ? `Switch off ${name}` : `Switch on ${name}`}
        onClick={() => turn.mutate()}
      >
        {state === 'Enabled' ? 'Switch off' : 'Switch on'}
      </Button>
      <Button
        size="small"
        kind="danger"
        isBusy={remove.isPending}
        aria-label={`Delete ${name}`}
        onClick={() => {
          if (globalThis.confirm(`Delete the rule ${name}? Its incidents can still be read.`))
            remove.mutate()
        }}
      >
        Delete
      </Button>
      <FormFault error={turn.error ?? remove.error} />
    </div>
  )
}
