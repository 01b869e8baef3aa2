/** One rule, or a new one: the form beside what it would have done, and what it did. */
import { type AlertRule, ApiProblem, type WithEntityTag } from '@plimsoll/api-client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatInstant } from '../../format/dates.ts'
import { formatValue } from '../../format/values.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { EvaluationStrip, describeStatus } from './evaluation-strip.tsx'
import { IncidentRows } from './incident-rows.tsx'
import { type Evaluation, evaluationsQuery, incidentsQuery, ruleQuery } from './queries.ts'
import { RuleForm } from './rule-form.tsx'

export function RulePage() {
  const { ruleId } = useParams({ from: '/w/$workspaceId/alerts/rules/$ruleId' })
  const { metric } = useSearch({ from: '/w/$workspaceId/alerts/rules/$ruleId' })
  if (ruleId !== 'new') return <KnownRule key={ruleId} ruleId={ruleId} />
  return (
    <>
      <TopBar title="New rule" trail={TRAIL} />
      <Page>
        <Content rule={undefined} metric={metric} />
      </Page>
    </>
  )
}

function KnownRule({ ruleId }: { ruleId: string }) {
  const query = useQuery(ruleQuery(useWorkspaceId(), ruleId))
  const { data: rule, refetch } = query
  const error = findBlockingError(query)
  const isGone = error instanceof ApiProblem && error.problem.status === 404
  return (
    <>
      <TopBar title={rule?.name ?? 'Rule'} trail={TRAIL} subject={`alert-rule:${ruleId}`} />
      <Page>
        {!rule && !error && <Loading rows={8} />}
        {error && !isGone && <Failure error={error} onRetry={() => void refetch()} />}
        {isGone && (
          <Empty title="There is no such rule" action={<AllRules>All rules</AllRules>}>
            It was deleted, or never was. Its incidents can still be read.
          </Empty>
        )}
        {rule && !error && <Content rule={rule} metric={undefined} />}
      </Page>
    </>
  )
}

function AllRules({ children }: { children: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link to="/w/$workspaceId/alerts" params={{ workspaceId }} search={{ tab: 'rules' }}>
      {children}
    </Link>
  )
}

const TRAIL = [<AllRules key="rules">Rules</AllRules>]

interface ContentProps {
  rule: WithEntityTag<AlertRule> | undefined
  /** What a new one is to watch. */
  metric: string | undefined
}

function Content({ rule, metric }: ContentProps) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Alerts: write')
  const navigate = useNavigate()
  const leave = () =>
    void navigate({
      to: '/w/$workspaceId/alerts',
      params: { workspaceId },
      search: { tab: 'rules' },
    })
  const past = rule && <Past rule={rule} />
  if (mayWrite) return <RuleForm {...{ rule, metric, past }} onSaved={leave} onLeave={leave} />
  return (
    <>
      {rule && <p className={css['sentence']}>{rule.conditionText}.</p>}
      {rule ? past : <Empty title="Your role may not make rules" />}
    </>
  )
}

const INCIDENTS_SHOWN = 3

function Past({ rule }: { rule: AlertRule }) {
  const workspaceId = useWorkspaceId()
  const filter = { alertRuleIds: [rule.id] }
  const { data, error } = useQuery(evaluationsQuery(workspaceId, rule.id))
  const incidents = useInfiniteQuery(incidentsQuery(workspaceId, filter, INCIDENTS_SHOWN))
  const some = incidents.data?.pages.flatMap((page) => page.incidents) ?? []
  return (
    <Panel title="What it did" note="the latest looks, and when it fired last">
      {error && <Failure error={error} />}
      {incidents.error && <Failure error={incidents.error} />}
      {data && <EvaluationStrip evaluations={data.evaluations} isLong />}
      {data?.evaluations[0] && <p className={css['note']}>{lookText(data.evaluations[0])}</p>}
      <IncidentRows incidents={some} />
      {incidents.isSuccess && some.length === 0 && <p className={css['note']}>It never fired.</p>}
    </Panel>
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
