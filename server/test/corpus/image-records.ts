/** Whether any record that is loaded can tell what a label says (docs/design/corpus.md, images). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { ImageLabel } from './image-labels.ts'
import type { ImagePackage } from './image-packages.ts'
import { includes, rangesIn, type StatedRange } from './image-ranges.ts'

/**
 * What records can tell about a label:
 *
 * - `own`: a record of the vulnerability names the package in its registry, or in the release of its distribution. For an
 *   affected one of a registry, the record includes the version.
 * - `product`: a record names upstream's product only, which for a distribution's build says what may be. For an
 *   affected one, the record includes upstream's version.
 * - `inside`: as `own`, but the label knows what is inside the package, which records and SBOMs do not say: that of several
 *   packages of one source only another has the code, that a program found by its content is a distribution's build, or that
 *   no package with the flaw can be imported from a module of Go.
 * - `none`: none of these.
 */
export type Teller = 'own' | 'product' | 'inside' | 'none'

interface NamedPackages {
  /** The packages of which a record lists the parts that have the flaw (`imports` of Go's database). */
  inParts: Set<string>
  /** `Debian:11 glibc`, `npm lodash`. */
  packages: Set<string>
  /** What is said of `gnu:glibc`. */
  products: StatedRange[]
}

interface RecordText {
  id?: string
  aliases?: string[]
  upstream?: string[]
  related?: string[]
  affected?: {
    package?: { ecosystem?: string; name?: string }
    ecosystem_specific?: { imports?: unknown[] }
  }[]
  cve?: { id?: string; configurations?: unknown }
  cveMetadata?: { cveId?: string }
  containers?: unknown
}

export function tellerOf(
  labels: readonly ImageLabel[],
  { feeds, sharedData }: { feeds: string; sharedData: string },
): (label: ImageLabel) => Teller {
  const named = namer({ feeds, sharedData })
  const affected = labels.filter(({ isAffected }) => isAffected)
  const sources = new Set(affected.map(sourceKey))
  const packages = new Set(affected.map(packageKey))
  return (label) => {
    const teller = named(label)
    if (teller !== 'own' || label.isAffected) return teller
    const isFound = ['binary', 'pypi'].includes(label.package.ecosystem)
    const isOther = isFound ? !packages.has(packageKey(label)) : sources.has(sourceKey(label))
    return isOther ? 'inside' : teller
  }
}

function sourceKey({ package: { image, source }, vulnerability }: ImageLabel): string {
  return [image.name, source, vulnerability].join(' ')
}

function packageKey({ package: { image, name, version } }: ImageLabel): string {
  return [image.name, name, version].join(' ')
}

function namer({ feeds, sharedData }: { feeds: string; sharedData: string }) {
  const named = namedBy(feeds)
  const productsOf = knownProducts(sharedData)
  return (label: ImageLabel): Teller => {
    const record = named.get(label.vulnerability)
    if (record === undefined) return 'none'
    const { package: of, isAffected } = label
    const names = packageNames(of)
    if (names.some((name) => record.packages.has(name))) {
      const isInParts = names.some((name) => record.inParts.has(name))
      if (!isAffected) return isNotImportable(label) && !isInParts ? 'inside' : 'own'
      // Registries have one order of versions; distributions have their own.
      if (!isOfRegistry(of)) return 'own'
      const ranges = record.products.filter(({ product }) => names.includes(product))
      return ranges.some((range) => includes(range, of)) ? 'own' : 'none'
    }
    const ranges = record.products.filter(isProductOf(label, productsOf(of)))
    if (ranges.length === 0 || (isAffected && !ranges.some((range) => includes(range, of))))
      return 'none'
    return of.ecosystem === 'binary' ? 'own' : 'product'
  }
}

/** The exclusion reasons of Go's triage, as labels quote them. */
function isNotImportable({ package: { ecosystem }, note }: ImageLabel): boolean {
  return ecosystem === 'golang' && /not.importable|effectively.private/i.test(note)
}

function isProductOf({ package: of, isAffected }: ImageLabel, known: ReadonlySet<string>) {
  return ({ product }: StatedRange) =>
    known.has(product) ||
    // Who labels a pair as affected says that the record is about the package of that name.
    (isAffected && bare(product.split(':')[1] ?? '') === bare(of.source))
}

function isOfRegistry({ ecosystem }: ImagePackage): boolean {
  return !ecosystem.includes(' ') && ecosystem !== 'binary'
}

function bare(name: string): string {
  return name
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/[^a-z0-9]/g, '')
}

