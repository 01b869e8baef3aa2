/** How many attempts to sign in are allowed, and how long further ones wait. */
import { createHash } from 'node:crypto'
import { MINUTE_MS, SECOND_MS } from '../../../formats/instants.ts'

export interface AttemptLimit {
  /** The hash of what is counted. */
  key: Buffer
  /** Failures that do not delay the next attempt. */
  free: number
  /** It begins anew when an attempt succeeds; of others only that attempt is forgotten. */
  isOwn?: boolean
}

/** How long the next attempt waits: after a failure that is free, after the first one that is not, after the second one… */
export const DELAYS_MS = [0, 15, 30, 60, 120, 240, 480, 900].map((seconds) => seconds * SECOND_MS)
/** Failures are forgotten after this time without another. */
export const FORGOTTEN_AFTER_MS = 60 * MINUTE_MS

/**
 * Attempts on an account are counted by the address they come from, so that nobody can lock its owner out from elsewhere.
 * An address may be that of a whole office, so that it has more attempts over all accounts.
 */
/** `from` stands for the address: `groupAddress`. */
export function signInLimits(account: string, from: string): AttemptLimit[] {
  return [
    { key: hashKey('sign-in', from), free: 40 },
    { key: hashKey('sign-in', account, from), free: 5, isOwn: true },
  ]
}

/**
 * At doors that anybody may knock at. What succeeds is not counted, so that an office with many people does not meet them; what
 * is begun counts until it is finished.
 */
const FREE_OF_A_NETWORK = {
  link: 60,
  'second-factor': 60,
  'passkey-begun': 100,
  passkey: 60,
  'provider-begun': 100,
  provider: 60,
  'terminal-login': 60,
  'terminal-key': 60,
} as const
export type Door = keyof typeof FREE_OF_A_NETWORK

export function limitNetwork(door: Door, from: string): AttemptLimit {
  return { key: hashKey(door, from), free: FREE_OF_A_NETWORK[door] }
}

/** The attempts from all networks together. A low number would let an attacker who knows the password lock its owner out. */
const FREE_OF_A_PERSON = 100

/** Codes have six digits only, so that attempts from all addresses count together, too. The password was right before. */
export function listSecondFactorLimits(personId: string, from: string): AttemptLimit[] {
  return [
    limitNetwork('second-factor', from),
    { key: hashKey('second-factor', personId, from), free: 8, isOwn: true },
    { key: hashKey('second-factor', personId), free: FREE_OF_A_PERSON, isOwn: true },
  ]
}

/** A row each, until the passkey is added. */
export function limitNewPasskeys(personId: string): AttemptLimit {
  return { key: hashKey('passkey-begun', personId), free: 20 }
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

/** A code has eight letters: nobody tries many, from one address or as one person. */
export function listUserCodeLimits(personId: string, from: string): AttemptLimit[] {
  return [
    { key: hashKey('user-code', from), free: 40 },
    { key: hashKey('user-code', personId, from), free: 8, isOwn: true },
    { key: hashKey('user-code', personId), free: FREE_OF_A_PERSON, isOwn: true },
  ]
}

function hashKey(...parts: string[]): Buffer {
  return createHash('sha256').update(parts.join('\u0000')).digest()
}
