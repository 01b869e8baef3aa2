/** Every SBOM of the shared data: what reads, what fails and how, and what is found in the ones that matter most. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { EDGE } from './document.ts'
import type { ParsedDocument } from './draft.ts'
import type { LinkedSbom } from './model.ts'
import { parseSbom, parseSboms } from './parse.ts'
import { findPathsToRoot } from './paths.ts'
import { SbomError } from './sbom-error.ts'

interface Row {
  path: string
  format: string
  components: string
  purls: string
  cpes: string
  pythonParse: string
  nameHint: string
}

function readIndex(folder: string): Row[] {
  if (folder === '') return []
  const lines = readFileSync(`${folder}/sbom/INDEX.tsv`, 'utf8').trim().split('\n').slice(1)
  return lines.map((line) => {
    const [
      path = '',
      format = '',
      ,
      components = '',
      purls = '',
      cpes = '',
      ,
      pythonParse = '',
      nameHint = '',
    ] = line.split('\t')
    return { path, format, components, purls, cpes, pythonParse, nameHint }
  })
}

/** Path, or the end of paths, → the exact message. */
const FAILURES: readonly (readonly [RegExp, string])[] = [
  [
    /\.(?:spdx\.)?ya?ml$|__yaml-format$/,
    'The file is SPDX or CycloneDX in YAML, which is not read. Convert it to JSON.',
  ],
  [/SPDX2\.3\.spdx\.xml$/, 'The file is SPDX in XML, which is not read. Convert it to JSON.'],
  [
    /invalid-bomformat-1\.\d\.json$/,
    'The property bomFormat is "AnotherFormat" instead of "CycloneDX".',
  ],
  [
    /exampledata__invalid-cyclonedx\.json$/,
    'The property bomFormat is "CDX" instead of "CycloneDX".',
  ],
  [
    /exampledata__invalid-spdx\.json$/,
    'The value of spdxVersion is not a text of the form "SPDX-2.3".',
  ],
  [
    /cdx-1-3-syntax-err-1\.json$/,
    'The JSON is broken. Line 6, column 18: expected a colon after the property name, found "{".',
  ],
  [
    /powershell-2\.2\.6\.spdx\.json$/,
    'The JSON is broken. Line 2765, column 1: expected the end of the document, found "C".',
  ],
  [
    /xxe-protection\.xml$/,
    'The XML has a DOCTYPE; document types and their entities are refused. Remove the DOCTYPE.',
  ],
  [
    /issue214-expected-output\.xml$/,
    'The namespace "http://cyclonedx.org/schema/bom/${specVersion}" names no CycloneDX version.',
  ],
  [
    /missing_component_name__SPDXJsonExample\.json$/,
    'The JSON document is SPDX wrapped in "Document", a form of SPDX 2.1 that is not read.',
  ],
]

/**
 * The index counts every <components> of XML files, also those of formulations and of tools inside them, which are no
 * components (docs/design/matching.md, parsing); of the same documents in JSON it counts them as it is done here.
 */
const COUNTED_MORE_IN_INDEX =
  /(?:valid-formulation-1\.[567]|specification\/.*valid-vulnerability-1\.[567]|valid-vulnerability-tool-1\.6|valid-citations-1\.7|resources__bom-1\.5)\.xml$/

