import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../test/shared-data.ts'
import { normalizedName } from './advisories/keys.ts'
import { identifyPackage, type IdentifiableComponent, listPackageKeys } from './identity.ts'
import { parseAliasTable } from './identity/alias-table.ts'
import { PRODUCT_ALIASES } from './identity/aliases.ts'
import type { ComponentIdentifiers } from './sboms/model.ts'
import { parseSboms } from './sboms/parse.ts'

const NOTHING: ComponentIdentifiers = {
  vendor: undefined,
  packageName: 'thing',
  version: undefined,
  purl: undefined,
  cpes: [],
}

function component(fields: Partial<IdentifiableComponent>): IdentifiableComponent {
  return { ...NOTHING, scope: undefined, builtFrom: undefined, ...fields }
}

function identified(fields: Partial<IdentifiableComponent>) {
  const result = identifyPackage(component(fields))
  if (!('identity' in result)) throw new Error(result.notMatchedReason)
  return result.identity
}

interface Words {
  vendor: string | undefined
  version: string
  expected: string[]
}

const pairsOf = (fields: Partial<IdentifiableComponent>) =>
  identified(fields).pairs.map(({ key, version }) => `${key} ${version}`)

const COMMIT = '0123456789abcdef0123456789abcdef01234567'
const cpe = (name: string) => `cpe:2.3:${name}:*:*:*:*:*:*`

