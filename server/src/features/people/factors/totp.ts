/** Codes of authenticator apps: RFC 6238 over RFC 4226, with the parameters that all apps take. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { SECOND_MS } from '../../../formats/instants.ts'

const STEP_SECONDS = 30
const DIGITS = 6
/** Clocks of phones are a little off. */
const STEPS_EITHER_WAY = 1

/** RFC 4226, section 4: at least 128 bits, better 160. */
export const SECRET_BYTES = 20

export function computeCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS
  return String(number).padStart(DIGITS, '0')
}

export function stepAt(instant: Date): number {
  return Math.floor(instant.getTime() / SECOND_MS / STEP_SECONDS)
}

/** The time step that the code belongs to; undefined: it is wrong, or belongs to a step until `lastStep`. */
export function findMatchingStep(
  secret: Buffer,
  code: string,
  { at, lastStep }: { at: Date; lastStep: number | undefined },
): number | undefined {
  const digits = Buffer.from(code.replaceAll(/\s/g, '').padStart(DIGITS))
  const present = stepAt(at)
  for (let step = present - STEPS_EITHER_WAY; step <= present + STEPS_EITHER_WAY; step += 1) {
    const expected = Buffer.from(computeCode(secret, step))
    const isEqual = digits.length === expected.length && timingSafeEqual(digits, expected)
    if (isEqual && (lastStep === undefined || step > lastStep)) return step
  }
  return undefined
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, section 6, without padding: the form that people type into an app. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => BASE32.charAt(parseInt(group.padEnd(5, '0'), 2))).join('')
}

/** The content of the QR code (the key URI format of Google Authenticator). */
export function formatKeyUri(secret: string, email: string): string {
  const label = `Plimsoll:${email}`
  const parameters = new URLSearchParams({ secret, issuer: 'Plimsoll' })
  return `otpauth://totp/${encodeURIComponent(label)}?${parameters.toString()}`
}
