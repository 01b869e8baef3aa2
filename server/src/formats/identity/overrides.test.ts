import { describe, expect, it } from 'vitest'
import { identifyComponent, type IdentifiableComponent } from '../identity.ts'
import {
  type OverrideSelector,
  createOverrideFinder,
  type PackageOverride,
  parseSelectorCpe,
  parseSelectorPurl,
} from './overrides.ts'

const COMMIT = '0123456789abcdef0123456789abcdef01234567'

function component(fields: Partial<IdentifiableComponent>): IdentifiableComponent {
  const nothing = { vendor: undefined, version: undefined, purl: undefined, cpes: [] }
  return { ...nothing, packageName: 'thing', scope: undefined, builtFrom: undefined, ...fields }
}

type GivenOverride = Partial<Omit<PackageOverride, 'selector'>> & {
  selector: Partial<OverrideSelector>
}

function override({ selector, ...fields }: GivenOverride): PackageOverride {
  return {
    id: '1',
    selector: { purl: null, cpe: null, name: null, version: null, ...selector },
    purls: [],
    cpes: [],
    version: null,
    ignored: false,
    reason: null,
    madeFor: null,
    ...fields,
  }
}

describe('a selector', () => {
  it.each`
    selector                                           | fields                                                                       | selects  | because
    ${{ name: 'thing' }}                               | ${{}}                                                                        | ${true}  | ${'names are compared as declared'}
    ${{ name: 'Thing' }}                               | ${{}}                                                                        | ${false} | ${'case counts in names'}
    ${{ name: 'thing', version: '1' }}                 | ${{ version: '2' }}                                                          | ${false} | ${'all that is stated counts'}
    ${{ name: 'thing', version: '1' }}                 | ${{ purl: 'pkg:npm/x@1' }}                                                   | ${true}  | ${'purls declare versions too'}
    ${{ purl: 'pkg:npm/%40acme/x' }}                   | ${{ purl: 'pkg:npm/@ACME/x@1?arch=arm' }}                                    | ${true}  | ${'purls are compared as packages'}
    ${{ purl: 'pkg:pypi/a_b' }}                        | ${{ purl: 'pkg:pypi/A-B@1' }}                                                | ${true}  | ${'PyPI takes them for one'}
    ${{ purl: 'pkg:github/acme/x' }}                   | ${{ purl: 'pkg:git@github/acme/x@v1' }}                                      | ${true}  | ${'west writes them so'}
    ${{ purl: 'pkg:npm/x' }}                           | ${{ purl: 'pkg:pypi/x@1' }}                                                  | ${false} | ${'types differ'}
    ${{ cpe: 'acme:thing' }}                           | ${{ cpes: ['cpe:2.3:a:ACME:thing:1:*:*:*:*:*:*:*'] }}                        | ${true}  | ${'CPEs ignore case'}
    ${{ cpe: 'cpe:2.3:a:acme:a\\+b:*:*:*:*:*:*:*:*' }} | ${{ cpes: ['cpe:/o:acme:a%2bb:1'] }}                                         | ${true}  | ${'bindings and parts do not count'}
    ${{ cpe: 'other:thing' }}                          | ${{ cpes: ['cpe:2.3:a:acme:thing:1:*:*:*:*:*:*:*'] }}                        | ${false} | ${'vendors differ'}
    ${{ cpe: '*:thing' }}                              | ${{ builtFrom: component({ cpes: ['cpe:2.3:*:*:thing:1:*:*:*:*:*:*:*'] }) }} | ${true}  | ${'a recipe counts'}
    ${{ name: 'libthing' }}                            | ${{ builtFrom: component({ packageName: 'libthing' }) }}                     | ${false} | ${'the name is its own'}
  `('$selector selects $fields: $selects, as $because', ({ selector, fields, selects }) => {
    const find = createOverrideFinder([override({ selector: selector as object, ignored: true })])

    expect(find(component(fields as object)) !== undefined).toBe(selects)
  })

  it('that says more wins, then a purl before a CPE before a name, then the older', () => {
    const selectors: Partial<OverrideSelector>[] = [
      { name: 'thing' },
      { cpe: 'acme:thing' },
      { purl: 'pkg:npm/x' },
      { name: 'thing', version: '1' },
      { purl: 'pkg:npm/x', name: 'thing' },
    ]
    const overrides = selectors.map((selector, index) => override({ id: String(index), selector }))
    const one = component({
      version: '1',
      purl: 'pkg:npm/x@1',
      cpes: ['cpe:2.3:a:acme:thing:1:*:*:*:*:*:*:*'],
    })

    const order: (string | undefined)[] = []
    for (let left = overrides; left.length > 0; left = left.filter(({ id }) => id !== order.at(-1)))
      order.push(createOverrideFinder(left.toReversed())(one)?.id)

    expect(order).toEqual(['4', '3', '2', '1', '0'])
    const equal = ['b', 'a'].map((id) => override({ id, selector: { name: 'thing' } }))
    expect(createOverrideFinder(equal)(one)?.id).toBe('a')
  })

  it('is a purl without version, or vendor and product', () => {
    expect(parseSelectorPurl('pkg:npm/x@1')).toBeUndefined()
    expect(parseSelectorPurl('x')).toBeUndefined()
    expect(parseSelectorCpe('thing')).toBeUndefined()
    expect(parseSelectorCpe('acme:thing:1.0')).toBeUndefined()
    expect(parseSelectorCpe('acme:*')).toBeUndefined()
    expect(parseSelectorCpe('Acme:Thing')).toBe('cpe:acme:thing')
  })
})