describe('the names of a package', () => {
  it.each`
    purl                                                                                          | pairs
    ${'pkg:npm/%40angular/core@15.0.0'}                                                           | ${['purl:npm/@angular/core 15.0.0']}
    ${'pkg:pypi/Django@4.2'}                                                                      | ${['purl:pypi/django 4.2']}
    ${'pkg:golang/github.com/Masterminds/semver/v3@v3.2.0'}                                       | ${['purl:golang/github.com/masterminds/semver/v3 v3.2.0']}
    ${'pkg:github/acme/thing@thing-v1.2.3'}                                                       | ${['purl:github/acme/thing 1.2.3', 'repo:github.com/acme/thing 1.2.3']}
    ${'pkg:github/acme/thing@0123456789ABCDEF0123456789abcdef01234567'}                           | ${['purl:github/acme/thing 0123456789abcdef0123456789abcdef01234567', 'repo:github.com/acme/thing 0123456789abcdef0123456789abcdef01234567']}
    ${'pkg:deb/debian/libthing1.1@1.1.1n-0%2Bdeb11u3?arch=amd64&upstream=thing&distro=debian-11'} | ${['cpe:*:thing 1.1.1n', 'purl:deb/debian/thing 1.1.1n-0+deb11u3']}
    ${'pkg:deb/debian/libthing6@2.31-13%2Bb2?upstream=thing%402.31-13'}                           | ${['cpe:*:thing 2.31', 'purl:deb/debian/thing 2.31-13']}
    ${'pkg:deb/debian/thing@1.37.0-6%2Bb7?epoch=1'}                                               | ${['cpe:*:thing 1.37.0', 'purl:deb/debian/thing 1:1.37.0-6+b7']}
    ${'pkg:rpm/redhat/thing-libs@1.1.1k-5.el8?epoch=1&upstream=thing-1.1.1k-5.el8.src.rpm'}       | ${['cpe:*:thing 1.1.1k', 'purl:rpm/redhat/thing 1:1.1.1k-5.el8', 'purl:rpm/redhat/thing-libs 1:1.1.1k-5.el8']}
    ${'pkg:alpine/libthing3@3.1.0-r0?upstream=thing&distro=alpine-3.18.2'}                        | ${['cpe:*:thing 3.1.0', 'purl:apk/alpine/thing 3.1.0-r0']}
    ${'pkg:generic/thing@1.2?vcs_url=git%2Bhttps://example.org/thing.git%40v1.2'}                 | ${['purl:generic/thing 1.2', 'repo:example.org/thing 1.2']}
    ${'pkg:yocto/core/thing@2.3.2-r0'}                                                            | ${['cpe:*:thing 2.3.2']}
    ${'pkg:git@github/acme/thing@v1.0.0'}                                                         | ${['purl:github/acme/thing 1.0.0', 'repo:github.com/acme/thing 1.0.0']}
    ${'pkg:github.com/acme/thing@v1.0.0'}                                                         | ${['purl:github/acme/thing 1.0.0', 'repo:github.com/acme/thing 1.0.0']}
    ${'pkg:git.example.org/group/thing@v1.0.0'}                                                   | ${['purl:generic/group/thing 1.0.0', 'repo:git.example.org/group/thing 1.0.0']}
  `('of $purl are $pairs', ({ purl, pairs }: { purl: string; pairs: string[] }) => {
    expect(pairsOf({ purl })).toEqual(pairs)
  })

  it('are each of the version the identifier states, else of the declared one', () => {
    const pairs = pairsOf({
      version: '9.9',
      purl: 'pkg:npm/thing@1.0.0',
      cpes: [cpe('a:acme:thing:2.0:*'), cpe('a:acme:other:*:*')],
    })

    expect(pairs).toEqual(['cpe:acme:other 9.9', 'cpe:acme:thing 2.0', 'purl:npm/thing 1.0.0'])
  })

  it('leave out the revision a distribution adds where a CPE repeats it', () => {
    const pairs = pairsOf({
      purl: 'pkg:deb/debian/thing@1:1.1.1k-1%2Bdeb11u1',
      cpes: ['cpe:2.3:a:thing:thing:1\\:1.1.1k-1\\+deb11u1:*:*:*:*:*:*:*'],
    })

    expect(pairs).toContain('cpe:thing:thing 1.1.1k')
  })

  it.each`
    vendor         | version     | expected
    ${'Acme Inc.'} | ${'v1.2.3'} | ${['name:acme/thing 1.2.3']}
    ${undefined}   | ${'1.2.3'}  | ${['name:*/thing 1.2.3']}
  `('are words only where nothing else is said', ({ vendor, version, expected }: Words) => {
    expect(pairsOf({ vendor, version })).toEqual(expected)
    expect(pairsOf({ vendor, version, purl: 'pkg:npm/thing@1.2.3' })).toEqual([
      'purl:npm/thing 1.2.3',
    ])
  })

  it('come from the repository a download location names', () => {
    const location =
      'git+https://github.com/secomind/zlib-zephyr@db8d97ffb4767fcfe2ce1fe243fa215744f3e3d1'
    const archive = 'https://example.org/thing-1.0.tar.gz'

    expect(pairsOf({ downloadLocation: location })).toEqual([
      'repo:github.com/secomind/zlib-zephyr db8d97ffb4767fcfe2ce1fe243fa215744f3e3d1',
    ])
    expect(pairsOf({ version: '1.0', downloadLocation: archive })).toEqual(['name:*/thing 1.0'])
  })

  it('come from the source a component is built from', () => {
    const recipe = {
      ...NOTHING,
      packageName: 'thing',
      version: '2.3.2',
      cpes: [cpe('*:*:thing:2.3.2:*')],
    }

    const result = identifyPackage(
      component({ packageName: 'libthing1', version: '2.3.2-r0', builtFrom: recipe }),
    )

    expect(result).toMatchObject({
      sourceName: 'thing',
      identity: { pairs: [{ key: 'cpe:*:thing' }] },
    })
  })
})

