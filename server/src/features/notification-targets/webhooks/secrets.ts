/** The secrets that sign the messages of webhooks. */
import { randomBytes } from 'node:crypto'

/**
 * Stored as it is, because signing needs it in clear. A key to encrypt it with would lie in the same database, so
 * encryption would hide it from nobody who can read the database.
 */
export function createSecret(): Buffer {
  return randomBytes(32)
}

/** The text form of a secret: base64 behind a prefix that scanners for leaked secrets know. */
export function formatSecret(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

interface Secrets {
  secret: Buffer
  formerSecret: Buffer | null
  formerSecretUntil: Date | null
}

/** The secrets that sign at an instant, the current one first. */
export function listSigningSecrets(of: Secrets, at: Date): Buffer[] {
  const { secret, formerSecret, formerSecretUntil } = of
  const isKept = formerSecret !== null && formerSecretUntil !== null && at < formerSecretUntil
  return isKept ? [secret, formerSecret] : [secret]
}
