import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { readFileSync } from 'node:fs'
import { parseSboms } from './parse.ts'

type Document = object | string | Uint8Array

const bytesOf = (document: Document) =>
  document instanceof Uint8Array
    ? document
    : Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))

/** Package name → the source files it is compiled from. */
function listsOf(...documents: Document[]): Record<string, readonly string[]> {
  const lists: Record<string, readonly string[]> = {}
  for (const { components, sourceFiles } of parseSboms(documents.map(bytesOf)))
    for (const { nodes, paths } of sourceFiles)
      for (const node of nodes) lists[components[node]?.packageName ?? ''] = paths
  return lists
}

const spdx2 = (rest: {
  name?: string
  packages: object[]
  files: object[]
  relationships: object[]
}) => ({
  spdxVersion: 'SPDX-2.2',
  SPDXID: 'SPDXRef-DOCUMENT',
  dataLicense: 'CC0-1.0',
  documentNamespace: 'http://spdx.org/spdxdocs/test',
  name: 'test',
  creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: test'] },
  ...rest,
})
const spdxPackage = (name: string, rest: object = {}) => ({
  SPDXID: `SPDXRef-${name}`,
  name,
  downloadLocation: 'NOASSERTION',
  ...rest,
})
const spdxFile = (id: string, fileName: string, ...fileTypes: string[]) => ({
  SPDXID: `SPDXRef-${id}`,
  fileName,
  ...(fileTypes.length > 0 && { fileTypes }),
})
const relation = (from: string, relationshipType: string, to: string) => ({
  spdxElementId: `SPDXRef-${from}`,
  relationshipType,
  relatedSpdxElement: `SPDXRef-${to}`,
})

describe('source files of SPDX 2', () => {
  const recipe = spdx2({
    packages: [
      spdxPackage('linux-yocto'),
      spdxPackage('kernel-image', { hasFiles: ['SPDXRef-B1'] }),
    ],
    files: [
      spdxFile('S1', 'linux-6.6/net/core/dev.c', 'SOURCE'),
      spdxFile('S2', 'linux-6.6/Makefile', 'SOURCE'),
      spdxFile('S3', './linux-6.6/fs/ext4/inode.c', 'SOURCE'),
      spdxFile('B1', 'boot/vmlinux.c', 'BINARY'),
    ],
    relationships: [
      relation('linux-yocto', 'CONTAINS', 'S1'),
      relation('linux-yocto', 'CONTAINS', 'S2'),
      relation('linux-yocto', 'CONTAINS', 'S3'),
      relation('kernel-image', 'GENERATED_FROM', 'linux-yocto'),
    ],
  })

  it('are those of the recipe, for all that is made from it', () => {
    const paths = ['linux-6.6/fs/ext4/inode.c', 'linux-6.6/net/core/dev.c']

    expect(listsOf(recipe)).toEqual({ 'linux-yocto': paths, 'kernel-image': paths })
  })

  it('are read from tag-value too', () => {
    const document = `SPDXVersion: SPDX-2.2
DataLicense: CC0-1.0
DocumentNamespace: http://example.org/a
DocumentName: a
Creator: Tool: a
Created: 2026-01-01T00:00:00Z
PackageName: zephyr-sources
SPDXID: SPDXRef-zephyr
PackageDownloadLocation: NONE
FileName: ./zephyr/kernel/sched.c
SPDXID: SPDXRef-sched
FileName: ./zephyr/lib/heap.c
SPDXID: SPDXRef-heap
FileType: SOURCE
FileName: ./zephyr/zephyr.elf
SPDXID: SPDXRef-elf
FileType: BINARY
`

    expect(listsOf(document)).toEqual({
      'zephyr-sources': ['zephyr/kernel/sched.c', 'zephyr/lib/heap.c'],
    })
  })

  it('are known by what is generated from them', () => {
    const packages = [spdxPackage('zephyr-sources'), spdxPackage('tools')]
    const files = [
      spdxFile('a', './zephyr/kernel/a.c'),
      spdxFile('b', './zephyr/kernel/b.c'),
      spdxFile('t', './tools/t.c'),
      spdxFile('lib', './libkernel.a', 'ARCHIVE'),
    ]
    const relationships = [
      relation('zephyr-sources', 'CONTAINS', 'a'),
      relation('zephyr-sources', 'CONTAINS', 'b'),
      relation('tools', 'CONTAINS', 't'),
      relation('lib', 'GENERATED_FROM', 'a'),
    ]

    expect(listsOf(spdx2({ packages, files, relationships }))).toEqual({
      'zephyr-sources': ['zephyr/kernel/a.c', 'zephyr/kernel/b.c'],
    })
  })

  it('are not those a package installs', () => {
    const packages = [spdxPackage('kernel-devsrc', { hasFiles: ['SPDXRef-a', 'SPDXRef-b'] })]
    const files = [
      spdxFile('a', 'usr/src/kernel/scripts/mod/modpost.c', 'BINARY'),
      spdxFile('b', 'usr/src/kernel/scripts/kallsyms.c'),
    ]

    expect(listsOf(spdx2({ packages, files, relationships: [] }))).toEqual({})
  })

  it('are none where one of what a package is made from lists none', () => {
    const packages = ['made', 'listed', 'unlisted'].map((name) => spdxPackage(name))
    const files = [spdxFile('a', 'a.c', 'SOURCE')]
    const relationships = [
      relation('listed', 'CONTAINS', 'a'),
      relation('made', 'GENERATED_FROM', 'listed'),
      relation('made', 'GENERATED_FROM', 'unlisted'),
    ]

    expect(listsOf(spdx2({ packages, files, relationships }))).toEqual({ listed: ['a.c'] })
  })

  it('are none where one has a name that cannot be compared', () => {
    const packages = [spdxPackage('listed')]
    const files = [spdxFile('a', 'a.c', 'SOURCE'), spdxFile('b', 'x\u0001.c', 'SOURCE')]
    const relationships = [relation('listed', 'CONTAINS', 'a'), relation('listed', 'CONTAINS', 'b')]

    expect(listsOf(spdx2({ packages, files, relationships }))).toEqual({})
  })
})

