/** Links by which a device downloads the artifacts of its update while the update is open. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AppContext } from '../../platform/context.ts'

interface Update {
  workspaceId: string
  updateId: string
}

export interface ArtifactLink extends Update {
  /** Position of the artifact in its deployment, from 0. */
  position: number
  fileName: string
}

export function signArtifactUrl(
  { config, signingKey }: { config: Pick<AppContext['config'], 'publicUrl'>; signingKey: Buffer },
  { position, fileName, ...update }: ArtifactLink,
): string {
  const query = new URLSearchParams({
    position: String(position),
    secret: updateSecret(signingKey, update),
  })
  const { workspaceId, updateId } = update
  const path = `/device/v1/${workspaceId}/updates/${updateId}/artifacts/${encodeURIComponent(fileName)}`
  return `${config.publicUrl}${path}?${query.toString()}`
}

function updateSecret(signingKey: Buffer, { workspaceId, updateId }: Update): string {
  return createHmac('sha256', signingKey)
    .update(`update-artifacts\n${workspaceId}\n${updateId}`)
    .digest('base64url')
}

export function isUpdateSecret(signingKey: Buffer, update: Update, secret: string): boolean {
  const expected = Buffer.from(updateSecret(signingKey, update))
  const given = Buffer.from(secret)
  return given.length === expected.length && timingSafeEqual(given, expected)
}
