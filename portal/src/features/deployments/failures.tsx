/** Why devices failed, what those have in common, and whether it is worth trying again. */
import {
  type Deployment,
  type DeploymentFailures,
  describeTrait,
  type FailureTrait,
  TRAIT_KIND_NAMES,
} from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findMax } from '../../components/extremes.ts'
import { Panel } from '../../components/panel.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import { type DeploymentName, failuresQuery } from './queries.ts'
import { describeFailureReason, Retry } from './retry.tsx'

interface FailuresProps {
  deployment: Deployment
  name: DeploymentName
}

type Group = DeploymentFailures['groups'][number]

/** The most frequent reason first; each leads to its devices in the list below. */
export function Failures({ deployment, name }: FailuresProps) {
  const { failureReasons, deviceCounts, isActive } = deployment
  const { failed } = deviceCounts
  const mayRetry = useMay('Deployments: write') && isActive
  const { data, error } = useQuery(failuresQuery(useWorkspaceId(), name, failed > 0))
  if (failed === 0) return null
  const most = findMax(failureReasons.map(({ count }) => count))
  return (
    <Panel
      title="Failures by reason"
      note={formatCountOf(failed, 'device')}
      aside={
        mayRetry &&
        failureReasons.length > 1 && (
          <Retry name={name} count={failed}>
            Try all again…
          </Retry>
        )
      }
      isFlush
    >
      <ul className={css['failures']}>
        {failureReasons.map(({ reason, count }) => {
          const group = data?.groups.find((one) => one.reason === reason)
          return (
            <li key={reason}>
              <strong>{describeFailureReason(reason)}</strong>
              <span>
                <i style={{ width: `${(count / most) * 100}%` }} />
              </span>
              <FailedOf {...{ name, reason, count }} />
              <Common group={group} />
              {mayRetry && (
                <Retries {...{ name, reason, count, group }} hasFailed={error !== null} />
              )}
            </li>
          )
        })}
      </ul>
      {data && <Compared failures={data} />}
      {error && (
        <p className={css['compared']} role="alert">
          What they have in common could not be read: {error.message}
        </p>
      )}
    </Panel>
  )
}

function FailedOf({
  name,
  reason,
  count,
}: {
  name: DeploymentName
  reason: string
  count: number
}) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
      params={{ workspaceId, ...name }}
      // A text of its own kind, as an empty one would be dropped from the address.
      search={{ state: 'failed', reason: `is ${reason}` }}
      hash="devices"
      replace
      resetScroll={false}
      className="numbers"
      aria-label={`${formatCountOf(count, 'device')} failed: ${reason}, show them`}
    >
      {formatCount(count)}
    </Link>
  )
}

/** What sets the devices of a reason apart, as far as it is known yet. */
function Common({ group }: { group: Group | undefined }) {
  if (!group) return <span />
  const { traits, attempts } = group
  return (
    <span className={css['common']}>
      {traits.length === 0 && <span className={css['note']}>nothing sets them apart</span>}
      {traits.map((trait) => (
        <span key={`${trait.kind} ${trait.name} ${trait.value}`}>
          <strong>{describeTrait(trait)}</strong>{' '}
          <span className={css['note']}>{describeShares(trait)}</span>
        </span>
      ))}
      {attempts > 1 && <span className={css['note']}>up to {attempts} attempts</span>}
    </span>
  )
}

const describeShares = ({ failedCount, failedOf, otherCount, otherOf }: FailureTrait) =>
  `${formatCount(failedCount)} of ${formatCount(failedOf)}, of the others ${formatCount(otherCount)} of ${formatCount(otherOf)}`

/** Says how many devices were compared, and by what. */
function Compared({ failures }: { failures: DeploymentFailures }) {
  const { comparedFailedCount, comparedOtherCount, comparedKinds, groups } = failures
  const kinds = comparedKinds.map((kind) => TRAIT_KIND_NAMES[kind]).join(', ')
  const isNothing = groups.every(({ traits }) => traits.length === 0)
  return (
    <p className={css['compared']}>
      {isNothing
        ? `Nothing that sets them apart was found among ${kinds}. `
        : `Looked at: ${kinds}. `}
      {formatCount(comparedFailedCount)} failed compared with {formatCount(comparedOtherCount)} that
      took the versions.
    </p>
  )
}

interface RetriesProps {
  name: DeploymentName
  reason: string
  count: number
  /** undefined: it is on its way, or could not be read. */
  group: Group | undefined
  hasFailed: boolean
}

/** Tries again on the devices for which something has changed; people may choose to try on more. */
function Retries({ name, reason, count, group, hasFailed }: RetriesProps) {
  const of = { name, reason }
  if (!group)
    return hasFailed ? (
      <Retry {...of} count={count}>
        Try again…
      </Retry>
    ) : (
      <span />
    )
  const { changedCount } = group
  return (
    <span className={css['acts']}>
      {changedCount > 0 && (
        <Retry {...of} count={changedCount} isOfChanged={changedCount < count}>
          {`Try again on ${formatCount(changedCount)}…`}
        </Retry>
      )}
      {changedCount < count && (
        <Retry {...of} count={count} unchangedCount={count - changedCount}>
          Try again anyway…
        </Retry>
      )}
    </span>
  )
}
