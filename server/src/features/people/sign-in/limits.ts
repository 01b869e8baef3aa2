/** How many attempts to sign in are allowed, and how long further ones wait. */
import { createHash } from 'node:crypto'
import { MINUTE_MS, SECOND_MS } from '../../../formats/instants.ts'

export interface AttemptLimit {
  /** The hash of what is counted. */
  key: Buffer
  /** Failures that do not delay the next attempt. */
  free: number
}

/** How long the next attempt waits: after a failure that is free, after the first one that is not, after the second one… */
export const DELAYS_MS = [0, 15, 30, 60, 120, 240, 480, 900].map((seconds) => seconds * SECOND_MS)
/** Failures are forgotten after this time without another. */
export const FORGOTTEN_AFTER_MS = 60 * MINUTE_MS

/**
 * Attempts on an account are counted by the address they come from, so that nobody can lock its owner out from elsewhere.
 * An address may be that of a whole office, so that it has more attempts over all accounts. The own limit is the last.
 */
/** `from` stands for the address: `groupAddress`. */
export function signInLimits(account: string, from: string): AttemptLimit[] {
  return [
    { key: hashKey('sign-in', from), free: 40 },
    { key: hashKey('sign-in', account, from), free: 5 },
  ]
}

/** Codes have six digits only, so that attempts from all addresses count together. The password was right before. */
export function listSecondFactorLimits(personId: string): AttemptLimit[] {
  return [{ key: hashKey('second-factor', personId), free: 8 }]
}

/**
 * Each is a mail to somebody. The network is counted first: what it refuses does not count for the account, so that nobody keeps
 * its owner from asking without also sending mails that the owner can use.
 */
export function resetLimits(account: string, from: string): AttemptLimit[] {
  return [
    { key: hashKey('reset', from), free: 20 },
    { key: hashKey('reset', account), free: 3 },
  ]
}

/** A row each; `from` may be a whole office. */
export function listTerminalLoginLimits(from: string): AttemptLimit[] {
  return [{ key: hashKey('terminal-login', from), free: 60 }]
}

/** A code has eight letters: nobody tries many, from one address or as one person. */
export function listUserCodeLimits(personId: string, from: string): AttemptLimit[] {
  return [
    { key: hashKey('user-code', from), free: 40 },
    { key: hashKey('user-code', personId), free: 8 },
  ]
}

function hashKey(...parts: string[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest()
}
