/** Ids of SPDX 3 elements may be shortened by a prefix, declared in the context or in a document's namespace map. */
import { isObject, isText, type JsonObject } from './json-values.ts'

/** @returns a function that expands a shortened id. */
export function readPrefixes(
  context: unknown,
  collections: readonly JsonObject[],
): (id: string) => string {
  const prefixes = new Map<string, string>()
  const contexts: unknown[] = Array.isArray(context) ? context : [context]
  const terms = contexts.filter(isObject).flatMap((entry) => Object.entries(entry))
  for (const [prefix, namespace] of terms) if (isText(namespace)) prefixes.set(prefix, namespace)
  for (const collection of collections) addNamespaceMap(collection['namespaceMap'], prefixes)
  if (prefixes.size === 0) return (id) => id
  return (id) => {
    const colon = id.indexOf(':')
    const namespace = prefixes.get(id.slice(0, colon))
    // As in JSON-LD, `prefix://…` is an IRI of that scheme.
    return colon === -1 || namespace === undefined || id.startsWith('//', colon + 1)
      ? id
      : namespace + id.slice(colon + 1)
  }
}

function addNamespaceMap(map: unknown, prefixes: Map<string, string>): void {
  if (!Array.isArray(map)) return
  for (const entry of map)
    if (isObject(entry)) {
      const { prefix, namespace } = entry
      if (isText(prefix) && isText(namespace) && prefix !== '') prefixes.set(prefix, namespace)
    }
}
