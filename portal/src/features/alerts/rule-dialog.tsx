/** One rule in full: what it did, what fired, and the form that changes it. */
import type { AlertRule } from '@plimsoll/api-client'
import { Modal } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { formatInstant } from '../../format/dates.ts'
import { formatValue } from '../../format/values.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { rulesQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import { EvaluationStrip, describeStatus } from './evaluation-strip.tsx'
import { IncidentRows } from './incident-rows.tsx'
import { type Evaluation, evaluationsQuery, incidentsQuery } from './queries.ts'
import { RuleForm } from './rule-form.tsx'

interface RuleDialogProps {
  /** `new`: one that is to be made. */
  ruleId: string
  /** What a new one is to watch. */
  metric: string | undefined
  onClose: () => void
}

export function RuleDialog({ ruleId, metric, onClose }: RuleDialogProps) {
  useReturnedFocus()
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(rulesQuery(workspaceId))
  const rule = data?.find(({ id }) => id === ruleId)
  const isNew = ruleId === 'new'
  return (
    <Modal opened onClose={onClose} title={isNew ? 'New rule' : (rule?.name ?? 'Rule')} size="xl">
      {!isNew && !data && <Loading />}
      {!isNew && data && !rule && (
        <Empty title="There is no such rule">
          It was deleted. Its incidents can still be read.
        </Empty>
      )}
      {rule && <Past key={rule.id} rule={rule} />}
      <Editor key={ruleId} isShown={isNew || rule !== undefined} {...{ rule, metric, onClose }} />
    </Modal>
  )
}

interface EditorProps {
  isShown: boolean
  rule: AlertRule | undefined
  metric: string | undefined
  onClose: () => void
}

function Editor({ isShown, rule, metric, onClose }: EditorProps) {
  const mayWrite = useMay('Alerts: write')
  if (!mayWrite || !isShown) return null
  return <RuleForm key={rule?.id ?? 'new'} rule={rule} metric={metric} onSaved={onClose} />
}

const INCIDENTS_SHOWN = 3

function Past({ rule }: { rule: AlertRule }) {
  const workspaceId = useWorkspaceId()
  const filter = { alertRuleIds: [rule.id] }
  const { data, error } = useQuery(evaluationsQuery(workspaceId, rule.id))
  const incidents = useInfiniteQuery(incidentsQuery(workspaceId, filter, INCIDENTS_SHOWN))
  const some = incidents.data?.pages.flatMap((page) => page.incidents) ?? []
  return (
    <div className={css['past']}>
      <p>{rule.conditionText}</p>
      {error && <Failure error={error} />}
      {data && <EvaluationStrip evaluations={data.evaluations} isLong />}
      {data?.evaluations[0] && <p className={css['note']}>{lookText(data.evaluations[0])}</p>}
      <IncidentRows incidents={some} />
      {incidents.isSuccess && some.length === 0 && <p className={css['note']}>It never fired.</p>}
    </div>
  )
}

/** The newest evaluation in words. */
function lookText(evaluation: Evaluation): string {
  const { evaluatedAt, seriesCount, valueCount, firingCount, lowest, highest } = evaluation
  const range =
    lowest === null || highest === null
      ? ''
      : `, from ${formatValue(lowest)} to ${formatValue(highest)}`
  return `Newest: ${describeStatus(evaluation)} on ${formatInstant(new Date(evaluatedAt))}; ${valueCount} of ${seriesCount} series with a value${range}; ${firingCount} firing.`
}
