/** Findings that rested on a wrong name or version, each on the real record. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { parseCveRecord } from '../../formats/advisories/cve5.ts'
import type { Advisory } from '../../formats/advisories/model.ts'
import { parseNvdRecord } from '../../formats/advisories/nvd.ts'
import { identifyPackage, type IdentifiableComponent } from '../../formats/identity.ts'
import { matchPackage } from './match.ts'
import { decideMatch } from './verdict-precedence.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'a',
  version: undefined,
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}

const NVD = ['nvd20-firmware', 'nvd20-firmware-converted-from-11', 'nvd20-sample']

/** The confidence of the match of the record and the component, and why; undefined: no match. */
function matchOf({ source, id, affected }: Advisory, component: Partial<IdentifiableComponent>) {
  const result = identifyPackage({ ...NOTHING, ...component })
  if (!('identity' in result)) throw new Error('not read')
  const candidates = affected.map((one) => ({ source, advisoryId: id, affected: one }))
  const match = decideMatch(matchPackage(result.identity, candidates))
  return (
    match && { confidence: match.confidence, notes: match.evidence.flatMap((one) => one.notes) }
  )
}

describeWithSharedData('a real record of NVD', (folder) => {
  const lines = NVD.flatMap((name) =>
    gunzipSync(readFileSync(join(folder, `nvd/${name}.jsonl.gz`)))
      .toString('utf8')
      .split('\n'),
  )

  function matched(cveId: string, component: Partial<IdentifiableComponent>) {
    const line = lines.find((text) => text.includes(`"id":"${cveId}"`))
    if (line === undefined) throw new Error(`no record of ${cveId}`)
    const parsed = parseNvdRecord(JSON.parse(line))
    if (!parsed.ok) throw new Error(parsed.reason)
    return matchOf(parsed.value, component)
  }

  it('of Kerberos 4 is not about Kerberos 5, whose versions it writes as 5-1.21.3', () => {
    const krb5 = (version: string) => ({
      purl: `pkg:deb/debian/libkrb5-3@${version}-1?upstream=krb5&distro=debian-12`,
    })

    expect(matched('CVE-2000-0546', krb5('1.21.3'))).toBeUndefined()
    expect(matched('CVE-2000-0546', krb5('1.0.6'))).toMatchObject({ confidence: 'Medium' })
    const recipe = { cpes: ['cpe:2.3:*:*:kerberos:5-1.21.3:*:*:*:*:*:*:*'] }
    expect(matched('CVE-2000-0546', recipe)).toBeUndefined()
  })

  it('of curl that lists an operating system is no finding of the system as a component', () => {
    const system = {
      packageName: 'Red Hat Enterprise Linux',
      version: '8.0',
      cpes: ['cpe:2.3:o:redhat:enterprise_linux:8.0:*:*:*:*:*:*:*'],
    }

    expect(matched('CVE-2018-16890', system)).toMatchObject({
      confidence: 'Low',
      notes: ['the CPE is of the system or product line that the package is part of'],
    })
  })

  it('of protobuf in C++ is a guess for the Go module beside which a scanner states its CPE', () => {
    const module = {
      purl: 'pkg:golang/google.golang.org/protobuf@v1.0.0',
      cpes: ['cpe:2.3:a:google:protobuf:v1.0.0:*:*:*:*:*:*:*'],
    }

    expect(matched('CVE-2015-5237', module)).toMatchObject({ confidence: 'Low' })
    expect(matched('CVE-2015-5237', { cpes: module.cpes })).toMatchObject({ confidence: 'High' })
  })
})

describeWithSharedData('a real record of the CVE List', (folder) => {
  it('of glibc that names neither vendor nor affected versions is a finding of Medium confidence', () => {
    const line = gunzipSync(readFileSync(join(folder, 'cve5/vulnrichment-firmware.jsonl.gz')))
      .toString('utf8')
      .split('\n')
      .find((text) => text.includes('"cveId":"CVE-2023-6246"'))
    const record = parseCveRecord(JSON.parse(line ?? 'null'))
    if (!record.ok) throw new Error(record.reason)
    const matched = (cpe: string) =>
      matchOf(record.value, { cpes: [`cpe:2.3:a:${cpe}:*:*:*:*:*:*:*`] })

    expect(matched('gnu:glibc:2.37')).toEqual({
      confidence: 'Medium',
      notes: [
        'no vendor is stated',
        'the record says only which version is not affected',
        'names of glibc stand for each other',
      ],
    })
    expect(matched('gnu:glibc:2.39')).toBeUndefined()
    expect(matched('acme:glibc:2.37')).toMatchObject({ confidence: 'Low' })
  })
})

it.each`
  component                                      | key                                   | because
  ${'pkg:deb/debian/apt@2.2.4?distro=debian-11'} | ${'cpe:debian:advanced_package_tool'} | ${'NVD writes the name of APT in full'}
  ${'pkg:buildroot/uclibc@1.0.50'}               | ${'cpe:uclibc-ng_project:uclibc-ng'}  | ${'Buildroot kept the name of uClibc'}
  ${'pkg:yocto/core/uclibc@0.9.33'}              | ${'cpe:uclibc:uclibc'}                | ${'recipes of uClibc-ng have its name'}
  ${'pkg:deb/debian/dtc@0.35-1'}                 | ${'cpe:*:dtc-common'}                 | ${'Debian’s dtc was another program'}
`('looks $component up by $key, as $because', ({ component, key }) => {
  const result = identifyPackage({ ...NOTHING, purl: String(component) })

  const keys = 'identity' in result ? result.identity.pairs.map((pair) => pair.key) : []
  expect(keys).toContain(key)
})

describeWithSharedData('a supplier who is not the maker', (folder) => {
  it('does not keep a product from being found by its name', () => {
    const line = gunzipSync(
      readFileSync(join(folder, 'nvd/nvd20-firmware-converted-from-11.jsonl.gz')),
    )
      .toString('utf8')
      .split('\n')
      .find((text) => text.includes('"id":"CVE-2022-0778"'))
    const record = parseNvdRecord(JSON.parse(line ?? 'null'))
    if (!record.ok) throw new Error(record.reason)
    const matched = (vendor: string, packageName: string) =>
      matchOf(record.value, { vendor, packageName, version: '3.0.1' })

    expect(matched('Acme Devices GmbH', 'openssl')).toMatchObject({
      confidence: 'Medium',
      notes: expect.arrayContaining([
        'the vendor that is stated may have supplied it and not made it',
      ]) as string[],
    })
    expect(matched('Acme Devices GmbH', 'openssl-gui')).toBeUndefined()
  })
})
