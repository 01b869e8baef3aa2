/** How many attempts to sign in are allowed, and how long further ones wait. */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { MINUTE_MS, SECOND_MS } from '../../../formats/instants.ts'

export interface AttemptLimit {
  /** The hash of what is counted. */
  key: Buffer
  /** Failures that do not delay the next attempt. */
  free: number
}

/** The delay after the first failure that is not free. Each further one doubles it. */
export const FIRST_DELAY_MS = 15 * SECOND_MS
export const MOST_DELAY_MS = 15 * MINUTE_MS
/** Failures are forgotten after this time without another. */
export const FORGOTTEN_AFTER_MS = 60 * MINUTE_MS

/**
 * Attempts on an account are counted by the address they come from, so that nobody can lock its owner out from elsewhere.
 * An address may be that of a whole office, so that it has more attempts over all accounts.
 */
export function signInLimits(account: string, address: string): AttemptLimit[] {
  const from = networkOf(address)
  return [
    { key: keyOf('sign-in', account, from), free: 5 },
    { key: keyOf('sign-in', from), free: 40 },
  ]
}

/** Codes have six digits only, so that attempts from all addresses count together. The password was right before. */
export function secondFactorLimits(personId: string): AttemptLimit[] {
  return [{ key: keyOf('second-factor', personId), free: 8 }]
}

/** Each is a mail to somebody. */
export function resetLimits(account: string, address: string): AttemptLimit[] {
  return [
    { key: keyOf('reset', account), free: 3 },
    { key: keyOf('reset', networkOf(address)), free: 20 },
  ]
}

function keyOf(...parts: string[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest()
}

/** A host of IPv6 has a whole /64 to itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - last.length)
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...last]
  return `${all
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