describeWithSharedData('real SBOMs', (folder) => {
  const rows = readIndex(folder)
  const bytesOf = (path: string) => readFileSync(`${folder}/${path}`)
  const failureOf = ({ path }: Row) => FAILURES.find(([pattern]) => pattern.test(path))?.[1]

  it.each(rows.filter((row) => failureOf(row) === undefined))(
    '$path parses, with the counts of the index',
    (row) => {
      const document = parseSbom(bytesOf(row.path))
      const own = componentsBesidesRoot(document, row.format)

      expect(row.pythonParse).toBe('ok')
      const counts = [
        own.length,
        own.filter(({ purl }) => purl !== undefined).length,
        own.filter(({ cpes }) => cpes.length > 0).length,
      ]
      const wanted = [row.components, row.purls, row.cpes].map(Number)
      if (COUNTED_MORE_IN_INDEX.test(row.path)) expect(counts[0]).toBeLessThan(wanted[0] ?? 0)
      else expect(counts).toEqual(wanted)
    },
  )

  it.each(rows.filter((row) => failureOf(row) !== undefined))(
    '$path fails with its message',
    (row) => {
      expect(() => parseSboms([bytesOf(row.path)])).toThrow(failureOf(row))
      expect(() => parseSboms([bytesOf(row.path)])).toThrow(SbomError)
    },
  )

  it.each`
    file                            | message
    ${'bomb.bz2'}                   | ${'The file is bzip2-compressed, which is not read. Use gzip or zstd.'}
    ${'compressed/simple.json.bz2'} | ${'The file is bzip2-compressed, which is not read. Use gzip or zstd.'}
    ${'compressed/simple.json.xz'}  | ${'The file is xz-compressed, which is not read. Use gzip or zstd.'}
    ${'indigestable.json'}          | ${'The JSON document is not an SBOM: it has no "bomFormat" (CycloneDX), no "spdxVersion" (SPDX 2) and no SPDX 3 "@context".'}
  `(
    'adversarial/$file fails: $message',
    ({ file, message }: Record<'file' | 'message', string>) => {
      expect(() => parseSboms([bytesOf(`sbom/adversarial/${file}`)])).toThrow(message)
    },
  )

  it('adversarial/compressed/simple.json.gz parses', () => {
    expect(
      parseSbom(bytesOf('sbom/adversarial/compressed/simple.json.gz')).components.length,
    ).toBeGreaterThan(0)
  })
})

/** The index leaves out metadata.component and what is nested in it. */
function componentsBesidesRoot(document: ParsedDocument, format: string) {
  if (!format.startsWith('cdx')) return document.components
  const left = new Set(document.roots)
  const { count, from, to, kind } = document.edges
  for (let i = 0; i < count; i++)
    if (kind[i] === EDGE.contains && left.has(from[i] ?? -1)) left.add(to[i] ?? -1)
  const nodes = new Set([...left].map((element) => document.elements[element]))
  return document.components.filter(({ node }) => !nodes.has(node))
}

/** What the name of an official invalid document says is wrong → what must be told. */
const FAULTS: readonly (readonly [RegExp, RegExp])[] = [
  [/invalid-component-ref/, /^(?:Empty bom-ref|Several elements share an id)/],
  [/invalid-component-swid/, /^SWID tag without tagId/],
  [/invalid-component-type/, /^Component type unknown/],
  [/missing-component-type/, /^Component without type/],
  [/invalid-dependency/, /^Dependency without ref/],
  [/invalid-empty-component/, /^Component without name/],
  [/invalid-hash-alg/, /^Unknown hash algorithm.*"FOO"/],
  [/invalid-hash-(?:md5|sha)/, /^Hash value that does not fit.*"foo"/],
  [/invalid-issue-type/, /^Unknown issue type/],
  [/invalid-patch-type/, /^Unknown patch type/],
  [
    /invalid-license-choice-1|declared-concluded-mix/,
    /^Licence (?:entry that is not either|expression beside)/,
  ],
  [/license-choice-oneof/, /^Licence without id and name, or with both/],
  [/invalid-license-encoding/, /^Unknown encoding of a licence text.*"base85"/],
  [/invalid-(?:spdx-)?license-id-count/, /^Element that may stand once only.*"id"/],
  [/invalid-license-name-count/, /^Element that may stand once only.*"name"/],
  [/invalid-(?:spdx-)?license-id[-.]|license-policy-invalid-spdx-id/, /^Unknown SPDX licence id/],
  [/invalid-license-missing-id-and-name/, /^Licence without id and name/],
  [
    /invalid-metadata-distribution/,
    /^Unknown (?:property of a metadata object|element).*distribution/,
  ],
  [/invalid-metadata-timestamp/, /^The timestamp is not a date and time/],
  [/invalid-namespace/, /^Unknown CycloneDX version/],
  [/invalid-properties/, /^Entry of "properties" without name/],
  [/invalid-serialnumber/, /^The serialNumber is not of the form/],
  [/invalid-service-data/, /^Unknown data flow direction/],
  [
    /invalid-citations/,
    /^(?:Citation (?:without|with)|Element that may stand once only.*"attributedTo")/,
  ],
  [/external-version-and-range/, /^Component with both version and versionRange/],
  [/versionRange-non-external/, /^Component with versionRange that is not external/],
  [/bom-1\.4-invalid/, /^Unknown property of a BOM.*"invalidAttribute"/],
  [/invalid-email-format/, /^Not an e-mail address/],
  [/spec-version-invalid/, /^Unknown CycloneDX version/],
  [/BadJSON/, /^The value of creators is not a list of texts/],
  [/spdx-trivy-vmware/, /./],
]

