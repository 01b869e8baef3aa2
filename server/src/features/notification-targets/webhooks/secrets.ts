/** Secrets that sign what webhooks are sent. */
import { randomBytes } from 'node:crypto'

/**
 * Kept as it is: signing needs it in clear, and any key to seal it with would lie in the same database, so that sealing
 * would hide it from nobody who can read that.
 */
export function newSecret(): Buffer {
  return randomBytes(32)
}

/** How a secret is shown: base64 behind a prefix by which scanners know it. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`
}

interface Secrets {
  secret: Buffer
  formerSecret: Buffer | null
  formerSecretUntil: Date | null
}

/** Those that sign at that time, the current one first. */
export function secretsOf(of: Secrets, at: Date): Buffer[] {
  const { secret, formerSecret, formerSecretUntil } = of
  const isKept = formerSecret !== null && formerSecretUntil !== null && at < formerSecretUntil
  return isKept ? [secret, formerSecret] : [secret]
}
