import { expect, it } from 'vitest'
import { identifyPackage, type IdentifiableComponent } from '../identity.ts'
import { parsePurl, formatPurlKey } from '../purl.ts'
import { createPackagePurl } from '../ecosystems.ts'

const NOTHING: IdentifiableComponent = {
  vendor: undefined,
  packageName: 'component',
  version: undefined,
  purl: undefined,
  cpes: [],
  scope: undefined,
  builtFrom: undefined,
}

/** The names of a component with this purl and nothing else. */
function pairsOf(purl: string): string[] {
  const result = identifyPackage({ ...NOTHING, purl })
  return 'identity' in result
    ? result.identity.pairs.map(({ key, version }) => `${key} ${version}`)
    : [result.notMatchedReason]
}

it.each`
  purl                                                          | pair                                                           | because
  ${'pkg:golang/std@go1.20.1?type=module'}                      | ${'purl:golang/stdlib 1.20.1'}                                 | ${'cyclonedx-gomod names the module of the source tree'}
  ${'pkg:golang/std@v1.20.1'}                                   | ${'purl:golang/stdlib 1.20.1'}                                 | ${'with the v of a module'}
  ${'pkg:golang/stdlib@1.20.1'}                                 | ${'purl:golang/stdlib 1.20.1'}                                 | ${'the database writes it so'}
  ${'pkg:golang/stdlib@go1.20.1'}                               | ${'purl:golang/stdlib 1.20.1'}                                 | ${'with the name in the version'}
  ${'pkg:golang/std@go1.20.1%20X:boringcrypto'}                 | ${'purl:golang/stdlib 1.20.1'}                                 | ${'built with an experiment'}
  ${'pkg:golang/std/net/http@go1.20.1'}                         | ${'purl:golang/stdlib 1.20.1'}                                 | ${'a package of the library'}
  ${'pkg:golang/std@go1.21rc2'}                                 | ${'purl:golang/stdlib 1.21rc2'}                                | ${'a candidate stays one'}
  ${'pkg:golang/go@1.20.1'}                                     | ${'purl:golang/stdlib 1.20.1'}                                 | ${'Go holds its library'}
  ${'pkg:golang/go@go1.20.1'}                                   | ${'cpe:golang:go 1.20.1'}                                      | ${'and is Go'}
  ${'pkg:golang/github.com/golang/go@go1.20.1'}                 | ${'purl:golang/stdlib 1.20.1'}                                 | ${'by its repository'}
  ${'pkg:github/golang/go@go1.20.1'}                            | ${'purl:golang/stdlib 1.20.1'}                                 | ${'by its repository'}
  ${'pkg:golang/toolchain@v0.0.1-go1.21.3.linux-amd64'}         | ${'purl:golang/toolchain 1.21.3'}                              | ${'the toolchain as a module'}
  ${'pkg:golang/cmd@go1.20.1'}                                  | ${'purl:golang/toolchain 1.20.1'}                              | ${'the module of the tools'}
  ${'pkg:generic/golang@1.20.1'}                                | ${'purl:golang/stdlib 1.20.1'}                                 | ${'a file without a registry'}
  ${'pkg:golang/golang.org/x/net/http2@v0.1.0'}                 | ${'purl:golang/golang.org/x/net v0.1.0'}                       | ${'records name the module of a package'}
  ${'pkg:golang/golang.org/x/net@v0.1.0#http2'}                 | ${'purl:golang/golang.org/x/net v0.1.0'}                       | ${'the package is the subpath'}
  ${'pkg:golang/golang.org/x/tools/gopls@v0.1.0'}               | ${'purl:golang/golang.org/x/tools/gopls v0.1.0'}               | ${'it is a module of its own'}
  ${'pkg:golang/github.com/!azure/azure-sdk-for-go@v1.0.0'}     | ${'purl:golang/github.com/azure/azure-sdk-for-go v1.0.0'}      | ${'a proxy escapes capital letters'}
  ${'pkg:golang/github.com/Azure/azure-sdk-for-go@v1.0.0'}      | ${'purl:golang/github.com/azure/azure-sdk-for-go v1.0.0'}      | ${'the hosts ignore case'}
  ${'pkg:golang/github.com/docker/cli/v2@v2.1.0'}               | ${'purl:golang/github.com/docker/cli/v2 v2.1.0'}               | ${'a major version is a module of its own'}
  ${'pkg:golang/gopkg.in/yaml.v2@v2.2.1'}                       | ${'purl:golang/gopkg.in/yaml.v2 v2.2.1'}                       | ${'the version is a part of the name'}
  ${'pkg:npm/ampproject/remapping@2.2.0'}                       | ${'purl:npm/@ampproject/remapping 2.2.0'}                      | ${'a tool lost the @ of the scope'}
  ${'pkg:npm/%40Babel/core@7.0.0'}                              | ${'purl:npm/@babel/core 7.0.0'}                                | ${'the scope is encoded'}
  ${'pkg:npm/mine@npm:lodash@4.17.20'}                          | ${'purl:npm/lodash 4.17.20'}                                   | ${'an alias of package.json'}
  ${'pkg:npm/mine@npm%3Alodash%404.17.20'}                      | ${'purl:npm/lodash 4.17.20'}                                   | ${'the same, encoded'}
  ${'pkg:npm/mine@npm:@babel/core@7.0.0'}                       | ${'purl:npm/@babel/core 7.0.0'}                                | ${'an alias of a package with a scope'}
  ${'pkg:npm/npm%3Alodash@4.17.20'}                             | ${'purl:npm/lodash 4.17.20'}                                   | ${'an alias without its own name'}
  ${'pkg:npm/npm@9.0.0'}                                        | ${'purl:npm/npm 9.0.0'}                                        | ${'npm itself'}
  ${'pkg:javascript/jquery@1.12.4'}                             | ${'purl:npm/jquery 1.12.4'}                                    | ${'Dependency-Check finds it by its content'}
  ${'pkg:pypi/Zope.Interface@5.0'}                              | ${'purl:pypi/zope-interface 5.0'}                              | ${'marks and case mean nothing'}
  ${'pkg:pypi/requests%5Bsecurity%5D@2.19.0'}                   | ${'purl:pypi/requests 2.19.0'}                                 | ${'extras are no part of the name'}
  ${'pkg:gem/nokogiri@1.15.4-x86_64-linux'}                     | ${'purl:gem/nokogiri 1.15.4'}                                  | ${'the platform is no pre-release'}
  ${'pkg:gem/nokogiri@1.15.4-x86_64-linux-gnu'}                 | ${'purl:gem/nokogiri 1.15.4'}                                  | ${'with the C library'}
  ${'pkg:gem/nokogiri@1.15.4-java'}                             | ${'purl:gem/nokogiri 1.15.4'}                                  | ${'of JRuby'}
  ${'pkg:gem/nokogiri@1.15.4-arm64-darwin'}                     | ${'purl:gem/nokogiri 1.15.4'}                                  | ${'of a Mac'}
  ${'pkg:gem/google-protobuf@3.21.0.rc.1-x86-mingw32'}          | ${'purl:gem/google-protobuf 3.21.0.rc.1'}                      | ${'a candidate stays one'}
  ${'pkg:gem/x@1.2.3-alpha'}                                    | ${'purl:gem/x 1.2.3-alpha'}                                    | ${'it is a pre-release'}
  ${'pkg:cargo/serde-json@1.0.0'}                               | ${'purl:cargo/serde-json 1.0.0'}                               | ${'the registry takes - and _ for one'}
  ${'pkg:cargo/Serde_JSON@1.0.0'}                               | ${'purl:cargo/serde-json 1.0.0'}                               | ${'and ignores case'}
  ${'pkg:nuget/newtonsoft.json@12.0.1'}                         | ${'purl:nuget/newtonsoft.json 12.0.1'}                         | ${'case means nothing'}
  ${'pkg:nuget/Serilog%402.10.0'}                               | ${'purl:nuget/serilog 2.10.0'}                                 | ${'the whole text was encoded as the name'}
  ${'pkg:dotnet/Newtonsoft.Json@12.0.1'}                        | ${'purl:nuget/newtonsoft.json 12.0.1'}                         | ${'Syft wrote the type so'}
  ${'pkg:composer/Symfony/HTTP-Kernel@v4.4.0'}                  | ${'purl:composer/symfony/http-kernel v4.4.0'}                  | ${'names are small'}
  ${'pkg:hex/Phoenix@1.5.0'}                                    | ${'purl:hex/phoenix 1.5.0'}                                    | ${'names are small'}
  ${'pkg:pub/Http@0.13.0'}                                      | ${'purl:pub/http 0.13.0'}                                      | ${'names are small'}
  ${'pkg:maven/org.slf4j:slf4j-api@1.7.0'}                      | ${'purl:maven/org.slf4j/slf4j-api 1.7.0'}                      | ${'as Maven writes it'}
  ${'pkg:maven/org/slf4j/slf4j-api@1.7.0'}                      | ${'purl:maven/org.slf4j/slf4j-api 1.7.0'}                      | ${'as in the directories of a repository'}
  ${'pkg:maven/org.springframework/spring-core@3.2.13.RELEASE'} | ${'purl:maven/org.springframework/spring-core 3.2.13.RELEASE'} | ${'the usual form'}
  ${'pkg:swift/github.com/Apple/swift-nio.git@2.0.0'}           | ${'purl:swift/github.com/apple/swift-nio 2.0.0'}               | ${'the address of a repository'}
  ${'pkg:github/ARM-software/CMSIS_5.git@5.6.0'}                | ${'purl:github/arm-software/cmsis_5 5.6.0'}                    | ${'the address of a repository'}
  ${'pkg:conan/openssl/3.0.0@3.0.0'}                            | ${'cpe:openssl:openssl 3.0.0'}                                 | ${'a reference of a recipe'}
  ${'pkg:conan/openssl/3.0.0#f7b3'}                             | ${'cpe:openssl:openssl 3.0.0'}                                 | ${'with its revision'}
  ${'pkg:conan/OpenSSL@3.0.0?user=bincrafters&channel=stable'}  | ${'cpe:openssl:openssl 3.0.0'}                                 | ${'case means nothing'}
  ${'pkg:conda/openssl@1.1.1q?build=h1&channel=main'}           | ${'cpe:openssl:openssl 1.1.1q'}                                | ${'upstream’s release'}
  ${'pkg:nix/openssl@3.0.12'}                                   | ${'cpe:openssl:openssl 3.0.12'}                                | ${'upstream’s release'}
  ${'pkg:opkg/openwrt/busybox@1.36.1-1'}                        | ${'cpe:busybox:busybox 1.36.1-1'}                              | ${'the namespace is the distribution'}
  ${'pkg:ipk/curl@8.5.0-r0'}                                    | ${'cpe:haxx:curl 8.5.0-r0'}                                    | ${'the ending of a file of opkg'}
  ${'pkg:opkg/openwrt/dnsmasq-full@2.90-2'}                     | ${'name:*/dnsmasq-full 2.90-2'}                                | ${'the records tell of which product'}
  ${'pkg:openwrt/kernel@5.15.137-1-4796'}                       | ${'cpe:linux:linux_kernel 5.15.137-1-4796'}                    | ${'OpenWrt has no other kernel'}
  ${'pkg:brew/openssl%403@3.1.4'}                               | ${'cpe:openssl:openssl 3.1.4'}                                 | ${'the formula of a series'}
  ${'pkg:github/nrfconnect/sdk-zephyr@v3.4.99-ncs1'}            | ${'cpe:zephyrproject:zephyr 3.4.99-ncs1'}                      | ${'a fork keeps the number'}
  ${'pkg:github/nxp-imx/uboot-imx@lf_v2022.04-2.1.0'}           | ${'cpe:denx:u-boot 2022.04-2.1.0'}                             | ${'a fork keeps the number'}
  ${'pkg:github/STMicroelectronics/linux@v6.1.28-stm32mp-r1'}   | ${'cpe:linux:linux_kernel 6.1.28-stm32mp-r1'}                  | ${'a fork keeps the number'}
  ${'pkg:github/espressif/esp-lwip@2.1.3-esp'}                  | ${'cpe:lwip_project:lwip 2.1.3-esp'}                           | ${'a fork keeps the number'}
  ${'pkg:bazel/zlib@1.2.11'}                                    | ${'cpe:zlib:zlib 1.2.11'}                                      | ${'upstream’s release'}
  ${'pkg:cocoapods/AFNetworking/Core@4.0.1'}                    | ${'purl:cocoapods/AFNetworking 4.0.1'}                         | ${'a part of a pod'}
  ${'pkg:bitnami/postgresql@17.2.0-8?arch=arm64'}               | ${'purl:bitnami/postgresql 17.2.0'}                            | ${'a build of Bitnami is no pre-release'}
  ${'pkg:cran/Matrix@1.5-4'}                                    | ${'purl:cran/Matrix 1.5-4'}                                    | ${'the hyphen is a part of the version'}
`('$purl is looked up as $pair, as $because', ({ purl, pair }) => {
  expect(pairsOf(String(purl))).toContain(pair)
})

