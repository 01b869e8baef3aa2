/** The release line that an option names. */
import { findOneByName } from './named.ts'
import type { Session } from './session.ts'

/** What states it in a command to the service. Empty: no line is stated, and patterns say. */
export async function readLine(
  { client, workspaceId }: Session,
  firmwareId: string,
  line: string | undefined,
): Promise<{ statedLineId?: string | null }> {
  if (line === undefined) return {}
  if (line === '') return { statedLineId: null }
  const path = '/workspaces/{workspaceId}/firmwares/{firmwareId}/lines'
  const params = { workspaceId, firmwareId }
  const { id } = await findOneByName(
    line,
    'release line',
    async () => (await client.get(path, { params })).lines,
  )
  return { statedLineId: id }
}
