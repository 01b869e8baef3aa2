import { expect, it } from 'vitest'
import { identifyPackage } from '../identity.ts'
import { parseSboms } from './parse.ts'

/** The source package of the only component, by which records are looked up. */
function sourceOf(document: object | string): string | undefined {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const components = parseSboms([Buffer.from(text)])[0]?.components ?? []
  const component = components.find(({ purl }) => purl !== undefined)
  if (!component) throw new Error('The document has no component.')
  const identified = identifyPackage(component)
  if (!('identity' in identified)) throw new Error(identified.notMatchedReason)
  const pair = identified.identity.pairs.find(({ key }) => /^purl:(?:deb|rpm|apk)\//.test(key))
  return pair?.identifier
}

const LIBSSL = 'pkg:deb/debian/libssl1.1@1.1.1k-1%2Bdeb11u1?arch=amd64&distro=debian-11.2'
const OPENSSL = 'pkg:deb/debian/openssl@1.1.1k-1+deb11u1'
const OPENSSL_RPM = 'pkg:rpm/almalinux/openssl@1:1.1.1k-5.el8_5'

function cycloneDx(purl: string, properties: Record<string, string>) {
  const list = Object.entries(properties).map(([name, value]) => ({ name, value }))
  const component = { type: 'library', name: 'thing', purl, properties: list }
  return { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components: [component] }
}

const spdxPackage = (purl: string, more: object) => ({
  SPDXID: 'SPDXRef-Package-1',
  name: 'thing',
  versionInfo: '1.1.1k-1+deb11u1',
  downloadLocation: 'NONE',
  externalRefs: [
    { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl },
  ],
  ...more,
})

const spdx = (packages: object[], relationships: object[] = []) => ({
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'image',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'https://example.com/image',
  creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: trivy'] },
  packages,
  relationships,
})

const trivy = (fields: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`aquasecurity:trivy:${name}`, value]),
  )

it.each([
  [
    'Trivy',
    LIBSSL,
    trivy({ SrcName: 'openssl', SrcVersion: '1.1.1k', SrcRelease: '1+deb11u1' }),
    OPENSSL,
  ],
  [
    'Trivy, with an epoch',
    'pkg:rpm/alma/openssl-libs@1.1.1k-5.el8_5?distro=alma-8.5&epoch=1',
    trivy({ SrcName: 'openssl', SrcVersion: '1.1.1k', SrcRelease: '5.el8_5', SrcEpoch: '1' }),
    OPENSSL_RPM,
  ],
  ['Trivy, without a version', LIBSSL, trivy({ SrcName: 'openssl' }), OPENSSL],
  [
    'Trivy, of Alpine',
    'pkg:apk/alpine/ssl_client@1.36.1-r5?distro=3.18.4',
    trivy({ SrcName: 'busybox', SrcVersion: '1.36.1-r5' }),
    'pkg:apk/alpine/busybox@1.36.1-r5',
  ],
  ['Syft before it wrote upstream', LIBSSL, { 'syft:metadata:source': 'openssl' }, OPENSSL],
  [
    'Syft, of an rpm',
    'pkg:rpm/almalinux/openssl-libs@1.1.1k-5.el8_5?distro=almalinux-8.5&epoch=1',
    { 'syft:metadata:sourceRpm': 'openssl-1.1.1k-5.el8_5.src.rpm' },
    OPENSSL_RPM,
  ],
  [
    'a kernel signed for secure boot',
    'pkg:deb/debian/linux-image-5.10.0-11-amd64@5.10.92-1?distro=debian-11.2',
    trivy({ SrcName: 'linux-signed-amd64', SrcVersion: '5.10.92+1' }),
    'pkg:deb/debian/linux@5.10.92-1',
  ],
])('reads the source package that CycloneDX of %s states', (_tool, purl, properties, source) => {
  expect(sourceOf(cycloneDx(purl, properties))).toBe(source)
})

it('reads it from XML', () => {
  const xml = `<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.5" version="1"><components>
    <component type="library"><name>libssl1.1</name><version>1.1.1k-1+deb11u1</version>
    <purl>${LIBSSL.replaceAll('&', '&amp;')}</purl>
    <properties><property name="aquasecurity:trivy:SrcName">openssl</property></properties>
    </component></components></bom>`

  expect(sourceOf(xml)).toBe(OPENSSL)
})

