/** Passwords are stored as argon2id in PHC string form. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { PasswordCost } from '../../config/people-settings.ts'

const derive = promisify(argon2)
const TAG_BYTES = 32
const NONCE_BYTES = 16

export const PASSWORD_CHARACTERS = { min: 12, max: 200 }

export async function hashPassword(password: string, cost: PasswordCost): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES)
  const tag = await deriveTag(password, nonce, cost)
  const { memoryKibibytes, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memoryKibibytes},t=${passes},p=${parallelism}$${encode(nonce)}$${encode(tag)}`
}

/**
 * Whether the password is the one that was stored. Takes as long without a stored one, so that nobody learns who has a
 * password.
 */
export async function isPasswordRight(
  stored: string | null | undefined,
  password: string,
  cost: PasswordCost,
): Promise<boolean> {
  const known = parse(stored ?? '')
  const tag = await deriveTag(password, known?.nonce ?? randomBytes(NONCE_BYTES), known ?? cost)
  return known !== undefined && timingSafeEqual(tag, known.tag)
}

/** Whether the stored form was made with other parameters than today's. */
export function isOutdated(stored: string, cost: PasswordCost): boolean {
  const known = parse(stored)
  return (
    known?.memoryKibibytes !== cost.memoryKibibytes ||
    known.passes !== cost.passes ||
    known.parallelism !== cost.parallelism
  )
}

const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{43})$/

function parse(stored: string) {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = PHC.exec(stored) ?? []
  if (memory === undefined) return undefined
  return {
    memoryKibibytes: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

async function deriveTag(password: string, nonce: Buffer, cost: PasswordCost): Promise<Buffer> {
  return derive('argon2id', {
    message: password.normalize('NFKC'),
    nonce,
    parallelism: cost.parallelism,
    tagLength: TAG_BYTES,
    memory: cost.memoryKibibytes,
    passes: cost.passes,
  })
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
