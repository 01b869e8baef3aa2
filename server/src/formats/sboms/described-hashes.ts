/** Which files a document says that it describes: by the hashes of what it names as its subject. */
import type { Draft } from './draft.ts'
import {
  type DescribedHash,
  type Hash,
  type NamedHashes,
  STRONG_ALGORITHMS,
  type StrongAlgorithm,
} from './model.ts'

const DIGITS: Readonly<Record<StrongAlgorithm, number>> = {
  'SHA-256': 64,
  'SHA-384': 96,
  'SHA-512': 128,
}

/** `SHA-256`, `SHA256` and `sha256` alike; undefined for others, and for a value of another length. */
export function readStrongHash({
  algorithm,
  value,
}: Hash): Pick<DescribedHash, 'algorithm' | 'value'> | undefined {
  const size = /^sha-?(256|384|512)$/i.exec(algorithm)?.[1]
  const known = STRONG_ALGORITHMS.find((one) => one.endsWith(size ?? 'none'))
  const digits = value.trim().toLowerCase()
  return known !== undefined && digits.length === DIGITS[known] && /^[0-9a-f]+$/.test(digits)
    ? { algorithm: known, value: digits }
    : undefined
}

const MOST_HASHES = 200

export function listDescribedHashes(
  { components, elements, fileHashes, describedBeside }: Draft,
  roots: readonly number[],
): DescribedHash[] {
  const described = [...new Set(roots)].flatMap((root): NamedHashes[] => {
    const component = components[elements[root] ?? -1]
    if (component) return [{ name: component.packageName, hashes: component.hashes }]
    const file = fileHashes.get(root)
    return file ? [file] : []
  })
  const found = new Map<string, DescribedHash>()
  for (const { name, hashes } of [...described, ...describedBeside])
    for (const hash of hashes) {
      const strong = readStrongHash(hash)
      if (strong && found.size < MOST_HASHES && !found.has(strong.value))
        found.set(strong.value, { name, ...strong })
    }
  return [...found.values()]
}

const MOST_FILES = 20_000

/** Of a file that may turn out to be what the document describes. */
export function noteFileHashes(draft: Draft, element: number, file: NamedHashes): void {
  if (!file.hashes.some((hash) => readStrongHash(hash) !== undefined)) return
  if (draft.fileHashes.size < MOST_FILES) draft.fileHashes.set(element, file)
  else draft.faults.add(`Hash of a file beyond the first ${MOST_FILES}, left out`)
}
