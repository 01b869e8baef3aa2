/** How components and findings differ between two firmware versions. */
import type { FirmwareVersionDiff } from '../../api-client/src/index.ts'
import type { Session } from './session.ts'

export async function diffVersions(
  { client, workspaceId }: Session,
  base: string,
  firmwareVersionId: string,
): Promise<FirmwareVersionDiff> {
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/diff'
  return client.get(path, { params: { workspaceId, firmwareVersionId }, query: { base } })
}