function namedBy(feeds: string): Map<string, NamedPackages> {
  const named = new Map<string, NamedPackages>()
  const lines = readdirSync(feeds).flatMap((file) =>
    readFileSync(join(feeds, file), 'utf8').trimEnd().split('\n'),
  )
  for (const line of lines) {
    const record = JSON.parse(line) as RecordText
    const { id, aliases = [], upstream = [], related = [], cve, cveMetadata, affected } = record
    const packages = (affected ?? []).map(packageNameOf)
    const inParts = (affected ?? [])
      .filter(({ ecosystem_specific: specific }) => (specific?.imports ?? []).length > 0)
      .map(packageNameOf)
    const products = rangesIn(record, [...productsIn(line), ...packages])
    for (const one of [id, cve?.id, cveMetadata?.cveId, ...aliases, ...upstream, ...related]) {
      if (one === undefined) continue
      const known = named.get(one) ?? { packages: new Set(), inParts: new Set(), products: [] }
      for (const name of packages) known.packages.add(name)
      for (const name of inParts) known.inParts.add(name)
      known.products.push(...products)
      named.set(one, known)
    }
  }
  return named
}

function packageNameOf({ package: of }: NonNullable<RecordText['affected']>[number]): string {
  const ecosystem = of?.ecosystem?.replace(/:Pro:|:LTS$/g, (part) => (part === ':Pro:' ? ':' : ''))
  return `${ecosystem} ${of?.name}`.toLowerCase()
}

/** Of the CPEs in the text. */
function productsIn(line: string): string[] {
  const cpes = line.matchAll(/cpe:2\.3:[aoh]:((?:\\\\.|[^:\\"])+):((?:\\\\.|[^:\\"])+):/g)
  return [
    ...new Set(
      [...cpes].map(([, vendor = '', product = '']) => `${vendor}:${product}`.replaceAll('\\', '')),
    ),
  ]
}

const ECOSYSTEMS: Record<string, string> = {
  golang: 'Go',
  pypi: 'PyPI',
  gem: 'RubyGems',
  maven: 'Maven',
  npm: 'npm',
  debian: 'Debian:',
  ubuntu: 'Ubuntu:',
  alpine: 'Alpine:v',
  almalinux: 'AlmaLinux:',
}

/** Programs that records of OSV name besides their CPE. */
const BINARY_NAMES: Record<string, string[]> = {
  go: ['go stdlib', 'go toolchain', 'bitnami golang'],
  node: ['bitnami node-min'],
  python: ['bitnami python-min'],
}

/** How OSV records name the package. */
function packageNames({ ecosystem, name, source, purl = '' }: ImagePackage): string[] {
  if (ecosystem === 'binary') return BINARY_NAMES[name] ?? []
  const [kind = '', release] = ecosystem.split(' ')
  const prefix = ECOSYSTEMS[kind]
  if (prefix === undefined) return []
  const names = [
    name,
    source.replace(/@.*/, ''),
    purl.replace(/^pkg:maven\/|@.*/g, '').replace('/', ':'),
  ]
  return names.map((one) => `${prefix}${release ?? ''} ${one}`.toLowerCase())
}

/** Sources of identity/names.tsv that only hint at a product (its README). */
const HINTS = new Set(['debian-alias', 'oe-product', 'oe-default', 'oe-pypi'])

/** The products of a package by what build systems, distributions and SCANOSS say. */
function knownProducts(sharedData: string): (of: ImagePackage) => Set<string> {
  const byName = new Map<string, string[]>()
  const add = (name: string, product: string) =>
    byName.set(name, [...(byName.get(name) ?? []), product])
  const [, ...rows] = readFileSync(join(sharedData, 'identity/names.tsv'), 'utf8').split('\n')
  for (const row of rows) {
    const [name, vendor, product, , sources] = row.split('\t')
    if (sources?.split(/[, ]+/).every((source) => HINTS.has(source)) === false)
      add(`source ${name}`, `${vendor}:${product}`)
  }
  const pairs = gunzipSync(readFileSync(join(sharedData, 'cpe/purl2cpe-pairs.jsonl.gz')))
  for (const line of pairs.toString('utf8').trimEnd().split('\n')) {
    const pair = JSON.parse(line) as { vendor: string; product: string; purls: string[] }
    for (const purl of pair.purls) add(purl.toLowerCase(), `${pair.vendor}:${pair.product}`)
  }
  return ({ ecosystem, name, source, purl, cpe }) => {
    if (ecosystem === 'binary') return new Set([cpe.split(':').slice(3, 5).join(':')])
    const isDistribution = ecosystem.includes(' ')
    const bySource = source.replace(/@.*/, '').toLowerCase()
    return new Set([
      ...(isDistribution ? [bySource, name.toLowerCase()] : []).flatMap(
        (one) => byName.get(`source ${one}`) ?? [],
      ),
      ...(byName.get(purl?.replace(/[@?].*$/, '').toLowerCase() ?? '') ?? []),
    ])
  }
}
