import { expect, it } from 'vitest'
import {
  parseEcosystem,
  createPackagePurl,
  findPurlType,
  findEcosystemScheme,
  getPurlTypeScheme,
} from './ecosystems.ts'
import { formatPurlKey } from './purl.ts'
import type { VersionScheme } from './versions/schemes.ts'

it.each`
  text                                     | ecosystem        | release
  ${'Debian:12'}                           | ${'Debian'}      | ${'12'}
  ${'Debian'}                              | ${'Debian'}      | ${undefined}
  ${'Ubuntu:22.04:LTS'}                    | ${'Ubuntu'}      | ${'22.04'}
  ${'Ubuntu:Pro:18.04:LTS'}                | ${'Ubuntu'}      | ${'18.04'}
  ${'Alpine:v3.19'}                        | ${'Alpine'}      | ${'3.19'}
  ${'Rocky Linux:9'}                       | ${'Rocky Linux'} | ${'9'}
  ${'Red Hat:enterprise_linux:9::baseos'}  | ${'Red Hat'}     | ${'9'}
  ${'Red Hat:rhel_eus:8.6::appstream'}     | ${'Red Hat'}     | ${'8.6'}
  ${'Red Hat:openshift:4.12::el8'}         | ${'Red Hat'}     | ${'8'}
  ${'SUSE:Linux Enterprise Server 15 SP4'} | ${'SUSE'}        | ${'15.4'}
  ${'openSUSE:Leap 15.5'}                  | ${'openSUSE'}    | ${'15.5'}
  ${'openSUSE:Tumbleweed'}                 | ${'openSUSE'}    | ${undefined}
  ${'openEuler:22.03-LTS-SP1'}             | ${'openEuler'}   | ${'22.03-LTS-SP1'}
  ${'Maven:https://repo.example/8'}        | ${'Maven'}       | ${undefined}
  ${'PyPI'}                                | ${'PyPI'}        | ${undefined}
`(
  '$text is $ecosystem in release $release',
  ({
    text,
    ecosystem,
    release,
  }: {
    text: string
    ecosystem: string
    release: string | undefined
  }) => {
    expect(parseEcosystem(text)).toMatchObject({ ecosystem, release })
  },
)

it.each`
  ecosystem           | name                                    | type                  | scheme        | key
  ${'PyPI'}           | ${'Zope.Interface'}                     | ${'pypi'}             | ${'pypi'}     | ${'purl:pypi/zope-interface'}
  ${'npm'}            | ${'@Angular/core'}                      | ${'npm'}              | ${'npm'}      | ${'purl:npm/@angular/core'}
  ${'Go'}             | ${'github.com/Masterminds/semver/v3'}   | ${'golang'}           | ${'go'}       | ${'purl:golang/github.com/masterminds/semver/v3'}
  ${'Go'}             | ${'stdlib'}                             | ${'golang'}           | ${'go'}       | ${'purl:golang/stdlib'}
  ${'Maven'}          | ${'org.slf4j:slf4j-api'}                | ${'maven'}            | ${'maven'}    | ${'purl:maven/org.slf4j/slf4j-api'}
  ${'Packagist'}      | ${'Symfony/Http-Kernel'}                | ${'composer'}         | ${'composer'} | ${'purl:composer/symfony/http-kernel'}
  ${'crates.io'}      | ${'serde_json'}                         | ${'cargo'}            | ${'cargo'}    | ${'purl:cargo/serde-json'}
  ${'NuGet'}          | ${'Newtonsoft.Json'}                    | ${'nuget'}            | ${'nuget'}    | ${'purl:nuget/newtonsoft.json'}
  ${'Debian:12'}      | ${'openssl'}                            | ${'deb'}              | ${'deb'}      | ${'purl:deb/debian/openssl'}
  ${'Alpine:v3.19'}   | ${'busybox'}                            | ${'apk'}              | ${'apk'}      | ${'purl:apk/alpine/busybox'}
  ${'Rocky Linux:9'}  | ${'curl'}                               | ${'rpm'}              | ${'rpm'}      | ${'purl:rpm/rocky-linux/curl'}
  ${'SwiftURL'}       | ${'https://github.com/apple/swift-nio'} | ${'swift'}            | ${'semver'}   | ${'purl:swift/github.com/apple/swift-nio'}
  ${'GitHub Actions'} | ${'github/codeql-action/analyze'}       | ${'github'}           | ${'semver'}   | ${'purl:github/github/codeql-action'}
  ${'VSCode'}         | ${'RedHat.java'}                        | ${'vscode-extension'} | ${'semver'}   | ${'purl:vscode-extension/redhat/java'}
`(
  '$name of $ecosystem is joined by $key',
  ({
    ecosystem,
    name,
    type,
    scheme,
    key,
  }: {
    ecosystem: string
    name: string
    type: string
    scheme: VersionScheme
    key: string
  }) => {
    const purl = createPackagePurl(ecosystem, name)

    expect(findPurlType(ecosystem)).toBe(type)
    expect(findEcosystemScheme(ecosystem)).toBe(scheme)
    expect(purl === undefined ? undefined : formatPurlKey(purl)).toBe(key)
  },
)

it('knows no purl of what has no packages, nor of what it does not know', () => {
  expect(createPackagePurl('Linux', 'Kernel')).toBeUndefined()
  expect(findEcosystemScheme('Linux')).toBe('kernel')
  expect(createPackagePurl('Julia', 'HTTP')).toBeUndefined()
  expect(createPackagePurl('Nowhere', 'x')).toBeUndefined()
  expect(findEcosystemScheme('Nowhere')).toBeUndefined()
})

it('takes versions of types without a scheme for generic ones', () => {
  expect(getPurlTypeScheme('golang')).toBe('go')
  expect(getPurlTypeScheme('yocto')).toBe('generic')
})
