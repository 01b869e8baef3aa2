/**
 * Encrypts secrets of the database with keys that are kept elsewhere (decision 53). Without a key they stay as they are.
 * What is stored: `plm1`, the id of the key (8 bytes), nonce (12), AES-256-GCM of the secret, its tag (16).
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

export interface EncryptionKeys {
  /** Encrypts new secrets. undefined: they are not encrypted. */
  currentId: string | undefined
  /** All that decrypt, by their ids. */
  keys: ReadonlyMap<string, KeyObject>
}

/** A ciphertext is of its place: it cannot be read in another one. */
export interface SecretPlace {
  table: string
  column: string
  /** The values of the row's key. */
  row: string
}

/** A stored secret that no given key opens. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret'
}

const PREFIX = 'plimsoll-encryption-'
const KEY_BYTES = 32
const MAGIC = Buffer.from('plm1')
const ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ENVELOPE_BYTES = MAGIC.length + ID_BYTES + NONCE_BYTES + TAG_BYTES
const CIPHER = 'aes-256-gcm'

export function createEncryptionKey(): string {
  return `${PREFIX}${randomBytes(KEY_BYTES).toString('base64url')}`
}

/** undefined: it is none. */
export function parseEncryptionKey(text: string): { id: string; key: KeyObject } | undefined {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url')
  if (text !== `${PREFIX}${bytes.toString('base64url')}` || bytes.length !== KEY_BYTES)
    return undefined
  const digest = createHash('sha256').update(`${PREFIX}id\n`).update(bytes).digest('hex')
  return { id: digest.slice(0, 2 * ID_BYTES), key: createSecretKey(bytes) }
}

export function encryptSecret(
  { currentId, keys }: EncryptionKeys,
  place: SecretPlace,
  secret: Buffer,
): Buffer {
  const key = currentId === undefined ? undefined : keys.get(currentId)
  if (currentId === undefined || !key) return secret
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(namePlace(place))
  const content = Buffer.concat([cipher.update(secret), cipher.final()])
  return Buffer.concat([MAGIC, Buffer.from(currentId, 'hex'), nonce, content, cipher.getAuthTag()])
}

export function decryptSecret(
  { keys }: EncryptionKeys,
  place: SecretPlace,
  stored: Buffer,
): Buffer {
  const id = readKeyId(stored)
  if (id === undefined) return stored
  const key = keys.get(id)
  if (!key) throw unreadable(place, `PLIMSOLL_ENCRYPTION_KEY lacks the key ${id}`)
  const rest = stored.subarray(MAGIC.length + ID_BYTES)
  const decipher = createDecipheriv(CIPHER, key, rest.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  })
    .setAAD(namePlace(place))
    .setAuthTag(rest.subarray(-TAG_BYTES))
  try {
    const content = rest.subarray(NONCE_BYTES, -TAG_BYTES)
    return Buffer.concat([decipher.update(content), decipher.final()])
  } catch {
    throw unreadable(place, 'it was altered, or belongs to another row')
  }
}

/** undefined: it is not encrypted. Secrets have 20 or 32 bytes, so that none has the length of an encrypted one. */
export function readKeyId(stored: Buffer): string | undefined {
  const isEncrypted =
    stored.length > ENVELOPE_BYTES && stored.subarray(0, MAGIC.length).equals(MAGIC)
  return isEncrypted ? stored.toString('hex', MAGIC.length, MAGIC.length + ID_BYTES) : undefined
}

const nameSecret = ({ table, column, row }: SecretPlace) => `${table}.${column} of ${row}`
const namePlace = (place: SecretPlace) => Buffer.from(nameSecret(place))

function unreadable(place: SecretPlace, reason: string): UnreadableSecret {
  return new UnreadableSecret(`The secret ${nameSecret(place)} cannot be read: ${reason}.`)
}
