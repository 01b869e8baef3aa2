import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { explainIdentity } from '../identity/explanation.ts'
import {
  identifyComponent,
  identifyPackage,
  createOverrideFinder,
  type PackageOverride,
} from '../identity.ts'
import type { DeclaredComponent } from './model.ts'
import { parseSboms } from './parse.ts'

const COMMIT = '0550a0ef99e446b1a101b093e6a0996312345678'

interface DescribedDocument {
  document: string
  lines: readonly string[]
  creator?: string
}

function documentOf({
  document,
  lines,
  creator = 'Zephyr SPDX builder',
}: DescribedDocument): Uint8Array {
  return Buffer.from(
    [
      'SPDXVersion: SPDX-2.3',
      'DataLicense: CC0-1.0',
      'SPDXID: SPDXRef-DOCUMENT',
      `DocumentName: ${document}`,
      `DocumentNamespace: http://spdx.org/spdxdocs/zephyr-0/${document}`,
      `Creator: Tool: ${creator}`,
      'Created: 2026-10-28T10:58:08Z',
      ...lines,
    ].join('\n'),
  )
}

function packageLines(name: string, ...more: string[]): string[] {
  return [
    `PackageName: ${name}`,
    `SPDXID: SPDXRef-${name.replaceAll('_', '-')}`,
    'FilesAnalyzed: false',
    ...(more.some((line) => line.startsWith('PackageDownloadLocation'))
      ? []
      : ['PackageDownloadLocation: NOASSERTION']),
    ...more,
  ]
}

const sourcesOf = (module: string) =>
  packageLines(
    `${module}-sources`,
    `PackageDownloadLocation: git+https://github.com/zephyrproject-rtos/${module}@${COMMIT}`,
    `PackageVersion: ${COMMIT}`,
  )

function componentsOf(...documents: DescribedDocument[]): DeclaredComponent[] {
  return parseSboms(documents.map(documentOf)).flatMap(({ components }) => components)
}

function find(components: readonly DeclaredComponent[], name: string): DeclaredComponent {
  const component = components.find(({ packageName }) => packageName === name)
  if (!component) throw new Error(`no component ${name}`)
  return component
}

function identified(component: DeclaredComponent) {
  const identification = identifyPackage(component)
  return {
    id: 'identity' in identification ? identification.identity.id : undefined,
    keys: 'identity' in identification ? identification.identity.pairs.map(({ key }) => key) : [],
    reason: identification.notMatchedReason,
  }
}

it('code and identifiers of one module are one package', () => {
  const components = componentsOf(
    { document: 'zephyr', lines: sourcesOf('mbedtls') },
    {
      document: 'modules-deps',
      lines: packageLines(
        'mbedtls-deps',
        'ExternalRef: SECURITY cpe23Type cpe:2.3:a:arm:mbed_tls:3.6.4:*:*:*:*:*:*:*',
        'ExternalRef: PACKAGE-MANAGER purl pkg:github/Mbed-TLS/mbedtls@v3.6.4',
      ),
    },
  )

  const [sources, deps] = ['mbedtls-sources', 'mbedtls-deps'].map((name) =>
    identified(find(components, name)),
  )

  expect(sources).toEqual(deps)
  expect(sources?.reason).toBeUndefined()
  expect(sources?.keys).toEqual(
    expect.arrayContaining(['cpe:arm:mbed_tls', 'repo:github.com/zephyrproject-rtos/mbedtls']),
  )
})

it('a module without identifiers is its commit, whichever part is looked at', () => {
  const components = componentsOf(
    { document: 'zephyr', lines: sourcesOf('lvgl') },
    { document: 'modules-deps', lines: packageLines('lvgl-deps') },
  )

  const [sources, deps] = ['lvgl-sources', 'lvgl-deps'].map((name) =>
    identified(find(components, name)),
  )

  expect(sources).toEqual(deps)
  expect(sources).toMatchObject({
    // Zephyr's fork of LVGL has the commits of both.
    keys: [
      'cpe:*:lvgl',
      'purl:generic/lvgl',
      'purl:github/littlevgl/lvgl',
      'purl:github/lvgl/lvgl',
      'repo:github.com/littlevgl/lvgl',
      'repo:github.com/lvgl/lvgl',
      'repo:github.com/zephyrproject-rtos/lvgl',
    ],
    reason: 'version is a commit',
  })
})

