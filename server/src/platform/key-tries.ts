/** Counts keys that nobody has by address, and remembers them for a moment: each costs a query otherwise. */
import { createHash } from 'node:crypto'
import type { NodeMemory } from './node-memory.ts'
import { TokenBucket } from './token-bucket.ts'
import { groupAddress } from './http/address-group.ts'

export interface TriedKey {
  /** Names the key. */
  key: string
  /** Names the key and what it was shown at. */
  at: string
  address: string
}

const REMEMBERED = 10_000
/** So that a key that begins to be valid, such as a restored one, is accepted a second later. */
const REFUSED_MS = 1_000
/** Refused keys of one address. */
const REFUSALS = { perMinute: 300, burst: 200 }

/** `place`: what the key was shown at. */
export function createTriedKey(
  { key, place }: { key: string; place: string },
  address: string | undefined,
): TriedKey {
  return {
    key: hashText(key),
    at: hashText(`${key} ${place}`),
    address: groupAddress(address ?? ''),
  }
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

/** Those of this node: all doors count together. */
export function getKeyTries(memory: NodeMemory): KeyTries {
  return memory.of(makeTries)
}

const makeTries = () => new KeyTries()

export class KeyTries {
  private readonly accepted = new Map<string, true>()
  private readonly refusedAt = new Map<string, number>()
  private readonly buckets = new Map<string, TokenBucket>()
  private readonly now: () => number

  constructor(now = () => performance.now()) {
    this.now = now
  }

  begin({ key, at, address }: TriedKey): 'refused' | 'tooMany' | 'mayBeValid' {
    const refusedAt = this.refusedAt.get(at) ?? -Infinity
    if (this.now() - refusedAt < REFUSED_MS) return 'refused'
    if (this.accepted.has(key)) return 'mayBeValid'
    return this.bucketOf(address).hasToken(this.now()) ? 'mayBeValid' : 'tooMany'
  }

  accept({ key }: Pick<TriedKey, 'key'>): void {
    keep(this.accepted, key, true)
  }

  /** Tries that were answered at the same time may have been more than allowed: the address waits for all of them. */
  refuse({ at, key, address }: TriedKey): void {
    this.accepted.delete(key)
    keep(this.refusedAt, at, this.now())
    this.bucketOf(address).take(this.now())
  }

  private bucketOf(address: string): TokenBucket {
    const bucket = this.buckets.get(address) ?? new TokenBucket(REFUSALS, this.now())
    keep(this.buckets, address, bucket)
    return bucket
  }
}

/** As the newest. Beyond the limit the oldest one is forgotten. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= REMEMBERED) return
    map.delete(oldest)
  }
}
