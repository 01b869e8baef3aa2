/** How many devices of a deployment are in which state, as a bar whose legend is the counts. */
import type { Deployment } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { ShareBar } from '../../components/share-bar.tsx'
import {
  DEVICE_STATES,
  type DeviceState,
  ENDED_STATES,
  nameOfDeviceState,
  PRESENT_STATES,
} from '../../components/update-states.ts'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import type { DeploymentName } from './queries.ts'
import css from './state-bar.module.css'

interface StateBarProps {
  counts: Deployment['deviceCounts']
  isSmall?: boolean
}

/**
 * What has ended stands apart from the rest, in the bar and in its words. Those that left the cohort are in no bar, as they are none of
 * its devices, but the words name them.
 */
export function StateBar({ counts, isSmall = false }: StateBarProps) {
  const present = DEVICE_STATES.filter((state) => counts[state] > 0)
  const hasEnded = (state: DeviceState | undefined) => ENDED_STATES.some((one) => one === state)
  const told = (isEnd: boolean) =>
    present
      .filter((state) => hasEnded(state) === isEnd)
      .map((state) => `${nameOfDeviceState(state)} ${formatCount(counts[state])}`)
      .join(', ')
  const texts = [told(false), told(true) && `ended: ${told(true)}`].filter((text) => text !== '')
  return (
    <ShareBar
      label={texts.length === 0 ? 'No devices' : texts.join('; ')}
      shares={present
        .filter((state) => state !== 'left')
        .map((state, index) => ({
          key: state,
          count: counts[state],
          className: css[state],
          isApart: hasEnded(state) && index > 0 && !hasEnded(present[index - 1]),
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
