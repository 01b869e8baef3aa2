import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  createEncryptionKey,
  decryptSecret,
  type EncryptionKeys,
  encryptSecret,
  parseEncryptionKey,
  readKeyId,
} from './secret-encryption.ts'

const place = { table: 'webhooks', column: 'secret', row: 'a/b' }
const [first, second] = [createEncryptionKey(), createEncryptionKey()]
const readId = (key: string) => parseEncryptionKey(key)?.id

function parseKeys(...texts: string[]): EncryptionKeys {
  const known = texts.map(parseEncryptionKey).filter((key) => key !== undefined)
  return { currentId: known[0]?.id, keys: new Map(known.map(({ id, key }) => [id, key])) }
}

describe('a secret', () => {
  it.each([20, 32])('of %i bytes stays as it is without a key', (bytes) => {
    const secret = randomBytes(bytes)

    expect(encryptSecret(parseKeys(), place, secret)).toBe(secret)
    expect(decryptSecret(parseKeys(first), place, secret)).toBe(secret)
    expect(readKeyId(Buffer.concat([Buffer.from('plm1'), secret]).subarray(0, bytes))).toBe(
      undefined,
    )
  })

  it.each([20, 32])(
    'of %i bytes is encrypted with the first key, differently each time',
    (bytes) => {
      const secret = randomBytes(bytes)
      const keys = parseKeys(first, second)

      const [one, other] = [encryptSecret(keys, place, secret), encryptSecret(keys, place, secret)]

      expect(readKeyId(one)).toBe(readId(first))
      expect(one.equals(other)).toBe(false)
      expect(one.includes(secret)).toBe(false)
      for (const known of [
        parseKeys(first),
        parseKeys(second, first),
        { ...keys, currentId: undefined },
      ])
        expect(decryptSecret(known, place, one)).toEqual(secret)
    },
  )

  it('is refused without its key, by the id of the key', () => {
    const stored = encryptSecret(parseKeys(first), place, randomBytes(32))

    expect(() => decryptSecret(parseKeys(second), place, stored)).toThrow(
      `The secret webhooks.secret of a/b cannot be read: PLIMSOLL_ENCRYPTION_KEY lacks the key ${readId(first)}.`,
    )
  })

  it.each([
    { ...place, row: 'a/c' },
    { ...place, column: 'former_secret' },
    { ...place, table: 'totp_secrets' },
  ])('is refused in another place: %j', (other) => {
    const stored = encryptSecret(parseKeys(first), place, randomBytes(32))

    expect(() => decryptSecret(parseKeys(first), other, stored)).toThrow('belongs to another row')
  })

  it('is refused with any byte changed, or cut off', () => {
    const stored = encryptSecret(parseKeys(first), place, randomBytes(32))
    // Without its mark it is no ciphertext at all, and as a secret it is wrong.
    for (let index = 4; index < stored.length; index += 1) {
      const changed = Buffer.from(stored)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(() => decryptSecret(parseKeys(first), place, changed)).toThrow('cannot be read')
    }
    expect(() => decryptSecret(parseKeys(first), place, stored.subarray(0, -1))).toThrow(
      'cannot be read',
    )
  })
})
