import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import type { Advisory } from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { readAddress, listReferenceKeys } from '../../formats/advisories/reference-keys.ts'
import { type IdentifiableComponent, identifyPackage } from '../../formats/identity.ts'
import { findAgreements, describeAgreementWithCount, indexReferences } from './agreement.ts'
import { matchPackage } from './match.ts'
import { createProductResolver } from './name-resolution.ts'
import type { ReferenceCount } from './store.ts'
import { decideMatch } from './verdict-precedence.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'a',
  version: '1.0',
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}

function identified(component: Partial<IdentifiableComponent>) {
  const result = identifyPackage({ ...NOTHING, ...component })
  if (!('identity' in result)) throw new Error('not identified')
  return result.identity
}

/** How many of these records refer to each address and name each product. */
function countsOf(advisories: readonly Pick<Advisory, 'references' | 'affected'>[]) {
  const counts = new Map<string, ReferenceCount>()
  for (const { references, affected } of advisories)
    for (const reference of listReferenceKeys(references, affected))
      for (const { key } of affected) {
        const address = readAddress(reference)
        const id = `${address} ${key}`
        const { records } = counts.get(id) ?? { records: 0 }
        counts.set(id, { address, key, records: records + 1 })
      }
  return [...counts.values()]
}

describe('the references of a record', () => {
  const keysOf = (product: string, ...urls: string[]) =>
    listReferenceKeys(
      urls.map((url) => ({ url })),
      [{ key: `cpe:acme:${product}` }],
    )

  it('name the project of its product, and leave out what serves many products', () => {
    expect(
      keysOf(
        'widget',
        'https://github.com/acme/libwidget/commit/1',
        'https://github.com/someone/exploits/blob/widget.py',
        'https://lists.debian.org/widget.html',
        'https://widget.example/security',
        'https://bugs.widget.example/1',
      ),
    ).toEqual([
      'reference:github.com/acme/libwidget',
      'reference:widget.example',
      'reference:bugs.widget.example',
    ])
  })

  it('say nothing of a record in words of a registry', () => {
    expect(
      listReferenceKeys([{ url: 'https://github.com/acme/widget' }], [{ key: 'purl:npm/widget' }]),
    ).toEqual([])
  })
})

describe('a package whose repository is the one that records of a product refer to', () => {
  const statements = [
    {
      scheme: 'generic' as const,
      defaultStatus: 'unaffected' as const,
      versions: [{ status: 'affected' as const, fixed: '2.0', text: 'before 2.0' }],
    },
  ]
  const records = ['acme', 'umbrella'].map((vendor) => ({
    source: 'nvd' as const,
    advisoryId: `CVE-2024-${vendor}`,
    affected: { key: `cpe:${vendor}:widget`, statements },
  }))
  const resolve = createProductResolver(
    records.map(({ affected: { key } }) => ({ key, records: 1 })),
  )
  const references = indexReferences([
    { address: 'github.com/acme/widget', key: 'cpe:acme:widget', records: 7 },
  ])
  const matchesOf = (component: Partial<IdentifiableComponent>) =>
    records.map((record) => {
      const verdicts = matchPackage(identified(component), [record], { resolve, references })
      const match = decideMatch(verdicts)
      return { confidence: match?.confidence, notes: match?.evidence.flatMap(({ notes }) => notes) }
    })

  it.each([
    { addresses: ['https://github.com/acme/widget'] },
    { downloadLocation: 'git://github.com/acme/widget.git@v1' },
    { purl: 'pkg:generic/widget@1.0?vcs_url=git%2Bhttps://github.com/acme/widget' },
  ])('is this product with certainty, and not the other of its name: %o', (declared) => {
    const [own, other] = matchesOf({
      cpes: ['cpe:2.3:*:*:widget:1.0:*:*:*:*:*:*:*'],
      ...declared,
    })

    expect(own).toEqual({
      confidence: 'High',
      notes: [
        'its repository or homepage github.com/acme/widget is the one that records of acme:widget refer to',
      ],
    })
    expect(other).toMatchObject({ confidence: 'Low' })
  })

  it('stays uncertain without it, and as the build of a distribution', () => {
    const nothing = matchesOf({ cpes: ['cpe:2.3:*:*:widget:1.0:*:*:*:*:*:*:*'] })
    const build = matchesOf({
      purl: 'pkg:deb/debian/widget@1.0-1?distro=debian-12',
      addresses: ['https://github.com/acme/widget'],
    })

    expect(nothing.map(({ confidence }) => confidence)).toEqual(['Low', 'Low'])
    expect(build.map(({ confidence }) => confidence)).toEqual(['Low', 'Low'])
  })

  it('is told with the number of records', () => {
    const identity = identified({
      packageName: 'widget',
      addresses: ['https://github.com/acme/widget'],
    })

    const agreement = findAgreements(identity, resolve, references).get('cpe:acme:widget')

    expect(agreement && describeAgreementWithCount(agreement)).toBe(
      'its repository or homepage is github.com/acme/widget, to which 7 records refer that name acme:widget',
    )
  })

  it('is another package than one that declares no repository, only where its name is open', () => {
    const addresses = ['https://github.com/acme/widget']
    const cpes = ['cpe:2.3:a:acme:widget:1.0:*:*:*:*:*:*:*']

    expect(identified({ packageName: 'widget', addresses }).id).not.toBe(
      identified({ packageName: 'widget' }).id,
    )
    expect(identified({ cpes, addresses }).id).toBe(identified({ cpes }).id)
  })
})

