import { expect, it } from 'vitest'
import { formatPurlKey, parsePurl } from './purl.ts'
import { isOfRegistryForm } from './registry-names.ts'

it.each`
  purl                                             | expected | because
  ${'pkg:npm/lodash'}                              | ${true}  | ${'it is a name of npm'}
  ${'pkg:npm/%40angular/core'}                     | ${true}  | ${'it has a scope'}
  ${'pkg:npm/Lodash'}                              | ${true}  | ${'keys fold case'}
  ${'pkg:npm/my%20package'}                        | ${false} | ${'names have no spaces'}
  ${'pkg:npm/lodash%2Fmap.js'}                     | ${false} | ${'a file of a package is no package'}
  ${'pkg:pypi/Zope.Interface'}                     | ${true}  | ${'keys are normalised'}
  ${'pkg:pypi/requests%5Bsocks%5D'}                | ${true}  | ${'the key leaves the extra out'}
  ${'pkg:golang/github.com/docker/cli'}            | ${true}  | ${'the path has a host'}
  ${'pkg:golang/gopkg.in/yaml.v2'}                 | ${true}  | ${'the path has a host'}
  ${'pkg:golang/stdlib'}                           | ${true}  | ${'records name the standard library so'}
  ${'pkg:golang/std'}                              | ${true}  | ${'its key is that of the standard library'}
  ${'pkg:golang/net/http'}                         | ${false} | ${'a package of the standard library is no module'}
  ${'pkg:golang/command-line-arguments'}           | ${false} | ${'it is what the build calls a file'}
  ${'pkg:golang/.%2Finternal'}                     | ${false} | ${'a path within the module is no module'}
  ${'pkg:maven/org.apache.commons/commons-text'}   | ${true}  | ${'it has group and artifact'}
  ${'pkg:maven/commons-text'}                      | ${false} | ${'the group is missing'}
  ${'pkg:maven/org.apache.commons/commons%20text'} | ${false} | ${'it is a title'}
  ${'pkg:composer/monolog'}                        | ${false} | ${'the vendor is missing'}
  ${'pkg:composer/monolog/monolog'}                | ${true}  | ${'it has vendor and name'}
  ${'pkg:cargo/serde_json'}                        | ${true}  | ${'it is a name of crates.io'}
  ${'pkg:cargo/serde%20json'}                      | ${false} | ${'names have no spaces'}
  ${'pkg:nuget/Newtonsoft.Json'}                   | ${true}  | ${'it is a name of NuGet'}
  ${'pkg:nuget/Newtonsoft%20Json'}                 | ${false} | ${'it is a title'}
  ${'pkg:swift/github.com/apple/swift-nio'}        | ${true}  | ${'it is a repository'}
  ${'pkg:hex/phoenix'}                             | ${true}  | ${'it is a name of Hex'}
  ${'pkg:gem/rails'}                               | ${true}  | ${'it is a name of RubyGems'}
`('of $purl: $expected, as $because', ({ purl, expected }: { purl: string; expected: boolean }) => {
  const parsed = parsePurl(purl)

  expect(parsed && isOfRegistryForm(formatPurlKey(parsed))).toBe(expected)
})
