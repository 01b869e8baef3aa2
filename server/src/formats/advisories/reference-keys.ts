/** The keys that join a record and the packages whose project it refers to. They say nothing about versions. */
import { isRepositoryAddress, projectAddressOfReference } from '../project-address.ts'
import { checkKey } from './keys.ts'
import type { AffectedPackage, Reference } from './model.ts'

/** Begins the keys: `reference:github.com/curl/curl`. */
export const REFERENCE_START = 'reference:'

/** `reference:github.com/curl/curl` */
function referenceKey(address: string): string | undefined {
  return checkKey(`${REFERENCE_START}${address}`)
}

/** `github.com/curl/curl` of `reference:github.com/curl/curl`. */
export function readAddress(key: string): string {
  return key.slice(REFERENCE_START.length)
}

/** One record refers to few projects; a long list is of a distribution or a tracker. */
const MOST = 5

/**
 * The repositories and sites among the references that are called like one of the products. Others serve many products: trackers,
 * mailing lists, repositories of exploits.
 */
export function listReferenceKeys(
  references: readonly Pick<Reference, 'url'>[],
  affected: readonly Pick<AffectedPackage, 'key'>[],
): string[] {
  const products = new Set(affected.flatMap(({ key }) => productIn(key) ?? []))
  if (products.size === 0 || products.size > MOST_PRODUCTS) return []
  const addresses = new Set(references.flatMap(({ url }) => projectAddressOfReference(url) ?? []))
  const own = [...addresses].filter((address) => isCalledLike(address, products))
  return own.slice(0, MOST).flatMap((address) => referenceKey(address) ?? [])
}

/** A record of so many products is no evidence for any of them. */
const MOST_PRODUCTS = 50

function productIn(key: string): string | undefined {
  const product = /^(?:cpe:[^:]*:|name:[^/]*\/)(.+)$/s.exec(key)?.[1]
  const name = product === undefined ? '' : squeezed(product)
  return name.length > 1 ? name : undefined
}

function isCalledLike(address: string, products: ReadonlySet<string>): boolean {
  const isRepository = isRepositoryAddress(address)
  const labels = isRepository ? address.split('/').slice(1) : address.split('.').slice(0, -1)
  return labels.some((label) => {
    const name = squeezed(label)
    if (products.has(name)) return true
    return isRepository && [...products].some((product) => containsOther(name, product))
  })
}

/** Short names are part of many others by chance. */
const MIN_PART = 4

function containsOther(a: string, b: string): boolean {
  const [long, short] = a.length < b.length ? [b, a] : [a, b]
  return short.length >= MIN_PART && long.includes(short)
}

const squeezed = (text: string) =>
  /^[a-z\d]*$/.test(text) ? text : text.replace(/[^\p{L}\p{N}]/gu, '')
