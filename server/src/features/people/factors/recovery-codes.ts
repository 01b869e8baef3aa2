/** Codes for who has lost the second factor. Each works once. */
import { createHash, randomBytes } from 'node:crypto'
import { base32 } from './totp.ts'

const CODES = 10
/** 16 characters of base32. */
const CODE_BYTES = 10

/** `ABCD-EFGH-IJKL-MNOP` */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () =>
    (base32(randomBytes(CODE_BYTES)).match(/.{4}/g) ?? []).join('-'),
  )
}

/** Codes have 80 random bits, so that a fast hash suffices. People type them with or without dashes. */
export function hashRecoveryCode(code: string): Buffer {
  const characters = code.toUpperCase().replaceAll(/[^A-Z2-7]/g, '')
  return createHash('sha256').update(characters).digest()
}
