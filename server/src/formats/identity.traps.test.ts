/** What real documents have that a plain reading of identifiers gets wrong, each on the real file. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../test/shared-data.ts'
import { identifyPackage } from './identity.ts'
import { parseSboms } from './sboms/parse.ts'
import type { DeclaredComponent } from './sboms/model.ts'

const idOf = (component: DeclaredComponent) => {
  const result = identifyPackage(component)
  return 'identity' in result ? result.identity.id : undefined
}
const pairsOf = (component: DeclaredComponent | undefined) => {
  const result = component && identifyPackage(component)
  return result && 'identity' in result ? result.identity.pairs : []
}
const keysOf = (component: DeclaredComponent | undefined) =>
  pairsOf(component).map(({ key }) => key)
const versionsOf = (component: DeclaredComponent | undefined) => [
  ...new Set(pairsOf(component).map(({ version }) => version)),
]

describeWithSharedData('SBOMs of firmware', (folder) => {
  const firmware = join(folder, 'sbom/firmware')
  const componentsOf = (...files: string[]) =>
    parseSboms(files.map((file) => readFileSync(join(firmware, file)))).flatMap(
      ({ components }) => components,
    )

  describe('Yocto, SPDX 3', () => {
    const all = componentsOf(
      'yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz',
    )
    const named = (name: string) => all.find(({ packageName }) => packageName === name)

    it('CPEs with part and vendor * reach the vendor the table of names knows', () => {
      expect(named('libacl1')?.cpes).toEqual(['cpe:2.3:*:*:acl:2.3.2:*:*:*:*:*:*:*'])
      expect(keysOf(named('libacl1'))).toContain('cpe:acl_project:acl')
      expect(keysOf(named('libkmod2'))).toContain('cpe:kernel:kmod')
      expect(keysOf(named('liblzma5'))).toContain('cpe:tukaani:xz')
    })

    it('CPEs with part and vendor * of what it does not know are of any vendor', () => {
      expect(keysOf(named('sysvinit'))).toEqual(['cpe:*:sysvinit'])
    })

    it('sub-packages of one kernel, with seven CPEs each, are one package', () => {
      const kernels = all.filter(({ cpes }) => cpes.some((cpe) => cpe.includes(':linux_kernel:')))

      expect(kernels.length).toBeGreaterThan(3)
      expect(new Set(kernels.map(idOf)).size).toBe(1)
      expect(versionsOf(kernels[0])).toEqual(['6.12.38'])
    })

    it('versions with +git are those of the CPE beside them', () => {
      expect(named('libc6')?.version).toBe('2.41+git')
      expect(versionsOf(named('libc6'))).toEqual(['2.41'])
    })
  })

  describe('Yocto, SPDX 2.2', () => {
    const all = componentsOf('yocto-spdx22-rootfs/example.rootfs.spdx.tar.zst')

    it('build packages are not matched, though they have CPEs', () => {
      const builds = all.filter(
        ({ packageName, cpes }) => /-native$|-cross-/.test(packageName) && cpes.length > 0,
      )

      expect(builds.map(({ packageName }) => packageName)).toEqual(
        expect.arrayContaining(['m4-native', 'gcc-cross-arm']),
      )
      for (const one of builds)
        expect(identifyPackage(one)).toEqual({ notMatchedReason: 'scope build' })
    })

    it('installed packages without identifiers are what their recipe is', () => {
      const installed = all.filter(
        ({ purl, cpes, builtFrom }) => !purl && !cpes.length && builtFrom,
      )

      expect(installed.length).toBeGreaterThan(30)
      for (const one of installed) {
        const recipe = all.find(
          ({ packageName, version, cpes, scope }) =>
            packageName === one.builtFrom?.packageName &&
            version === one.builtFrom.version &&
            cpes.length > 0 &&
            scope === undefined,
        )
        expect(idOf(one)).toBe(recipe && idOf(recipe))
      }
      expect(keysOf(installed.find(({ packageName }) => packageName === 'libcrypto3'))).toContain(
        'cpe:openssl:openssl',
      )
    })
  })

  it('Yocto, CycloneDX: six names of curl are one package, and a purl beside its CPE adds none', () => {
    const all = componentsOf('yocto-spdx22-rootfs/cyclonedx-bom.json')
    const curls = all.filter(({ packageName }) => packageName.endsWith('curl'))

    expect(curls.length).toBe(6)
    expect(new Set(curls.map(idOf)).size).toBe(1)
    expect(keysOf(all.find(({ packageName }) => packageName === 'libunistring'))).toEqual([
      'cpe:*:libunistring',
    ])
  })

  describe('Zephyr', () => {
    it('packages without a version have that of their CPE', () => {
      const all = componentsOf(
        ...['app', 'build', 'modules-deps'].map((name) => `zephyr-west-spdx3/${name}.jsonld`),
        'zephyr-west-spdx3/zephyr.jsonld.gz',
      )
      const bare = all.filter(({ version, cpes }) => version === undefined && cpes.length > 0)

      expect(bare.length).toBeGreaterThan(0)
      for (const one of bare) {
        const stated = one.cpes[0]?.split(':')[5]
        expect(versionsOf(one)).toContain(stated)
        expect(identifyPackage(one).notMatchedReason).toBeUndefined()
      }
    })

    it('modules have GitHub purls whose tags are versions, which their checkouts share', () => {
      const all = componentsOf(
        ...['app', 'modules-deps', 'zephyr'].map((name) => `zephyr-west-spdx-astarte/${name}.spdx`),
      )
      const named = (name: string) => all.find(({ packageName }) => packageName === name)

      expect(named('mbed_tls')?.purl).toBe('pkg:github/Mbed-TLS/mbedtls@v3.6.4')
      const commit = 'f4c0283ca55fc4085815d4793a26e19f20be2f97'
      expect(versionsOf(named('mbed_tls'))).toEqual(['3.6.4', commit])
      expect(versionsOf(named('mbedtls-sources'))).toEqual(['3.6.4', commit])
    })
  })

  it.each`
    file                                                                             | name                   | version
    ${'freertos-kernel-11.2.0/sbom.spdx'}                                            | ${'FreeRTOS-Kernel'}   | ${'11.2.0'}
    ${'freertos-plus-tcp-4.3.4/sbom.spdx'}                                           | ${'FreeRTOS-Plus-TCP'} | ${'4.3.4'}
    ${'coremqtt-2.3.1/sbom.spdx'}                                                    | ${'coreMQTT'}          | ${'2.3.1'}
    ${'aws-iot-ota-3.4.1/sbom.spdx'}                                                 | ${'tinycbor'}          | ${'0.5.4'}
    ${'freertos-kernel-11.3.0/FreeRTOS-Kernel-V11.3.0-repository-SPDX2.3.spdx.json'} | ${'FreeRTOS-Kernel'}   | ${'11.3.0'}
  `('$name of $file: the tag is version $version', ({ file, name, version }) => {
    const component = componentsOf(String(file)).find(({ packageName }) => packageName === name)

    expect(component?.version).not.toBe(version)
    expect(versionsOf(component)).toEqual([version])
  })
})

describeWithSharedData('SBOMs of distributions', (folder) => {
  const large = join(folder, 'sbom/large')
  const componentsOf = (file: string) =>
    parseSboms([readFileSync(join(large, file))]).flatMap(({ components }) => components)

  it('el8: binaries of one source rpm are one package where the table of names knows it', () => {
    const all = componentsOf(
      'chainguard-dev__bom-shelter/in-the-lab__spdx-popular-containers__data__spdx-syft-percona_percona-server-mongodb-sha256_947f2557787e20b36345d5aa9c9ca42bbc00f3e4d97a445e46ebb2cf8e49def8.json.gz',
    )
    const sourceOf = (purl = '') => /[?&]upstream=([^&]+)/.exec(purl)?.[1]

    for (const source of ['curl-7.61.1-25.el8', 'glibc-2.28-211.0.1.el8']) {
      const binaries = all.filter(({ purl }) => sourceOf(purl) === `${source}.src.rpm`)
      expect(binaries.length).toBeGreaterThan(1)
      expect(new Set(binaries.map(idOf)).size).toBe(1)
    }
    const openldap = all.find(({ packageName }) => packageName === 'openldap')
    expect(keysOf(openldap).filter((key) => key.startsWith('cpe:'))).toEqual([
      'cpe:openldap:openldap',
    ])
  })

  it('Debian: binaries reach upstream’s CPE through their source', () => {
    const all = componentsOf('guacsec__guac-data/top-dh-sboms__hylang.json.gz')
    const binary = all.find(({ packageName }) => packageName === 'libssl1.1')

    expect(binary?.purl).toContain('upstream=openssl')
    expect(keysOf(binary)).toEqual(
      expect.arrayContaining(['purl:deb/debian/openssl', 'cpe:openssl:openssl']),
    )
    const program = all.find(({ packageName }) => packageName === 'openssl')
    expect(program && idOf(program)).toBe(binary && idOf(binary))
  })
})
