/** Which SBOMs of a firmware version an upload replaces. */

/** `serial`: the same document; `file`: also the same file name; `all`: whatever was uploaded before. */
export const REPLACEMENTS = ['serial', 'file', 'all'] as const
export type Replacement = (typeof REPLACEMENTS)[number]

/** An SBOM of a firmware version, as the rules see it. */
export interface Replaceable {
  id: string
  fileName: string
  /** A BOM-Link of CycloneDX (`urn:cdx:uuid/version`), or the documentNamespace of SPDX 2. */
  namespace: string | null
  uploadNumber: number
  replaces: Replacement | null
}

interface Document {
  serial: string
  version: number
}

/** SPDX has no number for versions of a document: each has a namespace of its own (SPDX 2.3, 6.5). */
function readDocument({ namespace }: Pick<Replaceable, 'namespace'>): Document | undefined {
  if (namespace === null) return undefined
  const [, serial, version] = /^(urn:cdx:[^/]+)\/(\d+)$/.exec(namespace) ?? []
  return serial === undefined
    ? { serial: namespace, version: 0 }
    : { serial, version: Number(version) }
}

/**
 * "When a system is presented with multiple BOMs with identical serial numbers, the system should use the most recent
 * version of the BOM" (CycloneDX 1.6, `version`): so whatever the upload says, and in whichever order they arrive.
 */
export function isLaterVersion(
  later: Pick<Replaceable, 'namespace'>,
  earlier: Pick<Replaceable, 'namespace'>,
): boolean {
  const [own, other] = [readDocument(later), readDocument(earlier)]
  if (!own || !other || own.serial !== other.serial) return false
  return own.version > other.version
}

function isSameDocument(
  one: Pick<Replaceable, 'namespace'>,
  other: Pick<Replaceable, 'namespace'>,
): boolean {
  const [own, its] = [readDocument(one), readDocument(other)]
  return own !== undefined && own.serial === its?.serial && own.version === its.version
}

/** Whether `other` goes when `own` is read. Files of one upload never ask to replace each other. */
export function isReplacedBy(own: Replaceable, other: Replaceable): boolean {
  if (own.id === other.id) return false
  if (isLaterVersion(own, other)) return true
  if (own.replaces === null || other.uploadNumber >= own.uploadNumber) return false
  if (own.replaces === 'all') return true
  if (own.replaces === 'file' && own.fileName === other.fileName) return true
  return isSameDocument(own, other)
}
