/** The phases of a roll-out on one axis of time: when each ran and was held, when the next comes, and what it waits for. */
import { type Deployment, nameDeploymentState } from '@plimsoll/api-client'
import { Panel } from '../../components/panel.tsx'
import { timeScale, type TimeScale } from '../../components/scales.ts'
import { Time } from '../../components/time.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { formatDate, formatDateTime } from '../../format/dates.ts'
import { LOCALE } from '../../format/locale.ts'
import { type PhaseTime, listPhaseTimes, findRange } from './phase-times.ts'
import css from './time-line.module.css'
import { describePhase, countPlanned } from './words.ts'

const CLOCK = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' })
const DAY_MS = 86_400_000

export function TimeLine({ deployment }: { deployment: Deployment }) {
  const now = Date.now()
  const times = listPhaseTimes(deployment, now)
  const [from, to] = findRange(times, deployment, now)
  const scale = timeScale([new Date(from), new Date(to)], [0, 100])
  return (
    <Panel title="Phases" note="each includes the devices of those before" isFlush>
      <ol className={css['rows']}>
        {times.map((time, index) => (
          <Row key={index} {...{ deployment, time, index, scale, now }} />
        ))}
      </ol>
      <Axis
        scale={scale}
        isShort={to - from < 2 * DAY_MS}
        now={deployment.isActive ? now : undefined}
      />
      <details className={css['table']}>
        <summary>As a table</summary>
        <Table deployment={deployment} times={times} />
      </details>
    </Panel>
  )
}

interface RowProps {
  deployment: Deployment
  time: PhaseTime
  index: number
  /** In percent of the track. */
  scale: TimeScale
  now: number
}

function Row({ deployment, time, index, scale, now }: RowProps) {
  const { phases } = deployment
  const phase = phases[index]
  if (!phase) return null
  const isLast = index === phases.length - 1
  const isCurrent = deployment.isActive && index === deployment.phase
  return (
    <li aria-current={isCurrent ? 'step' : undefined}>
      <div>
        <strong>{nameOf(deployment, index)}</strong>
        <p>{devicesOf(deployment, phase.percent)}</p>
      </div>
      <div>
        <div className={css['track']}>
          <Bars {...{ time, scale, now }} isDone={!isCurrent} />
        </div>
        <p>
          <Span time={time} deployment={deployment} index={index} />
          {'; '}
          {describePhase(phase, isLast)}
        </p>
      </div>
    </li>
  )
}

const nameOf = ({ phases }: Deployment, index: number): string =>
  index === phases.length - 1
    ? `Phase ${index + 1}: everyone`
    : `Phase ${index + 1}: ${phases[index]?.percent} %`

const devicesOf = (deployment: Deployment, percent: number): string =>
  `up to ${formatCountOf(Math.ceil((countPlanned(deployment) * percent) / 100), 'device')}`

interface BarsProps {
  time: PhaseTime
  scale: TimeScale
  now: number
  isDone: boolean
}

function Bars({ time, scale, now, isDone }: BarsProps) {
  const { beganAt, endedAt, notBefore, holds } = time
  if (beganAt === undefined)
    return notBefore === undefined ? null : (
      <i className={css['later']} style={placed(scale, notBefore, undefined)} />
    )
  return (
    <>
      <i
        className={isDone ? css['done'] : css['now']}
        style={placed(scale, beganAt, endedAt ?? now)}
      />
      {holds.map((hold) => (
        <i
          key={hold.from}
          className={hold.isStop ? css['stopped'] : css['held']}
          style={placed(scale, hold.from, hold.to)}
          title={`${hold.isStop ? 'stopped itself' : 'paused'} ${formatDateTime(new Date(hold.from))} to ${formatDateTime(new Date(hold.to))}`}
        />
      ))}
    </>
  )
}

/** `to` undefined: up to the end of the axis. */
function placed(scale: TimeScale, from: number, to: number | undefined) {
  const left = scale.placeOf(new Date(from))
  const right = to === undefined ? 100 : scale.placeOf(new Date(to))
  return { left: `${left}%`, width: `max(3px, ${right - left}%)` }
}

/** When it ran, in words. */
function Span({
  time,
  deployment,
  index,
}: {
  time: PhaseTime
  deployment: Deployment
  index: number
}) {
  const { beganAt, endedAt, notBefore } = time
  if (beganAt === undefined)
    return notBefore === undefined ? (
      <>never began</>
    ) : (
      <>
        not before <Time at={iso(notBefore)} as="dateTime" />
      </>
    )
  return (
    <>
      <Time at={iso(beganAt)} as="dateTime" /> –{' '}
      {endedAt === undefined ? wordOf(deployment) : <Time at={iso(endedAt)} as="dateTime" />}
      {endedAt !== undefined &&
        index === deployment.phase &&
        `, ${nameDeploymentState(deployment).toLowerCase()} then`}
    </>
  )
}

const iso = (time: number) => new Date(time).toISOString()

function wordOf({ state }: Deployment): string {
  if (state === 'Paused') return 'held'
  return state === 'Stopped' ? 'stopped itself' : 'runs'
}

function Axis({
  scale,
  isShort,
  now,
}: {
  scale: TimeScale
  isShort: boolean
  now: number | undefined
}) {
  const nowAt = now === undefined ? undefined : scale.placeOf(new Date(now))
  return (
    <div className={css['axis']} aria-hidden="true">
      <div>
        {scale
          .ticks(4)
          .filter((tick) => !isUnderNow(scale.placeOf(tick), nowAt))
          .map((tick) => (
            <span key={tick.getTime()} style={{ left: `${scale.placeOf(tick)}%` }}>
              {isShort ? CLOCK.format(tick) : formatDate(tick)}
            </span>
          ))}
        {nowAt !== undefined && <i style={{ left: `${nowAt}%` }}>now</i>}
      </div>
    </div>
  )
}

/** The word stands right of its place, and would cover the time of the tick. */
const isUnderNow = (place: number, nowAt: number | undefined) =>
  nowAt !== undefined && place > nowAt - 5 && place < nowAt + 10

function Table({ deployment, times }: { deployment: Deployment; times: readonly PhaseTime[] }) {
  return (
    <table>
      <thead>
        <tr>
          {['Phase', 'Devices', 'Began', 'Ended', 'Held'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map(({ beganAt, endedAt, holds }, index) => (
          <tr key={index}>
            <th scope="row">{nameOf(deployment, index)}</th>
            <td>{devicesOf(deployment, deployment.phases[index]?.percent ?? 100)}</td>
            <td>{beganAt === undefined ? 'not yet' : formatDateTime(new Date(beganAt))}</td>
            <td>{endedAt === undefined ? '' : formatDateTime(new Date(endedAt))}</td>
            <td>
              {holds
                .map(
                  ({ from, to }) =>
                    `${formatDateTime(new Date(from))} – ${formatDateTime(new Date(to))}`,
                )
                .join('; ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
