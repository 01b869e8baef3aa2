/** Codes for who has lost the second factor. Each works once. */
import { createHash, randomBytes } from 'node:crypto'
import { base32 } from './totp.ts'

const CODES = 10
/** 128 bits (OWASP ASVS 5.0, 6.5.2: less than 112 would need a slow hash): 26 characters of base32. */
const CODE_BYTES = 16

/** `ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ` */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () =>
    (base32(randomBytes(CODE_BYTES)).match(/.{1,4}/g) ?? []).join('-'),
  )
}

/** Codes are random, so that a fast hash suffices. People type them with or without dashes. */
export function hashRecoveryCode(code: string): Buffer {
  const characters = code.toUpperCase().replaceAll(/[^A-Z2-7]/g, '')
  return createHash('sha256').update(characters).digest()
}
