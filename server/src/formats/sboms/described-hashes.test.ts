/** Which hashes of what they describe documents state, in each format. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { hashJsonContent } from '../content-digest.ts'
import { readStrongHash } from './described-hashes.ts'
import { parseSbom } from './parse.ts'

const SHA256 = 'a1'.repeat(32)
const SHA512 = 'b2'.repeat(64)

const describedBy = (document: unknown) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  return parseSbom(Buffer.from(text)).describedHashes
}

it('CycloneDX states them of the component of its metadata, and where that is handed out', () => {
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: {
      component: {
        type: 'firmware',
        name: 'gateway',
        hashes: [
          { alg: 'SHA-256', content: SHA256.toUpperCase() },
          { alg: 'MD5', content: 'c3'.repeat(16) },
        ],
        externalReferences: [
          {
            type: 'distribution',
            url: 'https://example.com/g.swu',
            hashes: [{ alg: 'SHA-512', content: SHA512 }],
          },
          {
            type: 'license',
            url: 'https://example.com/l',
            hashes: [{ alg: 'SHA-256', content: 'd4'.repeat(32) }],
          },
        ],
      },
    },
    components: [
      { type: 'library', name: 'zlib', hashes: [{ alg: 'SHA-256', content: 'e5'.repeat(32) }] },
    ],
  }

  expect(describedBy(document)).toEqual([
    { name: 'gateway', algorithm: 'SHA-256', value: SHA256 },
    { name: 'https://example.com/g.swu', algorithm: 'SHA-512', value: SHA512 },
  ])
})

const SPDX2 = {
  spdxVersion: 'SPDX-2.3',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'gateway',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'https://example.com/gateway',
  creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: test'] },
  packages: [
    {
      SPDXID: 'SPDXRef-image',
      name: 'gateway-image',
      downloadLocation: 'NOASSERTION',
      checksums: [
        { algorithm: 'SHA256', checksumValue: SHA256 },
        { algorithm: 'SHA1', checksumValue: 'c3'.repeat(20) },
      ],
    },
    {
      SPDXID: 'SPDXRef-zlib',
      name: 'zlib',
      downloadLocation: 'NOASSERTION',
      checksums: [{ algorithm: 'SHA256', checksumValue: 'e5'.repeat(32) }],
    },
  ],
  files: [
    {
      SPDXID: 'SPDXRef-file',
      fileName: './gateway.bin',
      checksums: [{ algorithm: 'SHA512', checksumValue: SHA512 }],
    },
    {
      SPDXID: 'SPDXRef-other',
      fileName: './main.c',
      checksums: [{ algorithm: 'SHA256', checksumValue: 'f6'.repeat(32) }],
    },
  ],
  documentDescribes: ['SPDXRef-image'],
  relationships: [
    {
      spdxElementId: 'SPDXRef-DOCUMENT',
      relationshipType: 'DESCRIBES',
      relatedSpdxElement: 'SPDXRef-file',
    },
  ],
}

it('SPDX 2 in JSON states them of the packages and files that it describes', () => {
  expect(describedBy(SPDX2)).toEqual([
    { name: 'gateway-image', algorithm: 'SHA-256', value: SHA256 },
    { name: './gateway.bin', algorithm: 'SHA-512', value: SHA512 },
  ])
})

it('SPDX 2 in tag-value states them of the packages and files that it describes', () => {
  const document = `SPDXVersion: SPDX-2.3
SPDXID: SPDXRef-DOCUMENT
DataLicense: CC0-1.0
DocumentName: gateway
DocumentNamespace: https://example.com/gateway
Creator: Tool: test
Created: 2026-01-01T00:00:00Z
PackageName: gateway-image
SPDXID: SPDXRef-image
PackageDownloadLocation: NOASSERTION
PackageChecksum: SHA256: ${SHA256}
FileName: ./gateway.bin
SPDXID: SPDXRef-file
FileChecksum: SHA512: ${SHA512}
FileName: ./main.c
SPDXID: SPDXRef-other
FileChecksum: SHA256: ${'f6'.repeat(32)}
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-image
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-file
`
  expect(describedBy(document)).toEqual([
    { name: 'gateway-image', algorithm: 'SHA-256', value: SHA256 },
    { name: './gateway.bin', algorithm: 'SHA-512', value: SHA512 },
  ])
})

it('SPDX 3 states them of root elements and of the files that these are handed out as', () => {
  const hash = (algorithm: string, hashValue: string) => [{ type: 'Hash', algorithm, hashValue }]
  const element = (spdxId: string, members: object) => ({ spdxId, creationInfo: '_:c', ...members })
  const document = {
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [
      {
        type: 'CreationInfo',
        '@id': '_:c',
        specVersion: '3.0.1',
        created: '2026-01-01T00:00:00Z',
        createdBy: ['urn:a'],
      },
      element('urn:d', { type: 'SpdxDocument', rootElement: ['urn:image'] }),
      element('urn:image', {
        type: 'software_Package',
        name: 'gateway',
        verifiedUsing: hash('sha256', SHA256),
      }),
      element('urn:file', {
        type: 'software_File',
        name: 'gateway.wic',
        verifiedUsing: hash('sha512', SHA512),
      }),
      element('urn:other', {
        type: 'software_File',
        name: 'main.c',
        verifiedUsing: hash('sha256', 'f6'.repeat(32)),
      }),
      element('urn:r', {
        type: 'Relationship',
        relationshipType: 'hasDistributionArtifact',
        from: 'urn:image',
        to: ['urn:file'],
      }),
    ],
  }
  expect(describedBy(document).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: 'gateway', algorithm: 'SHA-256', value: SHA256 },
    { name: 'gateway.wic', algorithm: 'SHA-512', value: SHA512 },
  ])
})

it.each([
  ['SHA-256', 'a1'.repeat(31)],
  ['SHA-256', `${'a1'.repeat(31)}zz`],
  ['SHA-1', 'a1'.repeat(20)],
  ['SHA3-256', SHA256],
])('a hash of %s with the value %s proves no file', (algorithm, value) => {
  expect(readStrongHash({ algorithm, value })).toBeUndefined()
})

it('JSON of one content has one digest, however it is written, and other JSON has another', () => {
  const digest = hashJsonContent({ a: [1, { c: 'x', b: null }], d: 1.0 })

  expect(hashJsonContent(JSON.parse('{ "d": 1.0e0, "a": [1, {"b": null, "c": "\\u0078"}] }'))).toBe(
    digest,
  )
  expect(hashJsonContent({ a: [1, { c: 'x', b: null }], d: 2 })).not.toBe(digest)
  expect(hashJsonContent({ a: [{ c: 'x', b: null }, 1], d: 1 })).not.toBe(digest)
})

describeWithSharedData('the SBOM that Yocto writes of an image', (shared) => {
  it('states the image in each of its forms', () => {
    const path =
      'sbom/firmware/yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz'
    expect(parseSbom(readFileSync(join(shared, path))).describedHashes).toEqual([
      {
        name: 'core-image-minimal-qemux86-64.rootfs-20250815151650.ext4',
        algorithm: 'SHA-256',
        value: 'e40dfa5d784db384ef6d25eeb873e185aef5d9a750fafaa6aa6caebe00ca04fa',
      },
      {
        name: 'core-image-minimal-qemux86-64.rootfs-20250815151650.tar.bz2',
        algorithm: 'SHA-256',
        value: '37e2ae85ff0a810531683dedd78252ede53ae3589a5ffebaeb53f9f7f1a4c126',
      },
    ])
  })
})
