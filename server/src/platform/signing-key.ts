/** Signs what the service hands out and does not store: cursors, links, attempts to sign in. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface DatedKey {
  value: Buffer
  /** null: it has signed since the first start. */
  beginsAt: Date | null
  /** null: it is the last one. */
  endsAt: Date | null
}

/**
 * The newest key signs, and each one is accepted until it ends: also before it begins, so that all nodes know a key
 * before one of them signs with it.
 */
export class SigningKey {
  private keys: readonly DatedKey[]
  private readonly now: () => Date

  constructor(keys: readonly DatedKey[], now: () => Date) {
    this.keys = keys
    this.now = now
  }

  /** Takes keys that were read again. They must be in the order in which they begin. */
  replace(keys: readonly DatedKey[]): void {
    this.keys = keys
  }

  sign(content: string | Buffer, bytes?: number): Buffer {
    const now = this.now()
    const begun = this.keys.findLast(({ beginsAt }) => beginsAt === null || beginsAt <= now)
    return signWith(begun ?? this.keys[0], content, bytes)
  }

  /** A signature as text is in base64url, which has one spelling. */
  isSigned(content: string | Buffer, signature: string | Buffer, bytes?: number): boolean {
    const now = this.now()
    const given = typeof signature === 'string' ? readBase64url(signature) : signature
    return this.keys
      .filter(({ endsAt }) => endsAt === null || endsAt > now)
      .map((key) => signWith(key, content, bytes))
      .some((expected) => expected.length === given.length && timingSafeEqual(expected, given))
  }
}

function signWith(key: DatedKey | undefined, content: string | Buffer, bytes?: number): Buffer {
  if (!key) throw new Error('there is no signing key')
  return createHmac('sha256', key.value).update(content).digest().subarray(0, bytes)
}

function readBase64url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : Buffer.alloc(0)
}