describe('the alias table', () => {
  it('makes one package of all names of a product', () => {
    const declared = [
      { cpes: [cpe('a:arm:mbed_tls:3.6.4:*')] },
      { cpes: [cpe('a:trustedfirmware:mbed_tls:3.6.4:*')] },
      { purl: 'pkg:github/Mbed-TLS/mbedtls@v3.6.4' },
      { purl: 'pkg:generic/mbedtls@3.6.4', cpes: [cpe('*:*:mbedtls:3.6.4:*')] },
    ].map(identified)

    const [first, ...others] = declared
    expect(first?.pairs.map(({ key }) => key)).toEqual(
      expect.arrayContaining([
        'cpe:arm:mbed_tls',
        'cpe:trustedfirmware:mbed_tls',
        'repo:github.com/mbed-tls/mbedtls',
      ]),
    )
    for (const other of others.slice(0, 2)) expect(other).toEqual(first)
  })

  it.each`
    purl                                                 | expected
    ${'pkg:github/espressif/esp-idf@v5.1.2'}             | ${'cpe:espressif:esp-idf 5.1.2'}
    ${'pkg:github/zephyrproject-rtos/zephyr@v3.7.0'}     | ${'cpe:zephyrproject:zephyr 3.7.0'}
    ${'pkg:github/lwip-tcpip/lwip@STABLE-2_1_3_RELEASE'} | ${'cpe:lwip_project:lwip 2.1.3'}
    ${'pkg:github/FreeRTOS/FreeRTOS-Kernel@V10.4.3'}     | ${'cpe:amazon:freertos 10.4.3'}
    ${'pkg:github/wolfSSL/wolfssl@v5.7.0-stable'}        | ${'cpe:wolfssl:wolfssl 5.7.0'}
    ${'pkg:generic/dropbear@2022.83'}                    | ${'cpe:dropbear_ssh_project:dropbear_ssh 2022.83'}
    ${'pkg:buildroot/libcurl@8.5.0'}                     | ${'cpe:haxx:libcurl 8.5.0'}
    ${'pkg:conan/zlib@1.3.1'}                            | ${'cpe:zlib:zlib 1.3.1'}
  `('$purl is $expected', ({ purl, expected }: { purl: string; expected: string }) => {
    expect(pairsOf({ purl })).toContain(expected)
  })

  it('fills in the vendor an SBOM leaves out', () => {
    const keys = identified({ cpes: [cpe('*:*:busybox:1.37.0:*')] }).pairs.map(({ key }) => key)

    expect(keys).toContain('cpe:busybox:busybox')
    expect(keys).not.toContain('cpe:*:busybox')
  })

  it('takes a generic purl for another spelling of a name without a vendor', () => {
    const cpes = [cpe('*:*:linux_kernel:6.6.21:*')]

    const both = identified({ cpes, purl: 'pkg:generic/linux_kernel@6.6.21' })
    expect(both).toEqual(identified({ cpes }))
    expect(both.pairs).toContainEqual({
      key: 'purl:generic/linux_kernel',
      version: '6.6.21',
      identifier: 'pkg:generic/linux_kernel@6.6.21',
      alias: 'Linux kernel',
    })
  })

  it('leaves any vendor to a product whose CPE nobody has given yet', () => {
    const keys = identified({ cpes: [cpe('*:*:eudev:3.2.14:*')] }).pairs.map(({ key }) => key)

    expect(keys).toEqual(expect.arrayContaining(['cpe:*:eudev', 'purl:github/eudev-project/eudev']))
  })

  it('does not take a name of a vendor of its own for the product', () => {
    expect(pairsOf({ cpes: [cpe('a:acme:busybox:1.0:*')] })).toEqual(['cpe:acme:busybox 1.0'])
  })

  it('gives a commit to the names of a product where nothing else states a version', () => {
    const purl = `pkg:github/zephyrproject-rtos/zephyr@${COMMIT}`

    expect(pairsOf({ purl })).toContain(`cpe:zephyrproject:zephyr ${COMMIT}`)
    const released = pairsOf({ purl, cpes: [cpe('o:zephyrproject:zephyr:3.7.0:*')] })
    expect(released).toContain('cpe:zephyrproject:zephyr 3.7.0')
    expect(released).toContain(`repo:github.com/zephyrproject-rtos/zephyr ${COMMIT}`)
    expect(released).not.toContain(`cpe:zephyrproject:zephyr ${COMMIT}`)
  })

  it('knows hundreds of products, each by a source', () => {
    expect(PRODUCT_ALIASES.length).toBeGreaterThan(400)
    const faulty = PRODUCT_ALIASES.filter(
      ({ keys, source }) => keys.length === 0 || !/^https?:\/\//.test(source),
    )
    expect(faulty).toEqual([])
  })

  it('gives a name without a vendor to one product, but for what builds two', () => {
    const products = Map.groupBy(
      PRODUCT_ALIASES.flatMap(({ product, keys, from = [] }) =>
        [...new Set([...keys, ...from])].map((key) => ({ key, product })),
      ),
      ({ key }) => key,
    )
    const shared = [...products].filter(([, those]) => those.length > 1).map(([key]) => key)

    expect(shared.toSorted()).toEqual([
      'cpe:*:hostap',
      'package:wpa',
      'repo:w1.fi/git/hostap',
      'repo:w1.fi/hostap',
    ])
  })

  it('reads a line as what it says, and no line that says less', () => {
    expect(
      parseAliasTable(
        'A thing | acme:thing Acme_Inc./thing | acme/thing gitlab.com/a/b | thing | = th1 |',
      ),
    ).toEqual([
      {
        product: 'A thing',
        keys: [
          'cpe:acme:thing',
          'name:Acme_Inc./thing',
          'purl:github/acme/thing',
          'repo:github.com/acme/thing',
          'purl:gitlab/a/b',
          'repo:gitlab.com/a/b',
        ],
        from: ['cpe:*:thing', 'package:thing', 'package:th1'],
        source:
          'https://nvd.nist.gov/products/cpe/search/results?namingFormat=2.3&keyword=cpe:2.3:*:acme:thing',
      },
    ])
    expect(() => parseAliasTable('A thing | acme:thing')).toThrow('not a line')
    expect(() => parseAliasTable('A thing | | acme/thing | thing | |')).toThrow('no source')
  })

  it('spells every key as advisories do', () => {
    for (const { keys } of PRODUCT_ALIASES)
      for (const key of keys) {
        expect(key).toBe(key.toLowerCase())
        const [, vendor = '', product = ''] = /^name:([^/]*)\/(.*)$/.exec(key) ?? []
        if (key.startsWith('name:'))
          expect(`name:${normalizedName(vendor) ?? ''}/${normalizedName(product) ?? ''}`).toBe(key)
      }
  })
})

