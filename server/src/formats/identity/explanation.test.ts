import { expect, it } from 'vitest'
import type { IdentifiableComponent, PackageOverride } from '../identity.ts'
import { explainIdentity } from './explanation.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'thing',
  version: undefined,
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}

function steps(component: Partial<IdentifiableComponent>, override?: PackageOverride) {
  return explainIdentity({ ...NOTHING, ...component }, override).steps.map(
    ({ rule, text }) => `${rule}: ${text}`,
  )
}

it('tells how identifiers become names, and which of them the table of names adds', () => {
  const told = steps({
    packageName: 'mbed_tls',
    version: '3.6.4',
    purl: 'pkg:github/Mbed-TLS/mbedtls@v3.6.4',
    cpes: ['cpe:2.3:a:arm:mbed_tls:3.6.4:*:*:*:*:*:*:*'],
  })

  expect(told[0]).toBe(
    'declared: The document declares the name mbed_tls, the version 3.6.4, the purl pkg:github/Mbed-TLS/mbedtls@v3.6.4, the CPE cpe:2.3:a:arm:mbed_tls:3.6.4:*:*:*:*:*:*:*.',
  )
  expect(told).toContainEqual(expect.stringMatching(/^table of names: The names of .*mbedtls/i))
  expect(told.at(-1)).toMatch(/^look-up: Records are looked up by .*cpe:polarssl:polarssl/)
})

it('tells of the distribution, and of a release that is not stated', () => {
  const purl = 'pkg:deb/debian/libzzz@1.0-1?upstream=zzz'

  expect(steps({ purl })).toContain(
    'distribution: It is a package of Debian, but no release is stated, so records of a release cannot be compared.',
  )
  expect(steps({ purl: `${purl}&distro=debian-12` })).toContain(
    'distribution: It is a package of Debian 12: records of this release apply.',
  )
})

it('tells what an override changes', () => {
  const override: PackageOverride = {
    id: '1',
    selector: { purl: null, cpe: null, name: 'thing', version: null },
    purls: [],
    cpes: ['cpe:2.3:a:acme:thing:*:*:*:*:*:*:*:*'],
    version: '3.7.0',
    ignored: false,
    reason: null,
    madeFor: null,
  }

  expect(steps({ version: 'a1'.repeat(20) }, override)).toEqual([
    `declared: The document declares the name thing, the version ${'a1'.repeat(20)}, no purl, no CPE.`,
    'override: An override of the workspace replaces the version, also in identifiers, by 3.7.0 and adds cpe:2.3:a:acme:thing:*:*:*:*:*:*:*:*.',
    'identifier: The CPE cpe:2.3:a:acme:thing:*:*:*:*:*:*:*:* of the override gives cpe:acme:thing in version 3.7.0.',
    'look-up: Records are looked up by cpe:acme:thing, name:acme/thing, cpe:*:thing, name:*/thing.',
  ])
  const ignored = { ...override, cpes: [], version: null, ignored: true, reason: 'our code' }
  expect(steps({ version: '1.0' }, ignored)).toEqual([
    'declared: The document declares the name thing, the version 1.0, no purl, no CPE.',
    'override: An override ignores it: our code.',
    'not matched: It is not matched: ignored: our code.',
  ])
})

it.each`
  component                               | last
  ${{}}                                   | ${'not matched: It has neither purl, CPE nor repository, and not both a name and a version.'}
  ${{ scope: 'build', version: '1' }}     | ${'scope: It is not matched: scope build.'}
  ${{ purl: 'pkg:npm/%%', version: '1' }} | ${/^look-up: Records are looked up by cpe:\*:thing/}
`('tells why nothing is looked up: $last', ({ component, last }) => {
  expect(steps(component as Partial<IdentifiableComponent>).at(-1)).toEqual(
    last instanceof RegExp ? expect.stringMatching(last) : last,
  )
})

it('tells that a record of Go as a whole, or of its tools, is not one of its library', () => {
  const told = steps({ purl: 'pkg:golang/stdlib@1.22.1' })

  expect(told).toContain(
    'identifier: The purl pkg:golang/stdlib@1.22.1 gives cpe:golang:go in version 1.22.1, the product that it is a part of, purl:golang/stdlib in version 1.22.1, purl:golang/toolchain in version 1.22.1, another part of the product, whose flaws it does not have.',
  )
})
