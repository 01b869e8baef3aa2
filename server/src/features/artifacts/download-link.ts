/** Links by which a device downloads the artifacts of its update while the update is open. */
import type { AppContext } from '../../platform/context.ts'
import type { SigningKey } from '../../platform/signing-key.ts'

interface Update {
  workspaceId: string
  updateId: string
}

export interface ArtifactLink extends Update {
  /** Position of the artifact in its deployment, from 0. */
  position: number
  fileName: string
  /** A further artifact of the version at the position; undefined: its full image. */
  artifactId?: string
}

export function signArtifactUrl(
  {
    config,
    signingKey,
  }: { config: Pick<AppContext['config'], 'publicUrl'>; signingKey: SigningKey },
  { position, fileName, artifactId, ...update }: ArtifactLink,
): string {
  const query = new URLSearchParams({
    position: String(position),
    ...(artifactId !== undefined && { artifactId }),
    secret: signingKey.sign(describe(update)).toString('base64url'),
  })
  const { workspaceId, updateId } = update
  const path = `/device/v1/${workspaceId}/updates/${updateId}/artifacts/${encodeURIComponent(fileName)}`
  return `${config.publicUrl}${path}?${query.toString()}`
}

const describe = ({ workspaceId, updateId }: Update) =>
  `update-artifacts\n${workspaceId}\n${updateId}`

export function isUpdateSecret(key: SigningKey, update: Update, secret: string): boolean {
  return key.isSigned(describe(update), secret)
}
