/** The keys with which secrets in the database are encrypted. */
import { type EncryptionKeys, parseEncryptionKey } from '../platform/secret-encryption.ts'
import type { SettingsReader } from './reader.ts'

const NAME = 'PLIMSOLL_ENCRYPTION_KEY'
/** In the place of the first key: new secrets are not encrypted. */
const NONE = 'none'

export function readEncryptionKeys(reader: SettingsReader): EncryptionKeys {
  const text = reader.text(NAME)
  const [first, ...others] = (text ?? NONE).split(/[\s,]+/).filter((part) => part !== '')
  // An empty file must not switch encryption off.
  if (first === undefined) reader.faults.push(`${NAME} holds no key.`)
  const parsed = [...(first === undefined || first === NONE ? [] : [first]), ...others].map(
    parseEncryptionKey,
  )
  for (const [index, key] of parsed.entries())
    if (!key)
      reader.faults.push(
        `${NAME}: key ${index + 1} of ${parsed.length} is not one that plimsoll-admin key-encryption create printed.`,
      )
  const known = parsed.filter((key) => key !== undefined)
  return {
    currentId: first === NONE ? undefined : known[0]?.id,
    keys: new Map(known.map(({ id, key }) => [id, key])),
  }
}