/** Tests of policies and of what later versions deprecate: the documents follow the standard. */
const NO_FAULT =
  /disclaimer-missing|license-policy-invalid-license-name|invalid-license-name-has-expression/

describeWithSharedData('official invalid documents', (folder) => {
  const official = readIndex(folder).filter(
    ({ path, nameHint }) =>
      nameHint === 'invalid' &&
      /\/(?:CycloneDX|spdx)__(?:specification|cyclonedx-core-java|cyclonedx-cli|sbom-utility|tools-)/.test(
        path,
      ),
  )

  it.each(official)('$path fails, or succeeds with a warning that names the fault', ({ path }) => {
    const bytes = readFileSync(`${folder}/${path}`)
    const isFailure = FAILURES.some(([pattern]) => pattern.test(path))
    const warnings = isFailure ? [] : (parseSboms([bytes])[0]?.warnings ?? [])
    const expected = FAULTS.find(([pattern]) => pattern.test(path))?.[1]

    if (isFailure) expect(() => parseSboms([bytes])).toThrow(SbomError)
    else if (NO_FAULT.test(path)) expect(warnings).toEqual([])
    else {
      expect(expected).toBeDefined()
      expect(warnings.some((warning) => expected?.test(warning))).toBe(true)
    }
  })

  const valid = readIndex(folder).filter(
    ({ path, nameHint }) => nameHint === 'valid' && path.includes('CycloneDX__specification/'),
  )

  it.each(valid)('the valid $path is told no fault against the standard', ({ path }) => {
    const [sbom] = parseSboms([readFileSync(`${folder}/${path}`)])
    // The standard allows these three, and a person should know of them all the same.
    const allowed =
      /^(?:The document declares no components|Dependency on itself|Dependency names a bom-ref that no element has)/

    expect(sbom?.warnings.filter((warning) => !allowed.test(warning))).toEqual([])
  })
})