it('an override of one part of a module is for the other too', () => {
  const components = componentsOf(
    { document: 'zephyr', lines: [...sourcesOf('lvgl'), ...sourcesOf('zcbor')] },
    { document: 'modules-deps', lines: packageLines('lvgl-deps') },
    { document: 'other', lines: packageLines('zcbor-deps'), creator: 'another' },
  )
  const lvgl = overrideOf('lvgl-sources', 'cpe:2.3:a:lvgl:lvgl:9.1.0:*:*:*:*:*:*:*')
  const zcbor = overrideOf('zcbor-sources', 'cpe:2.3:a:a:zcbor:0.8.0:*:*:*:*:*:*:*')

  const [sources, deps, other] = ['lvgl-sources', 'lvgl-deps', 'zcbor-deps'].map((name) =>
    identifyComponent(find(components, name), createOverrideFinder([lvgl, zcbor])),
  )

  expect([sources?.overrideId, other?.overrideId]).toEqual(['lvgl-sources', undefined])
  expect(deps).toEqual(sources)
  expect(sources?.identification).toMatchObject({ identity: {} })
})

function overrideOf(name: string, cpe: string): PackageOverride {
  return {
    id: name,
    selector: { purl: null, cpe: null, name, version: null },
    purls: [],
    cpes: [cpe],
    version: null,
    ignored: false,
    reason: null,
    madeFor: null,
  }
}

it('Zephyr without repository is looked up by its name, not by that of the part', () => {
  const lines = packageLines('zephyr-sources', `PackageVersion: ${COMMIT}-off`)

  const component = find(componentsOf({ document: 'zephyr', lines }), 'zephyr-sources')

  expect(identified(component)).toMatchObject({
    keys: expect.arrayContaining(['cpe:zephyrproject:zephyr']) as unknown,
    reason: 'version is a commit',
  })
  expect(explainIdentity(component, undefined).steps.map(({ text }) => text)).toContain(
    `It is built from zephyr ${COMMIT}-off.`,
  )
})

it('the application is not a product that is called app', () => {
  const lines = packageLines('app-sources', 'PackageVersion: 1.0.0')

  const [component] = componentsOf({ document: 'app', lines })

  expect(component?.builtFrom).toBeUndefined()
})

it('documents of other tools are not read so', () => {
  const lines = sourcesOf('mbedtls')

  const [component] = componentsOf({ document: 'zephyr', lines, creator: 'another' })

  expect(component?.builtFrom).toBeUndefined()
})

const FILE = (name: string) => [`FileName: ./${name}`, `SPDXID: SPDXRef-File-${name}`]
const BUILD = [
  `ExternalDocumentRef: DocumentRef-zephyr http://spdx.org/spdxdocs/zephyr-0/zephyr SHA1: ${COMMIT}`,
  ...packageLines('kernel'),
  ...FILE('libkernel.a'),
  'Relationship: SPDXRef-File-libkernel.a GENERATED_FROM DocumentRef-zephyr:SPDXRef-File-init.c',
  ...packageLines('offsets'),
  ...FILE('liboffsets.a'),
  ...packageLines('menuconfig'),
]

it('a library is made of components that are listed; a target without files is not in the firmware', () => {
  const components = componentsOf(
    { document: 'build', lines: BUILD },
    { document: 'zephyr', lines: [...sourcesOf('zephyr'), ...FILE('init.c')] },
  )

  const reasons = ['kernel', 'offsets', 'menuconfig'].map(
    (name) => identified(find(components, name)).reason,
  )

  expect(reasons).toEqual(['built from other components', 'no identifier', 'scope build'])
})

it('a library whose sources are in no document is not judged by them', () => {
  const components = componentsOf({ document: 'build', lines: BUILD })

  expect(identified(find(components, 'kernel')).reason).toBe('no identifier')
})

describeWithSharedData('builds of Zephyr', (folder) => {
  it.each([
    {
      documents: ['app.jsonld', 'build.jsonld', 'modules-deps.jsonld', 'zephyr.jsonld.gz'],
      directory: 'zephyr-west-spdx3',
      expected: {
        matched: 15,
        'version is a commit': 181,
        'scope build': 45,
        'built from other components': 27,
        'no identifier': 4,
      },
    },
    {
      documents: ['app.spdx', 'modules-deps.spdx', 'zephyr.spdx'],
      directory: 'zephyr-west-spdx-astarte',
      expected: { matched: 2, 'version is a commit': 5, 'no identifier': 1 },
    },
    {
      documents: ['app', 'build', 'zephyr'].map((name) => `zephyr-hello-world__spdx__${name}.spdx`),
      directory: 'zephyr-west-spdx22-plugfest',
      expected: { 'no identifier': 3, 'built from other components': 19, 'scope build': 31 },
    },
  ])('$directory says $expected', ({ documents, directory, expected }) => {
    const files = documents.map((name) =>
      readFileSync(`${folder}/sbom/firmware/${directory}/${name}`),
    )

    const components = parseSboms(files).flatMap((sbom) => sbom.components)

    const reasons = components.map((component) => identified(component).reason ?? 'matched')
    const counts = Map.groupBy(reasons, (reason) => reason)
    expect(Object.fromEntries([...counts].map(([reason, all]) => [reason, all.length]))).toEqual(
      expected,
    )
  })
})
