/** Whether updated devices do worse than those that wait: each signal in words, as a chart, and by the devices that changed most. */
import type { ComparisonResult, Deployment, DeploymentComparison } from '@plimsoll/api-client'
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconCheck,
  IconEyeOff,
  IconHourglass,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Tag, type Tone } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatValue } from '../../format/values.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { ComparisonChart } from './comparison-chart.tsx'
import { nameMetric, nameSignal } from './comparison-plan.ts'
import css from './comparison.module.css'
import { findNextPhase } from './next-phase-dialog.tsx'
import { comparisonQuery, type DeploymentName } from './queries.ts'
import { formatDuration } from './words.ts'

type PhaseResult = DeploymentComparison['phases'][number]
type Ask = (what: 'next phase' | 'roll back') => void

interface ComparisonsProps {
  deployment: Deployment
  name: DeploymentName
  /** Both ask before anything happens. */
  onAsk: Ask
}

/** Nothing where no phase asks for it. */
export function Comparisons({ deployment, name, onAsk }: ComparisonsProps) {
  const isAsked = deployment.phases.some(({ comparison }) => comparison !== null)
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Deployments: write')
  const { data, error, refetch } = useQuery({
    ...comparisonQuery(workspaceId, name),
    enabled: isAsked,
  })
  if (!isAsked) return null
  const begun = data?.phases.filter(({ phase }) => phase <= (deployment.phase ?? -1)) ?? []
  return (
    <Panel
      title="Comparison"
      note="updated devices with those that wait, each before and after its update"
      isFlush
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={2} />}
      {data && begun.length === 0 && (
        <p className={css['phase']}>It begins with the first phase that asks for it.</p>
      )}
      {begun.toReversed().map((result) => (
        <PhaseResults
          key={result.phase}
          result={result}
          onAsk={mayWrite && canAct(deployment, result) ? onAsk : undefined}
          isNext={findNextPhase(deployment) !== undefined}
        />
      ))}
    </Panel>
  )
}

/** A person is asked where the present phase is held by what was found. */
function canAct({ isActive, phase }: Deployment, result: PhaseResult): boolean {
  const isHeld = result.state === 'Worse' || result.state === 'TooFew'
  return isActive && phase === result.phase && isHeld && result.accepted === null
}

const STATES: Record<PhaseResult['state'], readonly [string, Tone]> = {
  NotAsked: ['not asked for', 'muted'],
  Waiting: ['not told yet', 'accent'],
  TooFew: ['cannot be told', 'warn'],
  Passed: ['nothing is worse', 'ok'],
  Worse: ['worse', 'danger'],
}

/** What passed because hardly anything could be seen is no good news. */
function nameState({ state, blindTo }: PhaseResult): readonly [string, Tone] {
  if (state === 'Passed' && blindTo.length > 0) return ['nothing worse was seen', 'warn']
  return STATES[state]
}

/** No device waits any more with which the updated ones could be compared. */
const isAlone = ({ state, results }: PhaseResult): boolean =>
  state === 'TooFew' &&
  results.some(({ updated }) => updated.deviceCount > 0) &&
  results.every(({ waiting }) => waiting.deviceCount === 0)

interface PhaseResultsProps {
  result: PhaseResult
  /** Undefined: nobody is asked, or somebody who may not decide. */
  onAsk: Ask | undefined
  isNext: boolean
}

export function PhaseResults({ result, onAsk, isNext }: PhaseResultsProps) {
  const { phase, state, reason, checkedAt, accepted, plan, results } = result
  const [words, tone] = nameState(result)
  return (
    <section className={css['phase']} aria-label={`Comparison of phase ${phase + 1}`}>
      <h3>
        Phase {phase + 1} <Tag tone={tone}>{words}</Tag>
        <span className={css['note']}>
          {formatDuration(plan.windowSeconds)} after each update against as long before; up to{' '}
          {plan.marginPercent} % worse is accepted; sure to {plan.confidencePercent} %
          {checkedAt !== null && (
            <>
              ; looked <Time at={checkedAt} />
            </>
          )}
        </span>
      </h3>
      {reason !== null && (state === 'Waiting' || results.length === 0) && <p>{reason}</p>}
      {isAlone(result) && (
        <p>
          Nothing waits any more, so updated devices were compared with themselves before only,
          which tells nothing of what else changed.
        </p>
      )}
      {state === 'Passed' && result.blindTo.length > 0 && (
        <p>
          Even twice as much would have been missed in{' '}
          {formatCountOf(result.blindTo.length, 'signal')} of {results.length}; see below.
        </p>
      )}
      {accepted && (
        <p className={css['note']}>
          {accepted.byEmail ?? 'An API key'} had it go on nevertheless <Time at={accepted.at} />
          {accepted.reason !== null && `: “${accepted.reason}”`}
        </p>
      )}
      <ul className={css['results']} aria-label={`Compared in phase ${phase + 1}`}>
        {results.map((one) => (
          <li key={JSON.stringify([one.builtIn, one.name, one.labels])}>
            <Result result={one} />
          </li>
        ))}
      </ul>
      {onAsk && <Acts onAsk={onAsk} isNext={isNext} />}
    </section>
  )
}

