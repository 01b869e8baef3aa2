/** The product tree of CSAF 2.0 (section 3.2.2): product ids → what they name. */
import { isObject, listObjects, readText, type JsonObject } from '../sboms/json-values.ts'
import { listHashNames } from './hashes.ts'
import type { VexProduct, VexThing } from './model.ts'
import { createThing, listTexts } from './reading.ts'

export interface CsafProducts {
  productOf: (productId: string) => VexProduct | undefined
  productsOfGroup: (groupId: string) => string[]
}

export function readProductTree(tree: unknown): CsafProducts {
  const products = new Map<string, VexProduct>()
  const groups = new Map<string, string[]>()
  if (isObject(tree)) {
    for (const product of listObjects(tree['full_product_names'])) addProduct(products, product, {})
    readBranches(tree['branches'], products)
    readRelationships(listObjects(tree['relationships']), products)
    for (const group of listObjects(tree['product_groups'])) {
      const id = readText(group['group_id'])
      if (id !== undefined) groups.set(id, listTexts(group['product_ids']))
    }
  }
  return {
    productOf: (id) => products.get(id),
    productsOfGroup: (id) => groups.get(id) ?? [],
  }
}

type Names = Pick<VexThing, 'name' | 'version'> & { range?: string }

/** Branches nest without limit, so they are walked without recursion. */
function readBranches(branches: unknown, products: Map<string, VexProduct>): void {
  const pending = listObjects(branches).map((branch) => ({ branch, names: {} as Names }))
  for (let next = pending.pop(); next; next = pending.pop()) {
    const names = namesIn(next.branch, next.names)
    const { product, branches: inner } = next.branch
    if (isObject(product)) addProduct(products, product, names)
    for (const branch of listObjects(inner)) pending.push({ branch, names })
  }
}

function namesIn({ category, name }: JsonObject, above: Names): Names {
  const text = readText(name)
  if (text === undefined) return above
  switch (category) {
    case 'product_name':
      return { ...above, name: text }
    case 'product_version':
      // Ranges belong into the next category; many are here.
      return text.startsWith('vers:') ? { ...above, range: text } : { ...above, version: text }
    case 'product_version_range':
      return { ...above, range: text }
    default:
      return above
  }
}

function addProduct(
  products: Map<string, VexProduct>,
  product: JsonObject,
  { name, version, range }: Names,
): void {
  const id = readText(product['product_id'])
  if (id === undefined || products.has(id)) return
  const thing: VexProduct = { ...createThing(), ref: id, subcomponents: [] }
  const helper = product['product_identification_helper']
  if (isObject(helper)) {
    const cpe = readText(helper['cpe'])
    // CSAF 2.1 has a list of purls in place of one.
    thing.purls = [...new Set([readText(helper['purl']) ?? [], listTexts(helper['purls'])].flat())]
    if (cpe !== undefined) thing.cpes.push(cpe)
    const hashes = listObjects(helper['hashes']).flatMap((file) =>
      listHashNames(file['file_hashes']),
    )
    if (hashes.length > 0) thing.hashes = [...new Set(hashes)]
  }
  const shown = name ?? readText(product['name'])
  if (shown !== undefined) thing.name = shown
  if (version !== undefined) thing.version = version
  if (range !== undefined) thing.versions.push(range)
  products.set(id, thing)
}

/** A product within a product within a product: real documents have one or two. */
const MOST_PARTS = 16

/** `product_reference` is part of, or installed on, `relates_to_product_reference` (section 3.2.2.4). */
function readRelationships(
  relationships: readonly JsonObject[],
  products: Map<string, VexProduct>,
): void {
  let pending = relationships
  // A whole may be listed after its parts. Each round resolves at least one more level.
  for (let level = 0; level < MOST_PARTS && pending.length > 0; level++) {
    const unresolved = pending.filter((relationship) => !addRelationship(relationship, products))
    if (unresolved.length === pending.length) return
    pending = unresolved
  }
}

/** Answers false while one of the two products is unknown. */
function addRelationship(relationship: JsonObject, products: Map<string, VexProduct>): boolean {
  const full = relationship['full_product_name']
  const id = isObject(full) ? readText(full['product_id']) : undefined
  const part = products.get(readText(relationship['product_reference']) ?? '')
  const whole = products.get(readText(relationship['relates_to_product_reference']) ?? '')
  if (!part || !whole) return false
  if (id === undefined || products.has(id)) return true
  if (whole.subcomponents.length === MOST_PARTS) return true
  const { subcomponents: _, ...thing } = part
  products.set(id, { ...whole, ref: id, subcomponents: [...whole.subcomponents, thing] })
  return true
}
