/**
 * How many packages that NVD knows are found under a right product by their names alone: those of Buildroot, OpenEmbedded, ESP-IDF
 * and Debian, as SBOMs of each name them. The facts are a yardstick that no code reads; a right product is one that they state.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { findAliasedProducts } from '../../formats/identity/alias-index.ts'
import { CURATED_NAMES } from '../../formats/identity/curated-names.ts'
import {
  identifyPackage,
  type IdentifiableComponent,
  type KnownProduct,
} from '../../formats/identity.ts'
import {
  listCandidateKeys,
  type NameResolver,
  listUnresolvedNames,
  createProductResolver,
} from './name-resolution.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'a',
  version: '1.0',
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}

/** How SBOMs of each origin name a package, and which sources of the facts are of it. */
const ORIGINS: Record<string, { sources: string[]; component: (name: string) => object }> = {
  Buildroot: {
    sources: ['buildroot', 'buildroot-default'],
    component: (name) => ({ purl: `pkg:buildroot/${encodeURIComponent(name)}@1.0` }),
  },
  OpenEmbedded: {
    sources: ['oe', 'oe-pypi', 'oe-default'],
    component: (name) => ({ purl: `pkg:yocto/core/${encodeURIComponent(name)}@1.0` }),
  },
  'ESP-IDF': { sources: ['esp-idf'], component: (name) => ({ packageName: name }) },
  Debian: {
    sources: ['debian'],
    component: (name) => ({ purl: `pkg:deb/debian/${encodeURIComponent(name)}@1.0-1` }),
  },
}

type Row = Record<string, string>
/** By the table of names, by a rule, by a fact, by either with low confidence; another product; nothing. */
const OUTCOMES = ['table', 'rule', 'fact', 'low', 'wrong', 'none'] as const
type Outcome = (typeof OUTCOMES)[number]

describeWithSharedData('packages that NVD knows', (folder) => {
  const rows = (file: string): Row[] => {
    const [heading = '', ...lines] = readFileSync(join(folder, 'identity', file), 'utf8')
      .trimEnd()
      .split('\n')
    const columns = heading.split('\t')
    return lines.map((line) => {
      const values = line.split('\t')
      return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? '']))
    })
  }

  /** Products with the number of NVD records that name each; 1 where only the dictionary has one. */
  function knownProducts(): KnownProduct[] {
    const records = new Map<string, number>()
    const add = (vendor: string, product: string, count: number) => {
      const key = `cpe:${vendor}:${product}`
      records.set(key, Math.max(records.get(key) ?? 0, count))
    }
    const dictionary = gunzipSync(
      readFileSync(join(folder, 'cpe/cpedict-vendor-product.csv.gz')),
    ).toString('utf8')
    for (const [, vendor = '', product = ''] of dictionary.matchAll(/^"(.*)","(.*)"\r?$/gm))
      add(vendor.replaceAll('\\', ''), product.replaceAll('\\', ''), 1)
    const files = [
      'buildroot-cpe',
      'debian-source-cpe',
      'openembedded-cve-product',
      'esp-idf-sbom',
      'names',
    ]
    for (const row of files.flatMap((file) => rows(`${file}.tsv`))) {
      const { vendor = '', product = '', nvd_records: count = '', nvd_vendors: vendors = '' } = row
      if (vendor !== '' && product !== '') add(vendor, product, Number(count))
      for (const [, one = '', own = ''] of vendors.matchAll(/(\S+)=(\d+)/g))
        add(one, product, Number(own))
    }
    return [...records].map(([key, count]) => ({ key, records: count }))
  }

  function outcomeOf(
    component: object,
    right: ReadonlySet<string>,
    resolve: NameResolver,
  ): Outcome {
    const result = identifyPackage({ ...NOTHING, ...component })
    if (!('identity' in result)) return 'none'
    const { pairs } = result.identity
    if (pairs.some(({ key, alias }) => alias !== undefined && right.has(key))) return 'table'
    const names = listUnresolvedNames(pairs)
    const resolved = names.flatMap((name) => [...resolve(name)])
    const hits = resolved.filter(([key]) => right.has(key))
    if (hits.some(([, { kind }]) => kind === 'only'))
      return names.some((name) => CURATED_NAMES.has(name)) ? 'fact' : 'rule'
    if (hits.length > 0) return 'low'
    const cpes = listCandidateKeys(result.identity, resolve).filter((key) => /^cpe:[^*]/.test(key))
    return cpes.length > 0 ? 'wrong' : 'none'
  }

  it('are found under a right product, 98 of 100 at least', () => {
    const resolve = createProductResolver(knownProducts())
    const stated = Map.groupBy(rows('names.tsv'), ({ name = '' }) => name)
    const found = Object.entries(ORIGINS).flatMap(([origin, { sources, component }]) =>
      [...stated]
        // A group of aliases, and a product without vendor, are hints and no statement about the package.
        .filter(([, of]) => of.some((row) => sourcesOf(row).some((one) => sources.includes(one))))
        .map(([name, of]) => ({
          origin,
          name,
          outcome: outcomeOf(component(name), rightKeys(of), resolve),
        })),
    )

    process.stdout.write(reportOf(found))
    const isRight = ({ outcome }: FoundComponent) => outcome !== 'wrong' && outcome !== 'none'
    expect(found.length).toBeGreaterThan(3_000)
    expect(found.filter(isRight).length / found.length).toBeGreaterThanOrEqual(0.98)
    expect(found.filter(({ outcome }) => outcome === 'wrong').length).toBeLessThan(15)
    for (const of of Map.groupBy(found, ({ origin }) => origin).values())
      expect(of.filter(isRight).length / of.length).toBeGreaterThanOrEqual(0.98)
  })

  it('are called by facts only what NVD knows', () => {
    const known = new Set(knownProducts().map(({ key }) => key))

    const strangers = [...CURATED_NAMES.values()].flatMap(({ keys }) =>
      keys.filter((key) => !known.has(key)),
    )
    // A name of later records.
    expect([...new Set(strangers)]).toEqual(['cpe:dropbear_project:dropbear'])
  })
})

interface FoundComponent {
  origin: string
  name: string
  outcome: Outcome
}

function sourcesOf(row: Row): string[] {
  return (row['sources'] ?? '').split(' ')
}

function rightKeys(of: readonly Row[]): Set<string> {
  return new Set(
    of.flatMap(({ vendor = '', product = '' }) => {
      const key = `cpe:${vendor}:${product}`
      return [key, ...findAliasedProducts(key).flatMap(({ keys }) => keys)]
    }),
  )
}

function reportOf(found: readonly FoundComponent[]): string {
  const lines = [...Map.groupBy(found, ({ origin }) => origin)].map(([origin, of]) => {
    const counts = OUTCOMES.map(
      (outcome) => `${outcome} ${of.filter((one) => one.outcome === outcome).length}`,
    )
    return `${origin}: ${of.length} packages: ${counts.join(', ')}`
  })
  const faults = (['wrong', 'none'] as const).map(
    (outcome) =>
      `${outcome}: ${found.flatMap((one) => (one.outcome === outcome ? one.name : [])).join(' ')}`,
  )
  return `${[...lines, ...faults].join('\n')}\n`
}
