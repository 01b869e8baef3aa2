import { type PackageIdentity, packageKeys } from '../../formats/identity.ts'
import type { PackageRow } from './parser-messages.ts'

export function packageRow(identity: PackageIdentity): PackageRow {
  return { id: identity.id, identity, keys: packageKeys(identity) }
}
