/** The signature of a release: whoever has the public key checks all files by it, with OpenSSL and `sha256sum` alone. */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is signed, as it has the sums of all other files. */
export const SUMS = 'SHA256SUMS'

/** An Ed25519 key, in a file as `openssl genpkey -algorithm ed25519` makes it. Is read before anything is built. */
export function readSigningKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file))
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new Error(
    `${file} is no Ed25519 key. This makes one: openssl genpkey -algorithm ed25519 -out ${file}`,
  )
}

export function signChecksums(dist: string, key: KeyObject): void {
  writeFileSync(join(dist, `${SUMS}.sig`), sign(null, readFileSync(join(dist, SUMS)), key))
}
