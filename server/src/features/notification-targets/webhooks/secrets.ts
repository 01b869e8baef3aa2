/** The secrets that sign the messages of webhooks. */
import { randomBytes } from 'node:crypto'
import {
  decryptSecret,
  type EncryptionKeys,
  encryptSecret,
  type SecretPlace,
} from '../../../platform/secret-encryption.ts'

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

type Column = 'secret' | 'former_secret'

interface WebhookKey {
  workspaceId: string
  id: string
}

function namePlace({ workspaceId, id }: WebhookKey, column: Column): SecretPlace {
  return { table: 'webhooks', column, row: `${workspaceId}/${id}`.toLowerCase() }
}

/** As the database holds it. */
export function encryptWebhookSecret(
  keys: EncryptionKeys,
  webhook: WebhookKey,
  { column = 'secret', secret }: { column?: Column; secret: Buffer },
): Buffer {
  return encryptSecret(keys, namePlace(webhook, column), secret)
}

export function decryptWebhookSecrets(
  keys: EncryptionKeys,
  webhook: WebhookKey & Secrets,
): Secrets {
  const read = (column: Column, stored: Buffer) =>
    decryptSecret(keys, namePlace(webhook, column), stored)
  const { secret, formerSecret, formerSecretUntil } = webhook
  return {
    secret: read('secret', secret),
    formerSecret: formerSecret && read('former_secret', formerSecret),
    formerSecretUntil,
  }
}

/** The secrets that sign at an instant, the current one first. */
export function listSigningSecrets(of: Secrets, at: Date): Buffer[] {
  const { secret, formerSecret, formerSecretUntil } = of
  const isKept = formerSecret !== null && formerSecretUntil !== null && at < formerSecretUntil
  return isKept ? [secret, formerSecret] : [secret]
}
