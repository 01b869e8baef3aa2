/** Which release cycles the components of real SBOMs belong to, by what their projects say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { SUPPORT_FACTS } from '../../../test/support-facts.ts'
import { identifyPackage, type IdentifiableComponent } from '../identity.ts'
import { parseSboms } from '../sboms/parse.ts'
import { matchSupport } from './match.ts'
import { listProductKeys } from './names.ts'
import { parseSupportProduct } from './product.ts'

const PRODUCTS = SUPPORT_FACTS.map((stated) => {
  const parsed = parseSupportProduct(stated)
  if (!parsed.ok) throw new Error(parsed.reason)
  const { name: product, cycles } = parsed.value
  return { product, cycles, keys: new Set(listProductKeys(parsed.value)), isGone: false }
})

function findMatch(component: IdentifiableComponent) {
  const identified = identifyPackage(component)
  return 'identity' in identified ? matchSupport(identified.identity, PRODUCTS) : undefined
}

/** `openssl 3.2`, `openssl: not known`, or undefined for a product that none of the facts is about. */
function describeMatch(component: IdentifiableComponent): string | undefined {
  const match = findMatch(component)
  if (match === undefined) return undefined
  return match.cycle === undefined
    ? `${match.product}: not known`
    : `${match.product} ${match.cycle}`
}

function givenComponent(names: { name?: string; version?: string; purl?: string; cpe?: string }) {
  return {
    vendor: undefined,
    packageName: names.name ?? 'x',
    version: names.version,
    purl: names.purl,
    cpes: names.cpe === undefined ? [] : [names.cpe],
    scope: undefined,
    builtFrom: undefined,
  }
}

it.each`
  stated                                                                     | expected               | because
  ${{ cpe: 'cpe:2.3:*:*:node.js:20.11.0:*:*:*:*:*:*:*' }}                    | ${'nodejs 20'}         | ${'the recipe of OpenEmbedded names it so'}
  ${{ purl: 'pkg:generic/node@18.19.0' }}                                    | ${'nodejs 18'}         | ${'the source names this purl'}
  ${{ purl: 'pkg:docker/library/node@22-alpine' }}                           | ${'nodejs 22'}         | ${'the tag begins with the version'}
  ${{ purl: 'pkg:npm/node@20.1.0' }}                                         | ${undefined}           | ${'a package of npm is another thing'}
  ${{ purl: 'pkg:cargo/openssl@3.0.1' }}                                     | ${undefined}           | ${'the crate is a binding with versions of its own'}
  ${{ purl: 'pkg:github/zephyrproject-rtos/zephyr@v3.7.0' }}                 | ${'zephyr 3.7'}        | ${'west states tags like this'}
  ${{ cpe: 'cpe:2.3:o:zephyrproject:zephyr:3.6.0:-:*:*:*:*:*:*' }}           | ${'zephyr: not known'} | ${'3.6 is not among the cycles'}
  ${{ cpe: 'cpe:2.3:a:linuxfoundation:yocto:4.0.21:*:*:*:*:*:*:*' }}         | ${'yocto 4.0'}         | ${'the release is stated as a component'}
  ${{ purl: 'pkg:deb/debian/openssl@1.1.1n-0%2Bdeb11u5?distro=debian-11' }}  | ${'debian 11'}         | ${'Debian repairs what it builds'}
  ${{ purl: 'pkg:deb/debian/python3@3.7.3-1?distro=debian-10' }}             | ${'debian 10'}         | ${'also where the source names the package for Python'}
  ${{ purl: 'pkg:deb/debian/zlib1g@1.2.11' }}                                | ${'debian: not known'} | ${'the release is not stated'}
  ${{ purl: 'pkg:deb/debian/nodejs@18.19.0-1nodesource1?distro=debian-12' }} | ${undefined}           | ${'another builder follows dates of its own'}
  ${{ purl: 'pkg:apk/alpine/openssl@3.0.8-r3?distro=alpine-3.17.3' }}        | ${'alpine-linux 3.17'} | ${'Alpine repairs what it builds'}
  ${{ purl: 'pkg:apk/wolfi/openssl@3.6.0-r1?distro=wolfi' }}                 | ${undefined}           | ${'the source does not list Wolfi, and upstream does not decide'}
`('$expected: $because', ({ stated, expected }) => {
  expect(describeMatch(givenComponent(stated as Parameters<typeof givenComponent>[0]))).toBe(
    expected,
  )
})

describeWithSharedData('SBOMs of firmware and images', (folder) => {
  /** Each answer once, sorted, of the components that any product is about. */
  const answersOf = (...paths: string[]) => {
    const documents = parseSboms(paths.map((path) => readFileSync(join(folder, 'sbom', path))))
    const all = documents.flatMap(({ components }) => components)
    return [...new Set(all.flatMap((one) => describeMatch(one) ?? []))].toSorted()
  }

  it.each`
    path                                                                                                                                                                                                   | expected
    ${'firmware/yocto-spdx22-rootfs/cyclonedx-bom.json'}                                                                                                                                                   | ${['linux 6.6', 'openssl 3.2', 'python 3.12']}
    ${'firmware/yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz'}                                                                                                    | ${['linux 6.12', 'linux: not known', 'openssl 3.4']}
    ${'firmware/uefi-firmware-houdini91/sbom.cdx.json'}                                                                                                                                                    | ${['openssl 3.5']}
    ${'firmware/linux-kernel-spdx3/sbom-output.spdx.json'}                                                                                                                                                 | ${['linux: not known']}
    ${'firmware/zephyr-west-spdx-astarte/zephyr.spdx'}                                                                                                                                                     | ${['zephyr: not known']}
    ${'cyclonedx-json/anthonyharrison__lib4sbom/testapp.json'}                                                                                                                                             | ${['openssl 3.6', 'python 3.13']}
    ${'cyclonedx-json/aboutcode-org__scancode.io/scanpipe__tests__data__integrations-sca__anchore-alpine-3.17-sbom.json'}                                                                                  | ${['alpine-linux 3.17']}
    ${'spdx2-json/spdx__tools-python/tests__spdx__data__invalid__spdx-trivy-vmware_log-intelligence-fluentd-sha256_086af034f561f343f633be9d9f9e95f65ae6c61b8ddb2c6755ef5bb25b40f53a.json'}                 | ${['debian 10']}
    ${'spdx2-json/chainguard-dev__bom-shelter/in-the-lab__spdx-popular-containers__data__spdx-trivy-bitnami_consul-exporter-sha256_435adf537e68b1e7dcacb124aea3becb7bd5c9489d104e686aa538bf3f0655de.json'} | ${['debian 11']}
  `('$path: $expected', ({ path, expected }) => {
    expect(answersOf(path as string)).toEqual(expected)
  })
})