/**
 * Other vendors under which records name the product that Buildroot states: the maker before, or the maker's own site. Each was looked
 * up by hand; none is another product.
 */
const SAME_PRODUCT = new Set([
  'cpe:haxx:curl',
  'cpe:clam_anti-virus:clamav',
  'cpe:university_of_cambridge:exim',
  'cpe:alexander_v._lukyanov:lftp',
  'cpe:pjsip:pjsip',
  'cpe:greg_roelofs:libpng',
  'cpe:arm:mbed_tls',
  'cpe:mbed:mbedtls',
  'cpe:ngircd:ngircd',
  'cpe:proftpd_project:proftpd',
  'cpe:info-zip:unzip',
])

describeWithSharedData('repositories and homepages of Buildroot', (folder) => {
  it('agree with records of the right product, and with no other', () => {
    const advisories = ['nvd20-firmware', 'nvd20-sample', 'nvd20-firmware-converted-from-11']
      .flatMap((name) =>
        gunzipSync(readFileSync(join(folder, `nvd/${name}.jsonl.gz`)))
          .toString('utf8')
          .trimEnd()
          .split('\n'),
      )
      .flatMap((line) => {
        const parsed = parseNvdRecord(JSON.parse(line))
        return parsed.ok ? [parsed.value] : []
      })
    const products = Map.groupBy(
      advisories.flatMap(({ affected }) => affected.map(({ key }) => key)),
      (key) => key,
    )
    const resolve = createProductResolver(
      [...products].map(([key, of]) => ({ key, records: of.length })),
    )
    const references = indexReferences(countsOf(advisories))
    const [heading = '', ...lines] = readFileSync(
      join(folder, 'identity/buildroot-cpe.tsv'),
      'utf8',
    )
      .trimEnd()
      .split('\n')
    const columns = heading.split('\t')
    const rows = lines.map((line) => {
      const values = line.split('\t')
      return Object.fromEntries(columns.map((column, index) => [column, values[index] ?? '']))
    })

    const agreed = rows
      .filter(({ product, nvd_records: count }) => product !== '' && Number(count) > 0)
      .flatMap(({ package: name = '', vendor, product, repository, homepage }) => {
        const addresses = [repository, homepage]
          .filter((text) => text !== undefined && text !== '')
          .map((text) => `https://${String(text)}`)
        const identity = identified({
          purl: `pkg:buildroot/${encodeURIComponent(name)}@1.0`,
          addresses,
        })
        const found = findAgreements(identity, resolve, references)
        return [...new Set([...found.values()].map(({ key }) => key))].map((key) => ({
          name,
          key,
          isRight: key === `cpe:${vendor ?? ''}:${product ?? ''}` || SAME_PRODUCT.has(key),
        }))
      })

    expect(agreed.filter(({ isRight }) => !isRight)).toEqual([])
    expect(agreed.length).toBeGreaterThan(20)
  })
})