describe('a component with an override', () => {
  const pairsOf = (fields: Partial<IdentifiableComponent>, stated: Partial<PackageOverride>) => {
    const find = createOverrideFinder([override({ selector: { name: 'thing' }, ...stated })])
    const { identification } = identifyComponent(component(fields), find)
    return 'identity' in identification
      ? identification.identity.pairs.map(({ key, version }) => `${key} ${version}`)
      : identification.notMatchedReason
  }

  it('has the stated identifiers besides its own', () => {
    const stated = { purls: ['pkg:cargo/x@2.0'], cpes: ['cpe:2.3:a:acme:x:*:*:*:*:*:*:*:*'] }

    expect(pairsOf({ purl: 'pkg:npm/y@1.0' }, stated)).toEqual([
      'cpe:acme:x 1.0',
      'purl:cargo/x 2.0',
      'purl:npm/y 1.0',
    ])
  })

  it('has the stated version in all its identifiers', () => {
    expect(
      pairsOf({ version: COMMIT, purl: `pkg:github/acme/thing@${COMMIT}` }, { version: '3.7.0' }),
    ).toEqual(['purl:github/acme/thing 3.7.0', 'repo:github.com/acme/thing 3.7.0'])
    expect(
      pairsOf({ cpes: ['cpe:2.3:a:acme:thing:9.9:rc1:*:*:*:*:*:*'] }, { version: '3.7.0' }),
    ).toEqual(['cpe:acme:thing 3.7.0'])
    expect(
      pairsOf(
        { builtFrom: component({ version: '1', cpes: ['cpe:2.3:*:*:other:1:*:*:*:*:*:*:*'] }) },
        { version: '2' },
      ),
    ).toEqual(['cpe:*:other 2'])
    expect(
      pairsOf({ purl: 'pkg:git.example.org/group/thing@v1.0.0' }, { version: '2.0' }),
    ).toContain('repo:git.example.org/group/thing 2.0')
  })

  it('keeps the name of its source package', () => {
    const rpm = 'pkg:rpm/redhat/thing-libs@1.1-5.el8?upstream=thing-1.1-5.el8.src.rpm'
    const deb = 'pkg:deb/debian/libthing1@1.1-5?upstream=thing%401.1-5'

    expect(pairsOf({ purl: rpm }, { version: '1.1-6.el8' })).toEqual([
      'cpe:*:thing 1.1',
      'purl:rpm/redhat/thing 1.1-6.el8',
      'purl:rpm/redhat/thing-libs 1.1-6.el8',
    ])
    expect(pairsOf({ purl: deb }, { version: '1.1-6' })).toEqual([
      'cpe:*:thing 1.1',
      'purl:deb/debian/thing 1.1-6',
    ])
  })

  it('is the package any component with these names is', () => {
    const find = createOverrideFinder([
      override({ selector: { name: 'thing' }, cpes: ['cpe:2.3:a:acme:x:1.0:*:*:*:*:*:*:*'] }),
    ])
    const declared = component({ packageName: 'x', cpes: ['cpe:2.3:a:acme:x:1.0:*:*:*:*:*:*:*'] })

    expect(identifyComponent(component({}), find).identification).toEqual(
      identifyComponent(declared, find).identification,
    )
  })

  it('is not guessed at: a CPE people state for a package of a distribution counts', () => {
    const find = createOverrideFinder([
      override({ selector: { name: 'thing' }, cpes: ['cpe:2.3:a:acme:x:*:*:*:*:*:*:*:*'] }),
    ])
    const purl = 'pkg:rpm/redhat/thing@1.0-1.el9'
    const cpes = ['a', 'b'].map((vendor) => `cpe:2.3:a:${vendor}:thing:1.0-1.el9:*:*:*:*:*:*:*`)
    const { identification } = identifyComponent(component({ purl, cpes }), find)

    const origins = 'identity' in identification ? identification.identity.pairs : []
    expect(origins.map(({ key, version, origin }) => [key, version, origin])).toEqual([
      ['cpe:*:thing', '1.0', 'distribution'],
      ['cpe:a:thing', '1.0', 'guess'],
      ['cpe:acme:x', '1.0', 'distribution'],
      ['cpe:b:thing', '1.0', 'guess'],
      ['purl:rpm/redhat/thing', '1.0-1.el9', undefined],
    ])
  })

  it('is not matched where it is ignored', () => {
    const reason = { ignored: true, reason: 'Our own code' }

    expect(pairsOf({ purl: 'pkg:npm/y@1.0' }, reason)).toBe('ignored: Our own code')
  })
})

it('applies to the declared versions it was made for, and to no other', () => {
  const part = (version: string | undefined) => ({
    vendor: undefined,
    packageName: 'zephyr-sources',
    version,
    purl: undefined,
    cpes: [],
    builtFrom: undefined,
  })
  const selector = { name: 'zephyr-sources' }
  const commit = 'a1'.repeat(20)
  const find = createOverrideFinder([override({ selector, version: '3.7.0', madeFor: [commit] })])
  const findUnstated = createOverrideFinder([
    override({ selector, version: '3.7.0', madeFor: [''] }),
  ])

  expect(find(part(commit))).toBeDefined()
  expect(find(part('b2'.repeat(20)))).toBeUndefined()
  expect(find(part(undefined))).toBeUndefined()
  expect(findUnstated(part(undefined))).toBeDefined()
  expect(findUnstated(part(commit))).toBeUndefined()
})
