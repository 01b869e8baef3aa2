/** CSAF documents that were received, kept whole inside a document of ours: their product ids get a prefix. */
import { isObject, isText, listObjects, type JsonObject } from '../sboms/json-values.ts'
import { removeEqual, type ReceivedStatement, type VexVerdict } from './export.ts'

export interface CsafTree {
  branches: JsonObject[]
  full_product_names: JsonObject[]
  product_groups: JsonObject[]
  relationships: JsonObject[]
}

/** One for each document, in the order in which the verdicts name them. */
export function nameProductPrefixes(verdicts: readonly VexVerdict[]): Map<string, string> {
  const prefixes = new Map<string, string>()
  for (const { received } of verdicts)
    if (received?.format === 'Csaf' && !prefixes.has(received.documentId))
      prefixes.set(received.documentId, `received-${prefixes.size + 1}:`)
  return prefixes
}

export function addReceivedTree(
  tree: CsafTree,
  verdicts: readonly VexVerdict[],
  prefixes: ReadonlyMap<string, string>,
): void {
  const added = new Set<string>()
  for (const { received } of verdicts) {
    const prefix = received && prefixes.get(received.documentId)
    if (received === undefined || prefix === undefined || added.has(prefix)) continue
    added.add(prefix)
    const own = prefixed(received.envelope['product_tree'], prefix)
    if (!isObject(own)) continue
    for (const name of [
      'branches',
      'full_product_names',
      'product_groups',
      'relationships',
    ] as const)
      for (const each of listObjects(own[name])) tree[name].push(each)
  }
}

/** Lists of both are joined; where an item has one value, ours stands, then that received first. */
export function addReceivedVulnerability(
  item: JsonObject,
  verdicts: readonly VexVerdict[],
  prefixes: ReadonlyMap<string, string>,
): JsonObject {
  const added = new Set<ReceivedStatement['original']>()
  let joined = item
  for (const { received } of verdicts) {
    const prefix = received && prefixes.get(received.documentId)
    if (received === undefined || prefix === undefined || added.has(received.original)) continue
    added.add(received.original)
    const own = prefixed(received.original, prefix)
    if (isObject(own)) joined = join(joined, own)
  }
  return joined
}

function join(item: JsonObject, received: JsonObject): JsonObject {
  const joined: JsonObject = { ...item }
  for (const [name, value] of Object.entries(received)) {
    const known = joined[name]
    if (known === undefined) joined[name] = value
    else if (Array.isArray(known) && Array.isArray(value))
      joined[name] = removeEqual<unknown>([...(known as unknown[]), ...(value as unknown[])])
    else if (name === 'product_status' && isObject(known) && isObject(value))
      joined[name] = join(known, value)
  }
  return joined
}

const ID_MEMBERS: ReadonlySet<string> = new Set([
  'product_id',
  'group_id',
  'product_reference',
  'relates_to_product_reference',
])
const LIST_MEMBERS: ReadonlySet<string> = new Set(['product_ids', 'group_ids', 'products'])

function prefixed(value: unknown, prefix: string, isList = false): unknown {
  if (Array.isArray(value))
    return value.map((one: unknown) =>
      isList && isText(one) ? prefix + one : prefixed(one, prefix),
    )
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (ID_MEMBERS.has(name) && isText(member)) return [name, prefix + member]
      if (name === 'product_status' && isObject(member))
        return [name, prefixedStatus(member, prefix)]
      return [name, prefixed(member, prefix, LIST_MEMBERS.has(name))]
    }),
  )
}

function prefixedStatus(status: JsonObject, prefix: string): JsonObject {
  return Object.fromEntries(
    Object.entries(status).map(([group, ids]) => [group, prefixed(ids, prefix, true)]),
  )
}