describe('packages of distributions', () => {
  const EL8 = 'upstream=curl-7.61.1-25.el8.src.rpm&distro=rhel-8'

  it.each`
    purl                                                                                | expected
    ${'pkg:rpm/redhat/openssl-libs@1.1.1k-5.el8?upstream=openssl-1.1.1k-5.el8.src.rpm'} | ${'cpe:openssl:openssl 1.1.1k'}
    ${'pkg:deb/debian/libssl3@3.0.7-1?upstream=openssl'}                                | ${'cpe:openssl:openssl 3.0.7'}
    ${'pkg:deb/debian/libcurl4@7.88.1-10%2Bdeb12u5?upstream=curl'}                      | ${'cpe:haxx:curl 7.88.1'}
    ${'pkg:deb/debian/acl@2.3.1-3'}                                                     | ${'cpe:acl_project:acl 2.3.1'}
    ${'pkg:deb/debian/libldap-2.4-2@2.4.57%2Bdfsg-3?upstream=openldap'}                 | ${'cpe:openldap:openldap 2.4.57'}
    ${'pkg:deb/debian/zlib1g@1%3A1.3.dfsg%2Breally1.3.1-1?upstream=zlib'}               | ${'cpe:zlib:zlib 1.3.1'}
    ${'pkg:deb/debian/zlib1g@1%3A1.2.11.dfsg-2%2Bdeb11u2?upstream=zlib'}                | ${'cpe:zlib:zlib 1.2.11'}
    ${'pkg:apk/alpine/libcrypto3@3.1.0-r0?upstream=openssl'}                            | ${'cpe:openssl:openssl 3.1.0'}
    ${'pkg:apk/alpine/openssh@9.3_p1-r3'}                                               | ${'cpe:openbsd:openssh 9.3_p1'}
  `('such as $purl reach $expected', ({ purl, expected }: { purl: string; expected: string }) => {
    expect(pairsOf({ purl })).toContain(expected)
  })

  it('say of upstream’s names that the distribution may have repaired them', () => {
    const { pairs } = identified({ purl: 'pkg:deb/debian/libssl3@3.0.7-1?upstream=openssl' })

    for (const { key, origin } of pairs)
      expect(origin).toBe(key.startsWith('purl:deb/') ? undefined : 'distribution')
  })

  it('of one source are one package, whatever CPEs a scanner has made up for them', () => {
    const [curl, libcurl, bare] = [
      { purl: `pkg:rpm/redhat/curl@7.61.1-25.el8?arch=x86_64&${EL8}`, cpes: ['a:curl:curl'] },
      {
        purl: `pkg:rpm/redhat/libcurl@7.61.1-25.el8?arch=x86_64&${EL8}`,
        cpes: ['a:libcurl:libcurl', 'a:redhat:libcurl', 'a:redhat:lib_curl'],
      },
      { purl: `pkg:rpm/redhat/libcurl@7.61.1-25.el8?${EL8}`, cpes: ['a:redhat:libcurl'] },
    ].map(({ purl, cpes }) =>
      identified({ purl, cpes: cpes.map((name) => cpe(`${name}:7.61.1-25.el8:*`)) }),
    )

    expect(libcurl).toEqual(curl)
    expect(bare).toEqual(curl)
  })

  it('keep the names of binary packages where the source builds none of its own name', () => {
    const source = 'upstream=krb5-1.18.2-8.el8.src.rpm'

    expect(pairsOf({ purl: `pkg:rpm/redhat/krb5-libs@1.18.2-8.el8?${source}` })).toEqual(
      expect.arrayContaining([
        'purl:rpm/redhat/krb5 1.18.2-8.el8',
        'purl:rpm/redhat/krb5-libs 1.18.2-8.el8',
      ]),
    )
  })

  it.each(['kernel', 'kernel-default', 'linux-aws-5.15'])(
    'called %s are the kernel of Linux',
    (name) => {
      expect(pairsOf({ purl: `pkg:rpm/suse/${name}@5.15.0-1` })).toContain(
        'cpe:linux:linux_kernel 5.15.0',
      )
    },
  )

  it('leave a kernel that nobody packages alone', () => {
    expect(pairsOf({ packageName: 'kernel', version: '3.7.0' })).toEqual(['name:*/kernel 3.7.0'])
  })

  it('keep CPEs that name something else', () => {
    const pairs = pairsOf({
      purl: 'pkg:rpm/redhat/openssl@1.1.1k-5.el8?upstream=openssl-1.1.1k-5.el8.src.rpm',
      cpes: [cpe('o:redhat:enterprise_linux:8:*')],
    })

    expect(pairs).toContain('cpe:redhat:enterprise_linux 8')
  })

  it('are not taken for an embedded product of the same name', () => {
    // Project Athena's notification service.
    expect(pairsOf({ purl: 'pkg:deb/debian/zephyr@3.1.2-1' })).toEqual([
      'purl:deb/debian/zephyr 3.1.2-1',
    ])
  })
})

