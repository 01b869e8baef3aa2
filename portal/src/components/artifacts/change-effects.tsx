/** Whom it reaches when a file of a version is replaced or deleted. */
import type { RoleArtifact } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { addressesQuery, artifactOffersQuery } from './queries.ts'

interface ChangeEffectsProps {
  versionId: string
  artifact: Pick<RoleArtifact, 'role' | 'baseVersionId' | 'baseVersion'>
  /** What becomes of devices that run what a delta begins with. */
  then: string
  /** What becomes of standing addresses of the file. */
  addressed: string
}

/** Counted anew each time it is asked. */
export function ChangeEffects({ versionId, artifact, then, addressed }: ChangeEffectsProps) {
  const { role, baseVersionId, baseVersion } = artifact
  const workspaceId = useWorkspaceId()
  const mayCount = useMay('Deployments: read')
  const anew = { refetchOnMount: 'always' as const }
  const counted = useQuery({
    ...artifactOffersQuery(workspaceId, versionId),
    ...anew,
    enabled: mayCount,
  })
  const listed = useQuery({ ...addressesQuery(workspaceId, versionId), ...anew })
  if (counted.isFetching || listed.isFetching) return <p>Counting devices and addresses…</p>
  const isIt = (one: { role: string; baseVersionId: string | null }) =>
    one.role === role && one.baseVersionId === baseVersionId
  const count = counted.data?.artifacts.find(isIt)
  const addresses = listed.data?.addresses.filter(
    (one) => isIt(one) && Date.parse(one.endsAt) > Date.now(),
  )
  return (
    <>
      {count ? (
        <p>
          {formatCountOf(count.offeredDeviceCount, 'device is', 'devices are')} offered it now.
          {count.baseDeviceCount !== null &&
            ` ${formatCountOf(count.baseDeviceCount, 'device reports', 'devices report')} ${baseVersion ?? 'its base'}; they ${then}.`}
        </p>
      ) : (
        <p>
          How many devices are offered it is not known
          {mayCount ? '.' : ': your role may not see deployments.'}
        </p>
      )}
      {addresses === undefined && <p>Whether standing addresses lead to it is not known.</p>}
      {addresses !== undefined && addresses.length > 0 && (
        <p>
          {formatCountOf(addresses.length, 'standing address leads', 'standing addresses lead')} to
          it, and {addressed}.
        </p>
      )}
    </>
  )
}