it.each`
  ecosystem      | name                       | purl
  ${'crates.io'} | ${'serde_json'}            | ${'pkg:cargo/serde-json'}
  ${'Go'}        | ${'stdlib'}                | ${'pkg:golang/std'}
  ${'SwiftURL'}  | ${'github.com/a/b'}        | ${'pkg:swift/github.com/A/b.git'}
  ${'npm'}       | ${'@ampproject/remapping'} | ${'pkg:npm/ampproject/remapping'}
  ${'Maven'}     | ${'org.slf4j:slf4j-api'}   | ${'pkg:maven/org.slf4j:slf4j-api'}
  ${'PyPI'}      | ${'zope.interface'}        | ${'pkg:pypi/Zope_Interface'}
`('a record of $ecosystem’s $name meets $purl', ({ ecosystem, name, purl }) => {
  const [record, component] = [
    createPackagePurl(String(ecosystem), String(name)),
    parsePurl(String(purl)),
  ]

  expect(record && formatPurlKey(record)).toBe(component && formatPurlKey(component))
})

it('no main module of a program is taken for Go', () => {
  expect(pairsOf('pkg:golang/stdlib-extra@v1.0.0')).toEqual(['purl:golang/stdlib-extra v1.0.0'])
  expect(pairsOf('pkg:golang/gopher@v1.0.0')).toEqual(['purl:golang/gopher v1.0.0'])
})