describe('documents that name one upstream differently', () => {
  it.each`
    one                                        | other
    ${{ cpes: [cpe('*:*:acl:2.3.2:*')] }}      | ${{ purl: 'pkg:generic/acl@2.3.2' }}
    ${{ cpes: [cpe('*:*:acl:2.3.2:*')] }}      | ${{ purl: 'pkg:yocto/core/acl@2.3.2-r0' }}
    ${{ cpes: [cpe('*:*:acl:2.3.2:*')] }}      | ${{ purl: 'pkg:yocto/core/acl@2.3.2', cpes: [cpe('*:*:acl:2.3.2:*')] }}
    ${{ cpes: [cpe('*:*:thing:2.3.2:*')] }}    | ${{ purl: 'pkg:yocto/core/thing@2.3.2' }}
    ${{ cpes: [cpe('*:*:thing:2.3.2:*')] }}    | ${{ purl: 'pkg:generic/thing@2.3.2', cpes: [cpe('*:*:thing:2.3.2:*')] }}
    ${{ cpes: [cpe('a:acme:thing:2.3.2:*')] }} | ${{ purl: 'pkg:generic/acme/thing@2.3.2', cpes: [cpe('a:acme:thing:2.3.2:*')] }}
    ${{ cpes: [cpe('a:haxx:curl:8.5.0:*')] }}  | ${{ purl: 'pkg:generic/curl@8.5.0' }}
    ${{ cpes: [cpe('a:gnu:ncurses:6.4:*')] }}  | ${{ cpes: [cpe('a:invisible-island:ncurses:6.4:*')] }}
  `('$one and $other are one package', ({ one, other }: { one: object; other: object }) => {
    expect(identified(one)).toEqual(identified(other))
  })

  it.each`
    one                                                                 | other
    ${{ cpes: [cpe('*:*:thing:2.3.2:*')] }}                             | ${{ purl: 'pkg:generic/thing@2.3.2' }}
    ${{ cpes: [cpe('a:bzip:bzip2:0.4.3:*')] }}                          | ${{ cpes: [cpe('a:bzip2_project:bzip2:0.4.3:*')] }}
    ${{ cpes: [cpe('a:gnu:tar:1.35:*')] }}                              | ${{ purl: 'pkg:npm/tar@1.35' }}
    ${{ cpes: [cpe('a:haxx:curl:8.5.0:*')] }}                           | ${{ cpes: [cpe('a:haxx:curl:8.5.1:*')] }}
    ${{ purl: 'pkg:yocto/core/foo@1.0', cpes: [cpe('*:*:bar:1.0:*')] }} | ${{ purl: 'pkg:yocto/core/foo@1.0' }}
  `('$one and $other are two', ({ one, other }: { one: object; other: object }) => {
    expect(identified(one).id).not.toBe(identified(other).id)
  })

  it('takes a bare name in a purl without registry for no more than a name', () => {
    expect(pairsOf({ packageName: 'thing-dev', purl: 'pkg:generic/thing@2.3.2' })).toEqual([
      'name:*/thing 2.3.2',
      'purl:generic/thing 2.3.2',
    ])
  })
})

