/**
 * Which product of the records a bare name means. A name without vendor, as recipes and distributions state it, is resolved by
 * what the records themselves name (docs/design/matching.md, package identity).
 */
import { findAliasedProducts } from './alias-index.ts'
import { CURATED_NAMES, type CuratedName } from './curated-names.ts'
import { type Spelling, type SpellingGroup, listSpellings, withoutVersion } from './families.ts'

/** A product that records name. */
export interface KnownProduct {
  /** `cpe:vendor:product` or `name:vendor/product`. */
  key: string
  /** How many records name it. */
  records: number
}

/** The products that records name, by product key (`cpe:*:product`, `name:*\/product`). */
export type KnownProducts = ReadonlyMap<string, readonly KnownProduct[]>

export interface Resolution {
  /** The only product of the name, one of several, a guess from a part of the name, or known in words only. */
  kind: 'only' | 'one of several' | 'guess' | 'in words'
  /** In plain words, for the evidence. */
  reason: string
}

/** A product with fewer than a fifth of the records of another one of the same name is not what a bare name means. */
const DOMINANCE = 5
/** Distributions are the vendor of few products and of many packages, whose records name them as the vendor. */
const DISTRIBUTIONS = new Set(
  'redhat debian canonical ubuntu suse opensuse novell gentoo fedoraproject fedora openeuler mandriva mandrakesoft oracle_linux'.split(
    ' ',
  ),
)
/** One maker under several names: of an earlier time, of a company that took it over, or as people spell it. */
const SAME_VENDORS = new Map(
  Object.entries({
    x: 'xorg',
    digia: 'qt',
    trolltech: 'qt',
    nokia: 'qt',
    sun: 'oracle',
    ximian: 'gnome',
    elastic: 'elasticsearch',
    puppetlabs: 'puppet',
    twibrightlabs: 'twibright',
    internet2: 'shibboleth',
    padlsoftware: 'padl',
    carnegiemellonuniversity: 'cmu',
    cyrusimap: 'cmu',
    cyrus: 'cmu',
    mortbay: 'eclipse',
    mortbayjetty: 'eclipse',
    cclamav: 'clamav',
    clamantivirus: 'clamav',
    universityofwashington: 'washington',
  }),
)
/** Their products are extensions of a program, not programs of the same name. */
const HOSTS_OF_EXTENSIONS = new Set(
  'jenkins drupal wordpress moodle joomla typo3 xwiki acquia'.split(' '),
)

type VendorKind = 'maker' | 'itself' | 'distribution'

interface Group {
  /** The keys that stand for one product: other vendors' names of it. */
  products: KnownProduct[]
  records: number
  rule: string | undefined
  isGuess: boolean
  vendor: VendorKind
}

/** The keys of the products that a name means, each with its reason; empty where records know none. */
export function resolveName(name: string, known: KnownProducts): ReadonlyMap<string, Resolution> {
  const curated = findCurated(name)
  if (curated) return resolutionOfCurated(name, curated, known)
  const [whole = [], ...others] = listSpellings(name)
  const isWhole = !isDominated(whole, others, known)
  const ofWhole = isWhole ? findResolution(name, whole, known) : undefined
  if (ofWhole) return ofWhole
  const curatedBare = CURATED_NAMES.get(withoutVersion(name) ?? name)
  if (curatedBare) return resolutionOfCurated(name, curatedBare, known)
  for (const spellings of others) {
    const curatedSpelling = curatedOfSpellings(spellings)
    const resolution = curatedSpelling
      ? resolutionOfCurated(name, curatedSpelling, known)
      : findResolution(name, spellings, known)
    if (resolution) return resolution
  }
  return new Map()
}

/** Records write `-` and `_` as they like, and so do packagers. */
function findCurated(name: string): CuratedName | undefined {
  return CURATED_NAMES.get(name) ?? CURATED_NAMES.get(name.replaceAll('_', '-'))
}

/** What is left without an addition may be a name of which a fact tells the product. */
function curatedOfSpellings(spellings: SpellingGroup): CuratedName | undefined {
  return spellings
    .filter(({ vendor, isGuess }) => vendor === undefined && isGuess !== true)
    .map(({ product }) => CURATED_NAMES.get(product))
    .find((one) => one !== undefined)
}

