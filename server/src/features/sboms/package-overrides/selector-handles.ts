import { crc32 } from 'node:zlib'
import {
  listPartNames,
  type OverrideSelector,
  parseSelectorCpe,
  parseSelectorPurl,
} from '../../../formats/identity.ts'

/** What an index can look up for selectors: it finds all components that they select, and perhaps more. A name is enough where there is one. */
export interface SelectorHandles {
  names: string[]
  /** Hashes, as components have them. */
  keys: number[]
}

export function listSelectorHandles(
  workspaceId: string,
  overrides: readonly { selector: OverrideSelector }[],
): SelectorHandles {
  const names: string[] = []
  const keys: string[] = []
  for (const { selector } of overrides) {
    const { name, purl, cpe } = selector
    const key = purl === null ? cpe && parseSelectorCpe(cpe) : parseSelectorPurl(purl)
    if (name !== null) for (const each of listPartNames(name)) names.push(each)
    else if (typeof key === 'string') keys.push(key)
  }
  return { names, keys: hashSelectorKeys(workspaceId, keys) }
}

/**
 * Short numbers keep the index small. It is of all workspaces, so the workspace is part of them; who finds components by
 * them compares the whole keys, since different keys can have one hash.
 */
export function hashSelectorKeys(workspaceId: string, keys: readonly string[]): number[] {
  return keys.map((key) => crc32(`${workspaceId} ${key}`) | 0)
}
