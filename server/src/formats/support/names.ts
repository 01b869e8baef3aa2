/** By which names packages are of a product whose support ends: those by which advisories would name it, too. */
import { formatCpeKey, nameKey } from '../advisories/keys.ts'
import { parseCpe } from '../cpe.ts'
import { findDistribution } from '../distributions.ts'
import { ALIAS_TABLE_VERSION } from '../identity/aliases.ts'
import { findAliases } from '../identity/families.ts'
import { identifyPackage } from '../identity.ts'
import { readPurl } from '../identity/identifiers.ts'
import type { SupportIdentifier, SupportProduct } from './product.ts'

/** Raise it when the rules of this folder change: packages are then derived again. */
const OWN_RULES_VERSION = 1
export const SUPPORT_RULES_VERSION = OWN_RULES_VERSION * 10_000 + ALIAS_TABLE_VERSION

const DISTRIBUTION = 'distribution:'

/** The key of all packages that a distribution builds: Debian keeps OpenSSL 1.1.1 in repair for longer than upstream does. */
export const formatDistributionKey = (ecosystem: string) => DISTRIBUTION + ecosystem

/** The distribution of a key, `Debian`; undefined for the key of a package. */
export function readDistributionKey(key: string): string | undefined {
  return key.startsWith(DISTRIBUTION) ? key.slice(DISTRIBUTION.length) : undefined
}

/** Sorted. Without any, nothing can be found to be of the product. */
export function listProductKeys(product: Pick<SupportProduct, 'name' | 'identifiers'>): string[] {
  const distribution = findDistribution(product.name)
  const keys = distribution
    ? [formatDistributionKey(distribution.ecosystem)]
    : [...(UNSTATED_CPES.get(product.name) ?? []), ...product.identifiers].flatMap(listKeysOf)
  return [...new Set(keys)].toSorted()
}

/** What the source leaves out, and builds name the product by. */
const UNSTATED_CPES: ReadonlyMap<string, SupportIdentifier[]> = new Map([
  // CVE_PRODUCT of the recipe in meta-openembedded, and NVD's name.
  [
    'nodejs',
    [
      { type: 'cpe', id: 'cpe:2.3:a:nodejs:node.js' },
      { type: 'repology', id: 'node.js' },
    ],
  ],
])

function listKeysOf({ type, id }: SupportIdentifier): string[] {
  if (type === 'cpe') return listKeysOfCpe(id)
  if (type === 'purl') return listKeysOfPurl(id)
  // Repology's names are those of upstream projects. One that may mean two products says nothing.
  return type === 'repology' ? listKeysOfName(id) : []
}

/** Any version does: names do not depend on it. */
const SOME_VERSION = '1'

/** As every component with this identifier is named, so that both sides know the same spellings. */
export function listKeysOfPurl(text: string): string[] {
  const purl = readPurl(text)
  if (!purl) return []
  const versioned =
    purl.version === undefined ? `${text.replace(/[?#].*$/s, '')}@${SOME_VERSION}` : text
  return listCertainKeys({ packageName: purl.name, purl: versioned, cpes: [] })
}

function listKeysOfCpe(text: string): string[] {
  const cpe = parseCpe(text)
  if (!cpe) return []
  const name = `cpe:2.3:${cpe.part}:${cpe.vendor}:${cpe.product}:${SOME_VERSION}:*:*:*:*:*:*:*`
  return listCertainKeys({ packageName: cpe.product, purl: undefined, cpes: [name] })
}

/** The products of the alias table, where it knows exactly one; and components of which nothing but the name is stated. */
function listKeysOfName(text: string): string[] {
  const name = text.trim().toLowerCase()
  const [product, ...others] = findAliases(name)
  if (product) return others.length === 0 ? [...product.keys] : []
  return listBareKeys(name)
}

function listBareKeys(name: string): string[] {
  return [formatCpeKey('*', name), `purl:generic/${name}`, nameKey(undefined, name)].filter(
    (key) => key !== undefined,
  )
}

/** Of a name that people write: all that has this name alone, and the one product that it is known for. */
export function listNamedKeys(text: string): string[] {
  const name = text.trim().toLowerCase()
  return [...new Set([...listKeysOfName(name), ...listBareKeys(name)])].toSorted()
}

function listCertainKeys(names: { packageName: string; purl: string | undefined; cpes: string[] }) {
  const identified = identifyPackage({
    ...names,
    vendor: undefined,
    version: SOME_VERSION,
    scope: undefined,
    builtFrom: undefined,
  })
  if (!('identity' in identified)) return []
  return identified.identity.pairs.flatMap(({ key, origin }) => (origin === undefined ? [key] : []))
}
