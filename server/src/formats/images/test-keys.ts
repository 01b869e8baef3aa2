/** Keys whose private part everybody can download, named as what they are. */
import { PUBLISHED_CERTIFICATES, PUBLISHED_KEYS } from './published-keys.ts'
import { type PublicKey, readSpki } from './public-keys.ts'

const bare = PUBLISHED_KEYS.map(([owner, file, spki]) => ({
  name: `${owner}’s published ${file}`,
  publicKey: readSpki(Buffer.from(spki, 'base64')),
}))

/** Those that images name only by a hash, or by nothing. Images with certificates carry the key of their signer. */
export const TEST_KEYS: readonly PublicKey[] = bare.map(({ publicKey }) => publicKey)

const NAMES: ReadonlyMap<string, string> = new Map([
  ...bare.map(({ name, publicKey }) => [publicKey.fingerprint, name] as const),
  ...[...PUBLISHED_CERTIFICATES].map(([key, file]) => [key, `RAUC’s published ${file}`] as const),
])

/** undefined: it is no published test key that is known here. */
export const findTestKeyName = (fingerprint: string): string | undefined => NAMES.get(fingerprint)