const spdx3 = (...elements: object[]) => ({
  '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
  '@graph': [
    { type: 'CreationInfo', '@id': '_:c', specVersion: '3.0.1', created: '2026-01-01T00:00:00Z' },
    { type: 'SpdxDocument', spdxId: 'urn:doc', creationInfo: '_:c', rootElement: ['urn:image'] },
    ...elements.map((element) => ({ creationInfo: '_:c', ...element })),
  ],
})
const element3 = (type: string, spdxId: string, name: string, purpose?: string) => ({
  type,
  spdxId,
  name,
  ...(purpose !== undefined && { software_primaryPurpose: purpose }),
})
const relation3 = (from: string, relationshipType: string, ...to: string[]) => ({
  type: 'Relationship',
  spdxId: `urn:r/${from}/${relationshipType}`,
  from,
  relationshipType,
  to,
})

describe('source files of SPDX 3', () => {
  const recipe = [
    element3('software_Package', 'urn:image', 'kernel-image', 'install'),
    element3('software_Package', 'urn:source/1', 'linux.git', 'source'),
    element3('build_Build', 'urn:build', 'linux-yocto'),
    element3('software_File', 'urn:source/2', 'defconfig.c', 'source'),
    element3('software_File', 'urn:package/file/1', 'usr/src/kernel/modpost.c'),
    relation3('urn:build', 'hasOutput', 'urn:image'),
    relation3('urn:image', 'contains', 'urn:package/file/1'),
  ]
  const tree = [
    element3('software_File', 'urn:linux/sourcefile/1', 'linux-6.6/net/core/dev.c', 'source'),
    element3('software_File', 'urn:linux/sourcefile/2', 'linux-6.6/net/core/dev.h', 'source'),
  ]

  it('are the tree a build compiles, for what comes out of it', () => {
    const inputs = [
      'urn:source/1',
      'urn:source/2',
      'urn:linux/sourcefile/1',
      'urn:linux/sourcefile/2',
    ]
    const document = spdx3(...recipe, ...tree, relation3('urn:build', 'hasInput', ...inputs))

    expect(listsOf(document)).toEqual({
      'kernel-image': ['linux-6.6/net/core/dev.c'],
      'linux.git': [],
    })
  })

  it('are not the files a recipe downloads besides', () => {
    const document = spdx3(
      ...recipe,
      relation3('urn:build', 'hasInput', 'urn:source/1', 'urn:source/2'),
    )

    expect(listsOf(document)).toEqual({ 'linux.git': [] })
  })

  it('are those a source package contains', () => {
    const document = spdx3(
      element3('software_Package', 'urn:image', 'zephyr-sources', 'source'),
      element3('software_File', 'urn:a', 'zephyr/kernel/a.c', 'file'),
      relation3('urn:image', 'contains', 'urn:a'),
    )

    expect(listsOf(document)).toEqual({ 'zephyr-sources': ['zephyr/kernel/a.c'] })
  })
})

describe('source files of CycloneDX', () => {
  it('are components of type file within a component', () => {
    const file = (name: string) => ({ type: 'file', name })
    const document = {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      components: [
        { type: 'library', name: 'wolfssl', components: [file('src/tls.c'), file('README')] },
        { type: 'library', name: 'zlib' },
        file('main.c'),
      ],
    }

    expect(listsOf(document)).toEqual({ wolfssl: ['src/tls.c'] })
  })
})

describeWithSharedData('source files of real documents', (folder) => {
  const listsOfFiles = (...names: string[]) =>
    listsOf(...names.map((name) => readFileSync(`${folder}/sbom/firmware/${name}`)))

  it('Zephyr lists what it compiled', () => {
    const spdx2Files = ['app', 'build', 'zephyr'].map(
      (name) => `zephyr-west-spdx22-plugfest/zephyr-hello-world__spdx__${name}.spdx`,
    )
    const lists = listsOfFiles(...spdx2Files)

    expect(Object.keys(lists).toSorted()).toEqual(['app', 'app-sources', 'zephyr-sources'])
    expect(lists['app-sources']).toEqual(['src/main.c'])
    expect(lists['zephyr-sources']).toContain('modules/hal/nordic/nrfx/drivers/src/nrfx_clock.c')
  })

  it('Zephyr lists it in SPDX 3 too, where modules without compiled files say nothing', () => {
    const names = ['app.jsonld', 'build.jsonld', 'modules-deps.jsonld', 'zephyr.jsonld.gz']
    const lists = listsOfFiles(...names.map((name) => `zephyr-west-spdx3/${name}`))

    expect(lists['zephyr-sources']).toContain('zephyr/lib/libc/picolibc/assert.c')
    expect(lists['mbedtls-sources']).toEqual([])
  })

  it('Yocto lists none unless it is told to: downloads and installed files are no such list', () => {
    const yocto =
      'yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz'

    expect(Object.values(listsOfFiles(yocto)).flat()).toEqual([])
    expect(listsOfFiles('yocto-spdx22-rootfs/example.rootfs.spdx.tar.zst')).toEqual({})
  })

  it('a package of which only the names of all its files are told lists none', () => {
    const freertos = 'freertos-kernel-11.3.0/FreeRTOS-Kernel-V11.3.0-repository-SPDX2.3.spdx.json'

    expect(listsOfFiles(freertos)).toEqual({})
  })
})