it.each`
  packageName                 | key                            | because
  ${'XZ Utils'}               | ${'cpe:tukaani:xz'}            | ${'people write it in words'}
  ${'xz_utils'}               | ${'cpe:tukaani:xz'}            | ${'- and _ mean the same'}
  ${'FreeRTOS Kernel'}        | ${'cpe:amazon:freertos'}       | ${'people write it in words'}
  ${'GNU C Library'}          | ${'cpe:gnu:glibc'}             | ${'its own name'}
  ${'Das U-Boot'}             | ${'cpe:denx:u-boot'}           | ${'its own name'}
  ${'BusyBox'}                | ${'cpe:busybox:busybox'}       | ${'capital letters mean nothing'}
  ${'LINUX KERNEL'}           | ${'cpe:linux:linux_kernel'}    | ${'capital letters mean nothing'}
  ${'Linux Kernel (bzImage)'} | ${'cpe:linux:linux_kernel'}    | ${'the kernel’s own SBOM'}
  ${'vmlinuz-6.1.0-13-amd64'} | ${'cpe:linux:linux_kernel'}    | ${'a file of it'}
  ${'vmlinux.bin.gz'}         | ${'cpe:linux:linux_kernel'}    | ${'a file of it'}
  ${'golang'}                 | ${'purl:golang/stdlib'}        | ${'Go holds its library'}
  ${'python-debian'}          | ${'name:*/python-debian'}      | ${'it is a module'}
  ${'vmlinux-to-elf'}         | ${'name:*/vmlinux-to-elf'}     | ${'it is a tool'}
  ${'linux-libc-headers'}     | ${'name:*/linux-libc-headers'} | ${'headers are no kernel'}
  ${'kernel'}                 | ${'name:*/kernel'}             | ${'many systems have one'}
`('the name $packageName gives $key, as $because', ({ packageName, key }) => {
  const component = { ...NOTHING, packageName: String(packageName), version: '1.0' }
  const result = identifyPackage(component)

  const keys = 'identity' in result ? result.identity.pairs.map((pair) => pair.key) : []
  expect(keys).toContain(key)
})
