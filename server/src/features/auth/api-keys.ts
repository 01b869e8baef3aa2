/**
 * API keys: a prefix, 34 random base62 characters and a checksum of 6 characters. The checksum lets scanners recognise a
 * leaked key offline.
 */
import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const RANDOM_CHARACTERS = 34
const CHECK_CHARACTERS = 6
const API_KEY_PREFIX = 'plm_'

export function createApiKey(): string {
  return createKey(API_KEY_PREFIX)
}

/** Whether a text has the form of a key and its checksum is right. Such a key need not exist. */
export function isWellFormedApiKey(text: string): boolean {
  return isWellFormedKey(API_KEY_PREFIX, text)
}

export function createKey(prefix: string): string {
  const random = Array.from({ length: RANDOM_CHARACTERS }, () =>
    ALPHABET.charAt(randomInt(62)),
  ).join('')
  return prefix + random + checksum(random)
}

export function isWellFormedKey(prefix: string, text: string): boolean {
  if (!text.startsWith(prefix)) return false
  const characters = text.slice(prefix.length)
  if (!/^[0-9A-Za-z]{40}$/.test(characters)) return false
  return characters.endsWith(checksum(characters.slice(0, RANDOM_CHARACTERS)))
}

/** Only the hash of a key is stored. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** CRC-32 in base62, padded with zeros, as in the tokens of GitHub. */
function checksum(random: string): string {
  let rest = crc32(random)
  let text = ''
  for (let index = 0; index < CHECK_CHARACTERS; index += 1) {
    text = ALPHABET.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}
