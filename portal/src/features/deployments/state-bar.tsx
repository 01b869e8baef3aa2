/** How many devices of a deployment are in which state, as a bar whose legend is the counts. */
import type { DeviceUpdateStateCounts } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { ShareBar } from '../../components/share-bar.tsx'
import { UPDATE_STATES } from '../../components/update-states.ts'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import type { DeploymentName } from './queries.ts'
import css from './state-bar.module.css'
import { countAll } from './words.ts'

export function StateBar({
  counts,
  isSmall = false,
}: {
  counts: DeviceUpdateStateCounts
  isSmall?: boolean
}) {
  const present = UPDATE_STATES.filter(({ state }) => counts[state] > 0)
  const text = present.map(({ state, name }) => `${name} ${counts[state]}`).join(', ')
  return (
    <ShareBar
      label={countAll(counts) === 0 ? 'No devices' : text}
      shares={present.map(({ state }) => ({
        key: state,
        count: counts[state],
        className: css[state],
      }))}
      isSmall={isSmall}
    />
  )
}

/** Each count leads to its devices. */
export function StateLegend({
  counts,
  name,
}: {
  counts: DeviceUpdateStateCounts
  name: DeploymentName
}) {
  const workspaceId = useWorkspaceId()
  return (
    <ul className={css['legend']}>
      {UPDATE_STATES.map(({ state, name: word }) => (
        <li key={state}>
          <i className={css[state]} aria-hidden="true" />
          {word}{' '}
          <Link
            to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
            params={{ workspaceId, ...name }}
            search={{ state }}
            replace
            resetScroll={false}
            aria-label={`${word}: ${formatCount(counts[state])}, show the devices`}
          >
            {formatCount(counts[state])}
          </Link>
        </li>
      ))}
    </ul>
  )
}
