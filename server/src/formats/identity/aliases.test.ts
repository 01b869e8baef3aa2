/** The table of names against the public records it is made of. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeAll, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { unquote } from '../cpe.ts'
import { FORKED_PRODUCTS } from './alias-forks.ts'
import { PRODUCT_ALIASES } from './aliases.ts'

/** Names that records had before those of the shared data, or have had since. */
const NOT_IN_THE_CUT = ['cpe:matt_johnston:dropbear_ssh_server', 'cpe:mcuboot:mcuboot']

const text = (path: string) => gunzipSync(readFileSync(path)).toString('utf8')

it('has each product of which it knows forks', () => {
  const products = new Set(PRODUCT_ALIASES.map(({ product }) => product))

  expect(FORKED_PRODUCTS.filter((product) => !products.has(product))).toEqual([])
})

describeWithSharedData('the table of names', (folder) => {
  const cpes = new Set<string>()
  /** Repository of GitHub → CPEs the public relation of purls and CPEs gives it. */
  const cpesOfRepository = new Map<string, Set<string>>()

  beforeAll(() => {
    for (const kind of ['nvd', 'cve5'])
      for (const file of readdirSync(join(folder, kind)).filter((name) => name.endsWith('.gz')))
        for (const [, vendor = '', product = ''] of text(join(folder, kind, file)).matchAll(
          /cpe:2\.3:[aoh]:((?:\\\\.|[^:"\\])+):((?:\\\\.|[^:"\\])+):/g,
        ))
          cpes.add(
            `cpe:${unquote(vendor.replaceAll('\\\\', '\\'))}:${unquote(product.replaceAll('\\\\', '\\'))}`.toLowerCase(),
          )
    for (const line of text(join(folder, 'cpe/cpedict-vendor-product.csv.gz')).split('\n')) {
      const [, vendor = '', product = ''] = /^"(.*)","(.*)"$/.exec(line.trim()) ?? []
      cpes.add(`cpe:${unquote(vendor)}:${unquote(product)}`.toLowerCase())
    }
    for (const line of text(join(folder, 'cpe/purl2cpe-pairs.jsonl.gz')).trim().split('\n')) {
      const { vendor, product, purls } = JSON.parse(line) as Record<
        'vendor' | 'product',
        string
      > & { purls: string[] }
      const cpe = `cpe:${unquote(vendor)}:${unquote(product)}`.toLowerCase()
      cpes.add(cpe)
      for (const purl of purls) {
        const [, repository] = /^pkg:github\/([^@?#]+)/.exec(purl.toLowerCase()) ?? []
        if (repository === undefined) continue
        const known = cpesOfRepository.get(repository) ?? new Set<string>()
        cpesOfRepository.set(repository, known.add(cpe))
      }
    }
  })

  it('spells vendors and products as NVD, the CVE List or their dictionaries do', () => {
    const stated = PRODUCT_ALIASES.flatMap(({ keys, from = [] }) => [...keys, ...from]).filter(
      (key) => /^cpe:(?!\*)/.test(key),
    )
    const unknown = stated.filter((key) => !cpes.has(key))

    expect(stated.length).toBeGreaterThan(500)
    expect(unknown.toSorted()).toEqual(NOT_IN_THE_CUT)
  })

  it('gives repositories to products the public relation gives them to, where it knows both', () => {
    const strangers = PRODUCT_ALIASES.flatMap(({ product, keys, from = [] }) => {
      const own = [...keys, ...from]
      const stated = own.filter((key) => key.startsWith('cpe:') && !key.startsWith('cpe:*'))
      return keys
        .filter((key) => key.startsWith('purl:github/'))
        .map((key) => key.slice('purl:github/'.length))
        .filter((repository) => {
          const known = cpesOfRepository.get(repository)
          return known && stated.length > 0 && !stated.some((key) => known.has(key))
        })
        .map((repository) => `${product}: ${repository}`)
    })

    expect(strangers).toEqual([])
  })
})