function Acts({ onAsk, isNext }: { onAsk: Ask; isNext: boolean }) {
  return (
    <div className={css['acts']}>
      <Button kind="danger" aria-haspopup="dialog" onClick={() => onAsk('roll back')}>
        <IconArrowBackUp size={15} aria-hidden="true" /> Roll back…
      </Button>
      {isNext && (
        <Button aria-haspopup="dialog" onClick={() => onAsk('next phase')}>
          Begin next phase nevertheless…
        </Button>
      )}
    </div>
  )
}

const VERDICTS = {
  Worse: ['Worse', IconAlertTriangle],
  NotWorse: ['Not worse', IconCheck],
  /** Not worse, as far as so few events can tell. */
  Blind: ['Hardly seen', IconEyeOff],
  TooFew: ['Too few to tell', IconHourglass],
  NotMeasured: ['Not measured', IconEyeOff],
} as const

const nameOf = ({ builtIn, ...metric }: ComparisonResult) =>
  builtIn === null ? nameMetric(metric) : nameSignal(builtIn)

/** One line in words; what is worse is open from the start. */
function Result({ result }: { result: ComparisonResult }) {
  const { detail, series, worstDevices } = result
  const verdict = result.isBlind ? 'Blind' : result.verdict
  const isSilence = result.builtIn === 'Silence'
  const [words, Icon] = VERDICTS[verdict]
  return (
    <details open={verdict === 'Worse'}>
      <summary>
        <span className={css['line']}>
          <span className={`${css['verdict']} ${css[verdict]}`}>
            <Icon size={15} aria-hidden="true" /> {words}
          </span>{' '}
          <span>{detail}</span>
        </span>
      </summary>
      <div className={css['details']}>
        {series.length > 0 ? (
          <ComparisonChart label={nameOf(result)} series={series} />
        ) : (
          <p className={css['note']}>
            {isSilence
              ? 'Devices that began the update against those that wait, by when each was heard of last.'
              : 'There are no values around the update to draw.'}
          </p>
        )}
        <div>
          <h4>
            {isSilence
              ? 'Updated devices that fell silent'
              : 'Updated devices that changed most for the worse'}
          </h4>
          {worstDevices.length === 0 && (
            <p className={css['note']}>
              {result.verdict === 'Worse' || result.verdict === 'NotWorse'
                ? 'None did.'
                : 'Nobody can tell: too few devices have values.'}
            </p>
          )}
          <ul className={css['devices']}>
            {worstDevices.map((device) => (
              <Changed key={device.deviceId} device={device} isSilence={isSilence} />
            ))}
          </ul>
        </div>
      </div>
    </details>
  )
}

interface ChangedProps {
  device: ComparisonResult['worstDevices'][number]
  /** It has no values. */
  isSilence: boolean
}

function Changed({ device, isSilence }: ChangedProps) {
  const workspaceId = useWorkspaceId()
  const { deviceId, before, after, changePercent } = device
  return (
    <li>
      <Link to="/w/$workspaceId/devices/$deviceId" params={{ workspaceId, deviceId }}>
        {deviceId}
      </Link>
      {!isSilence && (
        <span className="numbers">
          {formatValue(before)} → {formatValue(after)}
          {changePercent !== null && ` (${formatChange(changePercent)})`}
        </span>
      )}
    </li>
  )
}

const formatChange = (percent: number) =>
  `${percent > 0 ? '+' : ''}${formatValue(Math.round(percent))} %`