function findResolution(
  name: string,
  spellings: SpellingGroup,
  known: KnownProducts,
): ReadonlyMap<string, Resolution> | undefined {
  const groups = groupSpellings(spellings, known, 'cpe:*:')
  const words = spellings.flatMap((spelling) => findWords(spelling, known))
  if (groups.length > 0) return listResolutions(name, groups, words)
  // Records of the CVE List may name vendor and product in words only.
  return words.length === 0
    ? undefined
    : listResolutions(name, groupSpellings(spellings, known, 'name:*/'), words)
}

function resolutionOfCurated(
  name: string,
  { keys, reason }: CuratedName,
  known: KnownProducts,
): ReadonlyMap<string, Resolution> {
  const products = keys.map((key) => ({ key, records: 0 }))
  const group: Group = { ...EMPTY, products, rule: `${name} is ${namesOfKeys(keys)}: ${reason}` }
  const words = keys.flatMap((key) => known.get(`name:*/${readProduct(key)}`) ?? [])
  return listResolutions(name, [group], words)
}

function namesOfKeys(keys: readonly string[]): string {
  return keys.map((key) => key.slice('cpe:'.length)).join(', ')
}

/**
 * A version at the end belongs to the name (libxml2) unless the product without it has far more records: then `sqlite3` is
 * not the product of that name of one record.
 */
function isDominated(
  whole: SpellingGroup,
  others: readonly SpellingGroup[],
  known: KnownProducts,
): boolean {
  const bare = others.find((group) => group.some(({ isWithoutVersion }) => isWithoutVersion))
  return bare !== undefined && countRecords(bare, known) > DOMINANCE * countRecords(whole, known)
}

function countRecords(spellings: SpellingGroup, known: KnownProducts): number {
  return groupSpellings(spellings, known, 'cpe:*:').reduce((sum, { records }) => sum + records, 0)
}

function findWords({ product, vendor }: Spelling, known: KnownProducts): KnownProduct[] {
  const all = known.get(`name:*/${product}`) ?? []
  return vendor === undefined ? [...all] : all.filter(({ key }) => isVendor(key, vendor))
}

/** All product keys that decide what a name means. */
export function listProductKeysOfName(name: string): string[] {
  const curated = findCurated(name)
  if (curated) return keysOfProducts(curated.keys.map(readProduct))
  const groups = listSpellings(name)
  const facts = [CURATED_NAMES.get(withoutVersion(name) ?? name), ...groups.map(curatedOfSpellings)]
  const spelled = groups.flatMap((group) => group.map(({ product }) => product))
  return keysOfProducts([...spelled, ...facts.flatMap((one) => one?.keys ?? []).map(readProduct)])
}

function keysOfProducts(products: readonly string[]): string[] {
  return [...new Set(products)].flatMap((product) => [`cpe:*:${product}`, `name:*/${product}`])
}

type ProductKeyStart = 'cpe:*:' | 'name:*/'

function groupSpellings(
  spellings: readonly Spelling[],
  known: KnownProducts,
  start: ProductKeyStart,
): Group[] {
  const groups = new Map<string, Group>()
  for (const { product, rule, vendor, isGuess = false } of spellings)
    for (const one of known.get(`${start}${product}`) ?? []) {
      if (vendor !== undefined && !isVendor(one.key, vendor)) continue
      const id = findGroupId(one.key)
      const group = groups.get(id) ?? {
        products: [],
        records: 0,
        rule,
        isGuess,
        vendor: classifyVendor(one.key),
      }
      if (group.products.includes(one)) continue
      group.products.push(one)
      group.records += one.records
      groups.set(id, group)
    }
  return live([...groups.values()]).filter(({ products }) => products.length > 0)
}

function live(groups: readonly Group[]): Group[] {
  const programs = groups.filter(({ products }) => !products.every(isExtension))
  const sorted = united(programs.length > 0 ? programs : groups)
  const most = sorted[0]?.records ?? 0
  return sorted.filter(({ records }) => records * DOMINANCE > most)
}

function isExtension({ key }: KnownProduct): boolean {
  return HOSTS_OF_EXTENSIONS.has(readVendor(key))
}

/**
 * Records of one project name it under several vendors: its maker, itself (`X_project:X`, `X:X`) and distributions that
 * package it. Two makers are two products.
 */
function united(groups: readonly Group[]): Group[] {
  const isOf = (kind: VendorKind) => groups.filter(({ vendor }) => vendor === kind)
  const [makers, own, distributions] = [isOf('maker'), isOf('itself'), isOf('distribution')]
  const joined = makers.length <= 1 ? [merged([...makers, ...own])] : [...makers, ...own]
  const [first, ...others] = joined
    .filter(({ products }) => products.length > 0)
    .toSorted(byRecords)
  return first ? [merged([first, ...distributions]), ...others] : [merged(distributions)]
}

