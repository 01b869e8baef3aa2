/** How components and findings differ between two firmware versions. */
import type { AnswerOf } from '../../api-client/src/index.ts'
import type { Session } from './session.ts'

export type VersionDiff = AnswerOf<'diffFirmwareVersions'>

export async function diffVersions(
  { client, workspaceId }: Session,
  base: string,
  firmwareVersionId: string,
): Promise<VersionDiff> {
  const path = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/diff'
  return client.get(path, { params: { workspaceId, firmwareVersionId }, query: { base } })
}
