/** How many devices of a deployment are in which state, as a bar whose legend is the counts. */
import type { Deployment, DeviceUpdateStateCounts } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { ShareBar } from '../../components/share-bar.tsx'
import {
  DEVICE_STATES,
  type DeviceState,
  ENDED_STATES,
  nameOfDeviceState,
  nameOfState,
  PRESENT_STATES,
  UPDATE_STATES,
} from '../../components/update-states.ts'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import type { DeploymentName } from './queries.ts'
import css from './state-bar.module.css'

interface StateBarProps {
  counts: Deployment['deviceCounts']
  isSmall?: boolean
}

/** Those that left the cohort are in no bar, as they are none of its devices. */
export function StateBar({ counts, isSmall = false }: StateBarProps) {
  const shares = DEVICE_STATES.filter((state) => state !== 'left').map((state) => ({
    key: state,
    count: counts[state],
    name: nameOfDeviceState(state),
    hasEnded: ENDED_STATES.includes(state),
  }))
  return <Bar shares={shares} isSmall={isSmall} />
}

/** What became of the updates, for lists, which do not ask what devices report. */
export function UpdateBar({ counts }: { counts: DeviceUpdateStateCounts }) {
  const shares = UPDATE_STATES.map((state) => ({
    key: state,
    count: counts[state],
    name: nameOfState(state),
    hasEnded: state === 'cancelled',
  }))
  return <Bar shares={shares} isSmall />
}

interface BarProps {
  shares: readonly { key: string; count: number; name: string; hasEnded: boolean }[]
  isSmall: boolean
}

/** What has ended stands apart from the rest, in the bar and in its words. */
function Bar({ shares, isSmall }: BarProps) {
  const present = shares.filter(({ count }) => count > 0)
  const told = (isEnd: boolean) =>
    present
      .filter(({ hasEnded }) => hasEnded === isEnd)
      .map(({ name, count }) => `${name} ${formatCount(count)}`)
      .join(', ')
  const texts = [told(false), told(true) && `ended: ${told(true)}`].filter((text) => text !== '')
  return (
    <ShareBar
      label={texts.length === 0 ? 'No devices' : texts.join('; ')}
      shares={present.map(({ key, count, hasEnded }, index) => ({
        key,
        count,
        className: css[key],
        isApart: hasEnded && present[index - 1]?.hasEnded === false,
      }))}
      isSmall={isSmall}
    />
  )
}

interface StateLegendProps {
  counts: Deployment['deviceCounts']
  name: DeploymentName
}

/** Each count leads to its devices. Behind a line stands what has ended. */
export function StateLegend({ counts, name }: StateLegendProps) {
  const ended = ENDED_STATES.filter((state) => counts[state] > 0)
  return (
    <div className={css['legends']}>
      <Entries states={PRESENT_STATES} {...{ counts, name }} />
      {ended.length > 0 && (
        <div className={css['ended']}>
          <span>Ended:</span>
          <Entries states={ended} {...{ counts, name }} />
        </div>
      )}
    </div>
  )
}

function Entries({ states, counts, name }: StateLegendProps & { states: readonly DeviceState[] }) {
  return (
    <ul className={css['legend']}>
      {states.map((state) => (
        <li key={state}>
          <i className={css[state]} aria-hidden="true" />
          {nameOfDeviceState(state)}{' '}
          <DevicesIn
            {...{ name, state }}
            count={counts[state]}
            label={`${nameOfDeviceState(state)}: ${formatCount(counts[state])}, show the devices`}
          />
        </li>
      ))}
    </ul>
  )
}

interface DevicesInProps {
  name: DeploymentName
  /** undefined: all that are in the cohort. */
  state: DeviceState | undefined
  count: number
  /** Where the text beside the number does not say what is counted. */
  label?: string
  /** undefined: the number alone. */
  children?: string
}

/** A number of devices of the deployment, which leads to exactly them. */
export function DevicesIn({ name, state, count, label, children }: DevicesInProps) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
      params={{ workspaceId, ...name }}
      search={state === undefined ? {} : { state }}
      hash="devices"
      replace
      resetScroll={false}
      className={css['count']}
      aria-label={label}
    >
      {children ?? formatCount(count)}
    </Link>
  )
}