describe('what cannot be matched', () => {
  it.each`
    fields                                          | reason
    ${{ scope: 'build', purl: 'pkg:npm/a@1' }}      | ${'scope build'}
    ${{ scope: 'dev', purl: 'pkg:npm/a@1' }}        | ${'scope dev'}
    ${{ scope: 'excluded', purl: 'pkg:npm/a@1' }}   | ${'scope excluded'}
    ${{}}                                           | ${'no identifier'}
    ${{ purl: 'pkg:npm/a' }}                        | ${'version missing'}
    ${{ purl: 'pkg:github/actions/checkout@main' }} | ${'version missing'}
    ${{ cpes: [cpe('a:acme:thing:-:*')] }}          | ${'version missing'}
    ${{ purl: 'not a purl' }}                       | ${'invalid identifier not a purl'}
    ${{ cpes: ['cpe:2.3:a:acme'] }}                 | ${'invalid identifier cpe:2.3:a:acme'}
  `('says $reason of $fields', ({ fields, reason }: { fields: object; reason: string }) => {
    expect(identifyPackage(component(fields))).toEqual({ notMatchedReason: reason })
  })

  it.each`
    fields                                                                                             | reason
    ${{ version: `${COMMIT}-off` }}                                                                    | ${'version is a commit'}
    ${{ downloadLocation: `git+https://github.com/acme/thing@${COMMIT}` }}                             | ${'version is a commit'}
    ${{ purl: `pkg:github/acme/thing@${COMMIT}` }}                                                     | ${'version is a commit'}
    ${{ version: COMMIT, cpes: [cpe('a:acme:thing:*:*')] }}                                            | ${'version is a commit'}
    ${{ version: COMMIT, cpes: [cpe('a:acme:thing:1.0:*')] }}                                          | ${undefined}
    ${{ purl: 'pkg:docker/thing@1.0' }}                                                                | ${'unknown ecosystem docker'}
    ${{ purl: 'pkg:docker/thing@1.0', cpes: [cpe('a:acme:thing:1.0:*')] }}                             | ${undefined}
    ${{ downloadLocation: `git+https://github.com/acme/a@${COMMIT}`, purl: 'pkg:github/acme/a@v1.0' }} | ${undefined}
  `('is, but for records that name just that, $fields: $reason', ({ fields, reason }) => {
    expect(identifyPackage(component(fields as object))).toMatchObject({
      identity: { id: expect.any(String) as string },
    })
    expect(identifyPackage(component(fields as object)).notMatchedReason).toBe(reason)
  })

  it('is not what has an optional or required scope', () => {
    expect(identified({ scope: 'optional', purl: 'pkg:npm/a@1' }).pairs).toHaveLength(1)
    expect(identified({ scope: 'required', purl: 'pkg:npm/a@1' }).pairs).toHaveLength(1)
  })
})

describe('the distribution', () => {
  it.each`
    purl                                         | distro
    ${'pkg:deb/debian/a@1-1?distro=debian-11.6'} | ${{ ecosystem: 'Debian', release: '11' }}
    ${'pkg:deb/debian/a@1-1?distro=bookworm'}    | ${{ ecosystem: 'Debian', release: '12' }}
    ${'pkg:deb/debian/a@1-1%2Bdeb12u3'}          | ${{ ecosystem: 'Debian', release: '12' }}
    ${'pkg:deb/debian/a@1-1'}                    | ${{ ecosystem: 'Debian' }}
    ${'pkg:deb/ubuntu/a@1-1?distro=jammy'}       | ${{ ecosystem: 'Ubuntu', release: '22.04' }}
    ${'pkg:apk/alpine/a@1-r0?distro=3.16.4'}     | ${{ ecosystem: 'Alpine', release: '3.16' }}
    ${'pkg:rpm/redhat/a@1-1.el9_2'}              | ${{ ecosystem: 'Red Hat', release: '9' }}
    ${'pkg:rpm/redhat/a@1-1.el8?distro=garbage'} | ${{ ecosystem: 'Red Hat' }}
  `('of $purl is $distro', ({ purl, distro }) => {
    expect(identified({ purl: String(purl) }).distro).toEqual(distro)
  })

  it('keeps the same name in two releases apart', () => {
    const [a, b] = ['11', '12'].map((release) =>
      identified({ purl: `pkg:deb/debian/a@1-1?distro=debian-${release}` }),
    )

    expect(a?.id).not.toBe(b?.id)
  })
})

describe('a build of a distribution', () => {
  it.each`
    fields                                                                           | expected
    ${{ purl: 'pkg:deb/debian/thing@1.0-1', cpes: ['a:thing:thing:1.0-1:*'] }}       | ${['cpe:*:thing 1.0 distribution', 'cpe:thing:thing 1.0 guess', 'purl:deb/debian/thing 1.0-1 as stated']}
    ${{ purl: 'pkg:deb/debian/b@1-1?upstream=thing', cpes: ['a:acme:b:1:*'] }}       | ${['cpe:*:thing 1 distribution', 'cpe:acme:b 1 distribution', 'purl:deb/debian/thing 1-1 as stated']}
    ${{ purl: 'pkg:npm/thing@1.0', cpes: ['a:thing:thing:1.0:*'] }}                  | ${['cpe:thing:thing 1.0 registry', 'purl:npm/thing 1.0 as stated']}
    ${{ purl: 'pkg:rpm/redhat/b@1-1.el8', cpes: ['a:redhat:acme_platform:2.0:*'] }}  | ${['cpe:*:b 1 distribution', 'cpe:redhat:acme_platform 2.0 platform', 'purl:rpm/redhat/b 1-1.el8 as stated']}
    ${{ version: '8.0', cpes: ['o:redhat:enterprise_linux:8.0:*'] }}                 | ${['cpe:redhat:enterprise_linux 8.0 platform']}
    ${{ version: '7.61.1-25.el8', cpes: ['a:acme:thing:7.61.1:*'] }}                 | ${['cpe:acme:thing 7.61.1 distribution']}
    ${{ cpes: ['a:acme:thing:1\\:1.2-3\\+deb11u1:*'] }}                              | ${['cpe:acme:thing 1.2 distribution']}
    ${{ cpes: ['a:acme:thing:2.34-0ubuntu3:*'] }}                                    | ${['cpe:acme:thing 2.34 distribution']}
    ${{ cpes: ['a:acme:thing:7.0.10-34:*'] }}                                        | ${['cpe:acme:thing 7.0.10-34 as stated']}
    ${{ version: '1.2-r0', cpes: ['a:acme:thing:1.2:*', 'a:other:thing:1.2:*'] }}    | ${['cpe:acme:thing 1.2 as stated', 'cpe:other:thing 1.2 as stated']}
    ${{ version: '1.0-1.el9', cpes: ['a:acme:thing:1.0:*', 'a:thing:thing:1.0:*'] }} | ${['cpe:acme:thing 1.0 guess', 'cpe:thing:thing 1.0 guess']}
  `('is known by $fields: $expected', ({ fields, expected }) => {
    const { cpes, ...others } = fields as Partial<IdentifiableComponent>
    const { pairs } = identified({ ...others, cpes: (cpes ?? []).map(cpe) })

    expect(
      pairs.map(({ key, version, origin = 'as stated' }) => `${key} ${version} ${origin}`),
    ).toEqual(expected)
  })
})

describe('the id', () => {
  const PRODUCTS = ['acl', 'attr', 'busybox', 'openssl', 'linux_kernel', 'thing']
  const anyCpe = fc
    .tuple(
      fc.constantFrom('*', 'gnu', 'acme'),
      fc.constantFrom(...PRODUCTS),
      fc.constantFrom('1.0', '2.1', '*'),
    )
    .map(([vendor, product, version]) => cpe(`a:${vendor}:${product}:${version}:*`))

  it('does not depend on the order or the number of times identifiers are declared', () => {
    fc.assert(
      fc.property(
        fc
          .uniqueArray(anyCpe, { minLength: 1, maxLength: 6 })
          .chain((cpes) =>
            fc.tuple(
              fc.constant(cpes),
              fc.shuffledSubarray([...cpes, ...cpes], { minLength: cpes.length * 2 }),
            ),
          ),
        ([cpes, shuffled]) => {
          const one = identified({ version: '3.0', cpes })
          const other = identified({
            version: '3.0',
            packageName: 'kernel-module-a',
            cpes: shuffled,
          })
          expect(other).toEqual(one)
        },
      ),
    )
  })

  it('differs where a name or a version does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyCpe, { minLength: 2, maxLength: 2 }), ([a = '', b = '']) => {
        const [one, other] = [a, b].map((text) => identified({ version: '3.0', cpes: [text] }))
        expect(one?.id === other?.id).toBe(
          JSON.stringify(one?.pairs) === JSON.stringify(other?.pairs),
        )
      }),
    )
  })

  it('is a version 8 UUID that stays the same for ever', () => {
    expect(identified({ purl: 'pkg:npm/left-pad@1.3.0' }).id).toBe(
      '2d51a368-bf9c-8a94-b476-dcef79e13669',
    )
  })
})

it('gives every key an advisory may name the package by', () => {
  const keys = listPackageKeys(identified({ cpes: [cpe('a:acme:thing:1.0:*')] }))

  expect(keys).toEqual(['cpe:*:thing', 'cpe:acme:thing', 'name:*/thing', 'name:acme/thing'])
  expect(listPackageKeys(identified({ cpes: [cpe('*:*:thing:1.0:*')] }))).toEqual([
    'cpe:*:libthing',
    'cpe:*:thing',
    'name:*/libthing',
    'name:*/thing',
    'purl:generic/thing',
  ])
})

describeWithSharedData('the documents of a Zephyr build', (folder) => {
  const files = ['app.jsonld', 'build.jsonld', 'modules-deps.jsonld', 'zephyr.jsonld.gz']
  const all = () =>
    parseSboms(
      files.map((file) => readFileSync(join(folder, 'sbom/firmware/zephyr-west-spdx3', file))),
    ).flatMap(({ components }) => components)

  it('say of every source known by its commit alone that no range speaks of it', () => {
    const byCommit = all().filter(
      ({ version = '', builtFrom }) =>
        /^[0-9a-f]{40}(?:-off)?$/.test(version) && builtFrom?.cpes.length === 0,
    )

    expect(byCommit.map(({ packageName }) => packageName)).toContain('zephyr-sources')
    expect(byCommit.length).toBeGreaterThan(60)
    for (const one of byCommit)
      expect(identifyPackage(one).notMatchedReason).toBe('version is a commit')
  })

  it('give a module the version of its CPE', () => {
    const module = all().find(({ packageName }) => packageName === 'trusted-firmware-m-deps')
    const result = module && identifyPackage(module)

    expect(result).toMatchObject({ identity: {} })
    expect(result?.notMatchedReason).toBeUndefined()
    const pairs = result && 'identity' in result ? result.identity.pairs : []
    const ofCpe = pairs.filter(({ key }) => key.startsWith('cpe:'))
    expect([...new Set(ofCpe.map(({ version }) => version))]).toEqual(['2.3.0'])
  })
})
