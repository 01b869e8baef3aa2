import type { FirmwareVersion } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { DeployVersion } from '../../components/create-deployment.tsx'
import { useWorkspaceId } from '../../session.ts'
import { versionsQuery } from '../../workspace-queries.ts'

/** The newest version of its line, or of a firmware without lines, where it is another one. */
export function useNewer({ id, firmware, line, createdAt }: FirmwareVersion) {
  const { data } = useQuery(versionsQuery(useWorkspaceId(), firmware.id))
  const newest = data?.firmwareVersions.find((one) => one.line?.id === line?.id)
  return newest && newest.id !== id && newest.createdAt >= createdAt ? newest : undefined
}

/** Where devices run an older version: on to the newest. Else this one to more devices. */
export function NextStep({ version }: { version: FirmwareVersion }) {
  const newer = useNewer(version)
  const isPrimary = version.sbomCount > 0
  if (newer && version.affectedDeviceCount > 0)
    return (
      <DeployVersion versionId={newer.id} isPrimary={isPrimary}>
        Move devices to {newer.name}…
      </DeployVersion>
    )
  return <DeployVersion versionId={version.id} isPrimary={isPrimary && !newer} />
}