it.each([
  ['sourceInfo', { sourceInfo: 'built package from: openssl 1.1.1k-1+deb11u1' }],
  ['sourceInfo without a version', { sourceInfo: 'built package from: openssl' }],
  [
    'sourceInfo with other lines',
    { sourceInfo: 'CVEs fixed: CVE-2018-25032\nbuilt package from: openssl 1.1.1k-1+deb11u1' },
  ],
  ['attributionTexts', { attributionTexts: ['PkgID: a', 'SrcName: openssl'] }],
  ['annotations', { annotations: [{ comment: 'SrcName: openssl' }] }],
])('reads it from %s of SPDX', (_member, more) => {
  expect(sourceOf(spdx([spdxPackage(LIBSSL, more)]))).toBe(OPENSSL)
})

it('reads it from tag-value', () => {
  const text = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: image
DocumentNamespace: https://example.com/image
Creator: Tool: trivy
Created: 2026-01-01T00:00:00Z

PackageName: libssl1.1
SPDXID: SPDXRef-1
PackageVersion: 1.1.1k-1+deb11u1
PackageDownloadLocation: NONE
PackageSourceInfo: <text>built package from: openssl 1.1.1k-1+deb11u1</text>
ExternalRef: PACKAGE-MANAGER purl ${LIBSSL}
`

  expect(sourceOf(text)).toBe(OPENSSL)
})

it('takes what a package is generated from for its source, as Tern writes it', () => {
  const source = {
    SPDXID: 'SPDXRef-openssl-src',
    name: 'openssl',
    versionInfo: '1.1.1k-1+deb11u1',
    downloadLocation: 'NONE',
  }
  const generatedFrom = {
    spdxElementId: 'SPDXRef-Package-1',
    relationshipType: 'GENERATED_FROM',
    relatedSpdxElement: 'SPDXRef-openssl-src',
  }

  expect(sourceOf(spdx([spdxPackage(LIBSSL, {}), source], [generatedFrom]))).toBe(OPENSSL)
})

it('says nothing of packages of registries', () => {
  const document = cycloneDx('pkg:npm/left-pad@1.3.0', trivy({ SrcName: 'openssl' }))

  expect(parseSboms([Buffer.from(JSON.stringify(document))])[0]?.components[0]?.builtFrom).toBe(
    undefined,
  )
})

const SYSTEM = { type: 'operating-system', name: 'alma', version: '8.5' }

function distrosOf(purl: string, systems: object[]) {
  const { components, ...document } = cycloneDx(purl, {})
  const bytes = JSON.stringify({ ...document, components: [...systems, ...components] })
  const parsed = parseSboms([Buffer.from(bytes)])[0]?.components ?? []
  return parsed.flatMap((component) => {
    const identified = component.purl === undefined ? undefined : identifyPackage(component)
    return identified && 'identity' in identified ? [identified.identity.distro] : []
  })
}

it.each`
  purl                                        | systems                                                   | release
  ${'pkg:rpm/alma/zlib@1.2.11-17'}            | ${[SYSTEM]}                                               | ${'8'}
  ${'pkg:rpm/zlib@1.2.11-17'}                 | ${[SYSTEM]}                                               | ${'8'}
  ${'pkg:rpm/zlib@1.2.11-17?distro=alma-9.1'} | ${[SYSTEM]}                                               | ${'9'}
  ${'pkg:rpm/alma/zlib@1.2.11-17'}            | ${[]}                                                     | ${undefined}
  ${'pkg:rpm/alma/zlib@1.2.11-17'}            | ${[SYSTEM, { ...SYSTEM, version: '9.1' }]}                | ${undefined}
  ${'pkg:rpm/alma/zlib@1.2.11-17'}            | ${[SYSTEM, { type: 'operating-system', name: 'zephyr' }]} | ${'8'}
`('$purl is of release $release in a document of $systems', ({ purl, systems, release }) => {
  const [distro] = distrosOf(String(purl), systems as object[])

  expect(distro?.ecosystem).toBe('AlmaLinux')
  expect(distro?.release).toBe(release)
})