describeWithSharedData('SBOMs of firmware', (folder) => {
  const link = (...paths: string[]): LinkedSbom[] =>
    parseSboms(paths.map((path) => readFileSync(`${folder}/sbom/firmware/${path}`)))
  const pathsOf = (sbom: LinkedSbom | undefined, name: string): string[][] => {
    const nodes = new Map(sbom?.nodes.map((node) => [node.node, node]))
    const component = sbom?.components.find(({ packageName }) => packageName === name)
    const node = nodes.get(component?.node ?? -1)
    return node ? findPathsToRoot(node, nodes) : []
  }
  const scopesOf = (sbom: LinkedSbom | undefined) =>
    Object.groupBy(sbom?.components ?? [], ({ scope }) => scope ?? 'ships')
  const unreached = (sbom: LinkedSbom | undefined) =>
    sbom?.nodes.slice(0, sbom.components.length).filter(({ distance }) => distance === undefined) ??
    []

  describe('of Yocto', () => {
    it('SPDX 3: the image leads to what is installed, and to sources as what it is built from', () => {
      const [image] = link(
        'yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz',
      )

      expect(image).toMatchObject({ format: 'Spdx3JsonLd', specVersion: '3.0.1', warnings: [] })
      expect(image).toMatchObject({ hasUnresolvedReferences: false })
      expect(pathsOf(image, 'libc6')).toContainEqual(['libc6@2.41+git', 'core-image-minimal'])
      expect(pathsOf(image, 'busybox')).toContainEqual([
        'busybox@1.37.0',
        'packagegroup-core-boot@1.0',
        'core-image-minimal',
      ])
      expect(unreached(image)).toEqual([])
      const { ships, build } = scopesOf(image)
      expect([ships?.length, build?.length]).toEqual([60, 82])
      expect(ships?.map(({ packageName }) => packageName)).toEqual(
        expect.arrayContaining(['core-image-minimal', 'libc6', 'busybox', 'libacl1']),
      )
    })

    it('SPDX 2.2: the archive is one SBOM whose root is the image, matched by its recipes', () => {
      const [image, ...more] = link('yocto-spdx22-rootfs/example.rootfs.spdx.tar.zst')

      expect(more).toEqual([])
      expect(image).toMatchObject({ format: 'Spdx2Json', specVersion: '2.2', warnings: [] })
      expect(image).toMatchObject({ hasUnresolvedReferences: false, hasExternalReferences: false })
      expect(image?.components).toHaveLength(201)
      expect(
        image?.nodes.filter(({ distance }) => distance === 0).map(({ label }) => label),
      ).toEqual(['core-image-minimal@1.0'])
      expect(unreached(image)).toEqual([])
      expect(pathsOf(image, 'libc6')).toEqual([['libc6@2.39+git', 'core-image-minimal@1.0']])
      const libc = image?.components.find(({ packageName }) => packageName === 'libc6')
      expect(libc).toMatchObject({
        vendor: 'OpenEmbedded',
        scope: undefined,
        cpes: [],
        builtFrom: {
          packageName: 'glibc',
          version: '2.39+git',
          cpes: ['cpe:2.3:*:*:glibc:2.39:*:*:*:*:*:*:*'],
        },
      })
      const curl = image?.components.find(({ packageName }) => packageName === 'curl-native')
      expect(curl?.scope).toBe('build')
    })
  })

  describe('of Zephyr', () => {
    const spdx3 = ['app.jsonld', 'build.jsonld', 'modules-deps.jsonld', 'zephyr.jsonld.gz'].map(
      (name) => `zephyr-west-spdx3/${name}`,
    )
    const spdx2 = ['app', 'build', 'zephyr'].map(
      (name) => `zephyr-west-spdx22-plugfest/zephyr-hello-world__spdx__${name}.spdx`,
    )

    it('SPDX 3: four files that share elements give paths from one into the other', () => {
      const [app, build, , zephyr] = link(...spdx3)
      const [appAlone] = link('zephyr-west-spdx3/app.jsonld')

      expect(pathsOf(appAlone, 'app-sources')).toEqual([['app-sources']])
      expect(pathsOf(app, 'app-sources')).toEqual([
        ['app-sources'],
        ['app-sources', 'app'],
        ['app-sources', 'zephyr_final'],
        ['app-sources', 'zephyr_pre0'],
      ])
      expect(app?.components).toHaveLength(1)
      expect(app?.nodes.slice(1).map(({ label }) => label)).toContain('zephyr_final')
      expect(pathsOf(zephyr, 'mbedtls-sources')[1]?.at(-1)).toBe('zephyr_final')
      expect(build?.warnings).toEqual([])
      expect(build?.components).toHaveLength(141)
    })

    it('SPDX 2 tag-value: references through DocumentRef resolve over the three files, and wait for them', () => {
      const [app, build, zephyr] = link(...spdx2)
      const [buildAlone] = link(spdx2[1] ?? '')

      expect(buildAlone).toMatchObject({
        hasUnresolvedReferences: true,
        hasExternalReferences: true,
      })
      expect(buildAlone?.warnings).toEqual([
        'Reference to an element that no SBOM given here declares: "SPDXRef-File-main.c" and 113 more.',
      ])
      expect(build).toMatchObject({ hasUnresolvedReferences: false, warnings: [] })
      expect(pathsOf(app, 'app-sources')).toEqual([
        ['app-sources'],
        ['app-sources', 'zephyr_final'],
        ['app-sources', 'app', 'zephyr_final'],
        ['app-sources', 'zephyr_prebuilt', 'zephyr_final'],
      ])
      expect(pathsOf(zephyr, 'zephyr-sources')[1]).toEqual(['zephyr-sources', 'zephyr_final'])
      expect(
        build?.nodes.filter(({ distance }) => distance === 0).map(({ label }) => label),
      ).toEqual(['zephyr_final'])
    })

    it('gives the same whatever the order of the files', () => {
      const forward = link(...spdx2)
      const backward = link(...spdx2.toReversed()).toReversed()

      const names = ['app-sources', 'zephyr', 'zephyr-sources']
      expect(backward.map((sbom) => names.map((name) => pathsOf(sbom, name)))).toEqual(
        forward.map((sbom) => names.map((name) => pathsOf(sbom, name))),
      )
    })
  })
})
