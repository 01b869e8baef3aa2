/** What else happened to the devices of an incident around its beginning. */
import type { AlertIncident, AlertIncidentChanges as Changes } from '@plimsoll/api-client'
import {
  IconAlertTriangle,
  IconAdjustmentsHorizontal,
  IconCpu,
  IconRocket,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { formatInstant } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { incidentChangesQuery } from './queries.ts'

type Change = Changes['changes'][number]

const ICONS = {
  Firmware: IconCpu,
  Deployment: IconRocket,
  Configuration: IconAdjustmentsHorizontal,
  Incident: IconAlertTriangle,
} as const satisfies Record<Change['kind'], unknown>

export function IncidentChanges({ incident }: { incident: AlertIncident }) {
  const query = useQuery(incidentChangesQuery(useWorkspaceId(), incident.id))
  const { data, refetch } = query
  const error = findBlockingError(query)
  return (
    <Panel title="What else changed" note="since an hour before it began, on these devices">
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading rows={3} />}
      {data && <Told changes={data} />}
    </Panel>
  )
}

function Told({ changes: { areDevices, changes, hasMore, from } }: { changes: Changes }) {
  if (!areDevices)
    return (
      <p className={css['note']}>
        It is not known: what fired in this incident is no single device.
      </p>
    )
  const isChanged = changes.some(({ kind }) => kind === 'Configuration')
  return (
    <ul className={css['changes']}>
      {changes.map((change) => (
        <ChangeRow key={`${change.kind} ${change.id} ${change.name} ${change.state}`} {...change} />
      ))}
      {changes.length === 0 && (
        <li>
          <span>
            No firmware, deployment, configuration or other incident of these devices is known since{' '}
            {formatInstant(new Date(from))}.
          </span>
        </li>
      )}
      {changes.length > 0 && !isChanged && (
        <li>
          <IconAdjustmentsHorizontal size={16} aria-hidden="true" />
          <span>no configuration was changed</span>
        </li>
      )}
      {hasMore && (
        <li>
          <span>There is more; these are the newest.</span>
        </li>
      )}
    </ul>
  )
}

function ChangeRow(change: Change) {
  const { kind, deviceIds, deviceCount, firstAt, lastAt } = change
  const workspaceId = useWorkspaceId()
  const Icon = ICONS[kind]
  const more = deviceCount - deviceIds.length
  const [first, last] = [formatInstant(new Date(firstAt)), formatInstant(new Date(lastAt))]
  return (
    <li>
      <Icon size={16} aria-hidden="true" />
      <span>
        <What {...change} /> on{' '}
        {deviceIds.map((deviceId, index) => (
          <span key={deviceId}>
            {index > 0 && ', '}
            <Link to="/w/$workspaceId/devices/$deviceId" params={{ workspaceId, deviceId }}>
              <code>{deviceId}</code>
            </Link>
          </span>
        ))}
        {more > 0 && ` and ${formatCount(more)} more`}
      </span>
      <span className={css['note']}>{first === last ? first : `${first} to ${last}`}</span>
    </li>
  )
}

const STATES: Record<string, string> = {
  pending: 'waits',
  inProgress: 'is under way',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'was cancelled',
}

function What({ kind, id, name, state, deploymentCohortId }: Change) {
  const workspaceId = useWorkspaceId()
  switch (kind) {
    case 'Firmware':
      return (
        <>
          {id === null ? (
            <code>{name}</code>
          ) : (
            <Link to="/w/$workspaceId/versions/$versionId" params={{ workspaceId, versionId: id }}>
              {name}
            </Link>
          )}{' '}
          began to run{id === null && ' (not registered)'}
        </>
      )
    case 'Deployment':
      return (
        <>
          Deployment{' '}
          <Link
            to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
            params={{
              workspaceId,
              deploymentCohortId: deploymentCohortId ?? '',
              deploymentId: id ?? '',
            }}
          >
            {name}
          </Link>{' '}
          {STATES[state ?? ''] ?? 'went on'}
        </>
      )
    case 'Configuration':
      return 'The configuration was changed'
    case 'Incident':
      return (
        <>
          <Link
            to="/w/$workspaceId/alerts/incidents/$incidentId"
            params={{ workspaceId, incidentId: id ?? '' }}
          >
            {name}
          </Link>{' '}
          fired
        </>
      )
  }
}
