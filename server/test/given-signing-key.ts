import { randomBytes } from 'node:crypto'
import { SigningKey } from '../src/platform/signing-key.ts'

/** A key that nothing else has. */
export function givenSigningKey(): SigningKey {
  const only = { value: randomBytes(32), beginsAt: null, endsAt: null }
  return new SigningKey([only], () => new Date())
}