function merged(groups: readonly Group[]): Group {
  const [first = EMPTY] = groups.toSorted(byRecords)
  return {
    ...first,
    products: groups.flatMap(({ products }) => products),
    isGuess: groups.every(({ isGuess }) => isGuess),
    records: groups.reduce((sum, { records }) => sum + records, 0),
  }
}

const EMPTY: Group = { products: [], records: 0, rule: undefined, isGuess: false, vendor: 'itself' }

function byRecords(a: Group, b: Group): number {
  return b.records - a.records || (formatName(a) < formatName(b) ? -1 : 1)
}

/** Vendors that the alias table unites are one product. */
function findGroupId(key: string): string {
  const [alias] = findAliasedProducts(key)
  if (alias) return alias.product
  const kind = classifyVendor(key)
  if (kind !== 'maker') return kind
  const vendor = squeezed(readVendor(key))
  return `${SAME_VENDORS.get(vendor) ?? vendor} ${squeezed(readProduct(key))}`
}

function classifyVendor(key: string): VendorKind {
  if (DISTRIBUTIONS.has(readVendor(key))) return 'distribution'
  // NVD's vendor of modules of Python is the language where it does not know their maker.
  if (readVendor(key) === '*' || readVendor(key) === 'python') return 'itself'
  const [vendor, product] = [squeezed(readVendor(key)), squeezed(readProduct(key))]
  const isItself =
    product.length > 2
      ? vendor.includes(product)
      : vendor === product || vendor === `${product}project`
  return isItself ? 'itself' : 'maker'
}

function listResolutions(
  name: string,
  groups: readonly Group[],
  words: readonly KnownProduct[],
): Map<string, Resolution> {
  const kind = groups.length > 1 ? 'one of several' : groups[0]?.isGuess ? 'guess' : 'only'
  const found = new Map<string, Resolution>()
  for (const group of groups) {
    const resolution: Resolution = { kind, reason: describeReason(name, group, groups) }
    for (const { key } of group.products) found.set(key, resolution)
    for (const { key } of words)
      if (!found.has(key) && isOfGroup(key, group)) found.set(key, resolution)
  }
  const inWords: Resolution = {
    kind: 'in words',
    reason: 'the record names a product of this name in words, and another vendor',
  }
  for (const { key } of words) if (!found.has(key)) found.set(key, inWords)
  return found
}

function describeReason(name: string, group: Group, groups: readonly Group[]): string {
  const { rule } = group
  if (group.records === 0) return rule ?? name
  const stated = rule === undefined ? '' : `; ${rule}`
  if (groups.length === 1)
    return `the records know one product named ${readProduct(findMainKey(group))}: ${formatName(group)}${stated}`
  return `the records know ${groups.length} products of this name: ${groups.map(formatName).join(', ')}${stated}`
}

/** Words that name a vendor's legal form or a community rather than the vendor. */
const COMMON_WORDS = new Set(
  'the project group team software foundation inc ltd org community open source of and developers'.split(
    ' ',
  ),
)

/** Whether the vendor in words is the vendor or the product of the group: `the_php_group` of php:php. */
function isOfGroup(key: string, { products }: Group): boolean {
  const vendor = readVendor(key)
  if (vendor === '*') return true
  const words = wordsIn(vendor)
  return products.some((one) =>
    [readVendor(one.key), readProduct(one.key)].some((text) =>
      wordsIn(text).some((word) => words.includes(word)),
    ),
  )
}

function wordsIn(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '' && !COMMON_WORDS.has(word))
}

function findMainKey({ products }: Group): string {
  return products.toSorted((a, b) => b.records - a.records)[0]?.key ?? ''
}

/** `php:php`, as people write it. */
function formatName(group: Group): string {
  const key = findMainKey(group)
  return key.slice(key.indexOf(':') + 1)
}

function readVendor(key: string): string {
  return separated(key)[0]
}

function readProduct(key: string): string {
  return separated(key)[1]
}

function separated(key: string): [vendor: string, product: string] {
  const name = key.slice(key.indexOf(':') + 1)
  const end = name.indexOf(key.startsWith('cpe:') ? ':' : '/')
  return [name.slice(0, end), name.slice(end + 1)]
}

function isVendor(key: string, vendor: string): boolean {
  const own = squeezed(readVendor(key)).replace(/project$/, '')
  return own === squeezed(vendor)
}

const squeezed = (text: string) => text.replace(/[-_.]/g, '')
