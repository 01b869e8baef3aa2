import { describe, expect, it } from 'vitest'
import { dropVendor } from '../advisories/keys.ts'
import { listProductKeysOfName, resolveName } from './known-products.ts'

/** `acme:thing` with the number of records that name it. */
function resolved(name: string, products: Record<string, number>) {
  const all = Object.entries(products).map(([product, records]) => ({
    key: product.includes('/') ? `name:${product}` : `cpe:${product}`,
    records,
  }))
  const known = Map.groupBy(all, ({ key }) => dropVendor(key) ?? '')
  return Object.fromEntries(
    [...resolveName(name, known)].map(([key, { kind }]) => [key.slice(key.indexOf(':') + 1), kind]),
  )
}

describe('a name', () => {
  it.each`
    name                      | products                                           | expected                                                               | because
    ${'thing'}                | ${{ 'acme:thing': 9 }}                             | ${{ 'acme:thing': 'only' }}                                            | ${'the records know one product of the name'}
    ${'thing'}                | ${{}}                                              | ${{}}                                                                  | ${'the records know none'}
    ${'thing'}                | ${{ 'acme:thing': 9, 'other:thing': 1 }}           | ${{ 'acme:thing': 'only' }}                                            | ${'one has far more records'}
    ${'thing'}                | ${{ 'acme:thing': 9, 'other:thing': 4 }}           | ${{ 'acme:thing': 'one of several', 'other:thing': 'one of several' }} | ${'two makers have about as many'}
    ${'thing'}                | ${{ 'acme:thing': 3, 'thing_project:thing': 2 }}   | ${{ 'acme:thing': 'only', 'thing_project:thing': 'only' }}             | ${'X_project:X stands for a maker unknown to NVD'}
    ${'thing'}                | ${{ 'acme:thing': 3, 'redhat:thing': 2 }}          | ${{ 'acme:thing': 'only', 'redhat:thing': 'only' }}                    | ${'distributions package what others make'}
    ${'thing'}                | ${{ 'acme:thing': 3, 'jenkins:thing': 4 }}         | ${{ 'acme:thing': 'only' }}                                            | ${'an extension of Jenkins is no program'}
    ${'a-thing'}              | ${{ 'acme:a_thing': 3 }}                           | ${{ 'acme:a_thing': 'only' }}                                          | ${'records write - as _'}
    ${'thing28'}              | ${{ 'acme:thing': 3 }}                             | ${{ 'acme:thing': 'only' }}                                            | ${'it ends in a version'}
    ${'thing2'}               | ${{ 'acme:thing2': 3, 'acme:thing': 3 }}           | ${{ 'acme:thing2': 'only' }}                                           | ${'the whole name is a product'}
    ${'thing3'}               | ${{ 'other:thing3': 1, 'acme:thing': 50 }}         | ${{ 'acme:thing': 'only' }}                                            | ${'the product without the version has far more records'}
    ${'python3.11'}           | ${{ 'python:python': 110 }}                        | ${{ 'python:python': 'only' }}                                         | ${'it is a version of a family'}
    ${'acme-thing'}           | ${{ 'acme:thing': 1, 'other:thing': 9 }}           | ${{ 'acme:thing': 'only' }}                                            | ${'it begins with the vendor'}
    ${'libthing'}             | ${{ 'acme:thing': 1 }}                             | ${{ 'acme:thing': 'only' }}                                            | ${'it is the library of the product'}
    ${'python3-thing'}        | ${{ 'acme:thing': 1 }}                             | ${{ 'acme:thing': 'guess' }}                                           | ${'a module may bind the library of its name, or be another thing'}
    ${'thing'}                | ${{ 'acme:thing': 9, 'acme_foundation/thing': 1 }} | ${{ 'acme:thing': 'only', 'acme_foundation/thing': 'only' }}           | ${'the words say the same vendor'}
    ${'thing'}                | ${{ 'acme:thing': 9, 'others/thing': 1 }}          | ${{ 'acme:thing': 'only', 'others/thing': 'in words' }}                | ${'the words say another vendor'}
    ${'python-debian'}        | ${{ 'python:python': 110 }}                        | ${{}}                                                                  | ${'what is added to a language is a module for it'}
    ${'python3.11-debian'}    | ${{ 'python:python': 110 }}                        | ${{}}                                                                  | ${'the same of one version'}
    ${'ruby-text'}            | ${{ 'ruby-lang:ruby': 50 }}                        | ${{}}                                                                  | ${'the same of Ruby'}
    ${'tcl-tls'}              | ${{ 'tcl:tcl': 5 }}                                | ${{}}                                                                  | ${'the same of Tcl'}
    ${'ocaml-ssl'}            | ${{ 'ocaml:ocaml': 5 }}                            | ${{}}                                                                  | ${'the same of OCaml'}
    ${'php-server'}           | ${{ 'php:php': 500 }}                              | ${{}}                                                                  | ${'the same of PHP'}
    ${'perl-community'}       | ${{ 'perl:perl': 50 }}                             | ${{}}                                                                  | ${'the same of Perl'}
    ${'node-legacy'}          | ${{ 'nodejs:node.js': 50 }}                        | ${{}}                                                                  | ${'the same of Node.js'}
    ${'rust-x11'}             | ${{ 'rust-lang:rust': 9 }}                         | ${{}}                                                                  | ${'the same of Rust'}
    ${'python3-libs'}         | ${{ 'python:python': 110 }}                        | ${{ 'python:python': 'only' }}                                         | ${'it is a part of the language'}
    ${'rh-python38-python'}   | ${{ 'python:python': 110 }}                        | ${{ 'python:python': 'only' }}                                         | ${'a collection of software has its name before it'}
    ${'nss-tls'}              | ${{ 'mozilla:nss': 50 }}                           | ${{}}                                                                  | ${'it is another program'}
    ${'mkdocs-bootstrap'}     | ${{ 'mkdocs:mkdocs': 5 }}                          | ${{}}                                                                  | ${'it is a theme'}
    ${'libcurl3-gnutls'}      | ${{ 'haxx:libcurl': 50 }}                          | ${{ 'haxx:libcurl': 'only' }}                                          | ${'it is built with another library'}
    ${'linux-libc-headers'}   | ${{ 'ubuntu:linux': 9, 'linux:linux': 2 }}         | ${{}}                                                                  | ${'headers are no kernel'}
    ${'linux-headers'}        | ${{ 'ubuntu:linux': 9 }}                           | ${{}}                                                                  | ${'headers are no kernel'}
    ${'nfs_kernel_server'}    | ${{ 'linux-nfs:nfs-utils': 9 }}                    | ${{ 'linux-nfs:nfs-utils': 'only', 'nfs:nfs-utils': 'only' }}          | ${'facts write - as _, too'}
    ${'nas-bin'}              | ${{ 'starwindsoftware:nas': 9 }}                   | ${{ 'radscan:network_audio_system': 'only' }}                          | ${'a fact tells what is left'}
    ${'gsl-bin'}              | ${{ 'microsoft:gsl': 9 }}                          | ${{ 'microsoft:gsl': 'guess' }}                                        | ${'three letters are the name of many things'}
    ${'xz-libs'}              | ${{ 'tukaani:xz': 9 }}                             | ${{ 'tukaani:xz': 'only' }}                                            | ${'the table of names knows them'}
    ${'linux-kernel-headers'} | ${{ 'linux:linux_kernel': 9 }}                     | ${{}}                                                                  | ${'headers are no kernel'}
    ${'openssh_server'}       | ${{ 'openbsd:openssh': 9 }}                        | ${{ 'openbsd:openssh': 'only' }}                                       | ${'people write it in words'}
    ${'zlib_library'}         | ${{ 'zlib:zlib': 9 }}                              | ${{ 'zlib:zlib': 'only' }}                                             | ${'the same'}
    ${'mod_ssl'}              | ${{ 'acme:mod': 9 }}                               | ${{}}                                                                  | ${'a module of Apache has no other name'}
    ${'php8-pecl-imagick'}    | ${{ 'php:imagick': 3 }}                            | ${{ 'php:imagick': 'guess' }}                                          | ${'an extension of PHP'}
    ${'python-thing'}         | ${{ 'python:thing': 3, 'acme:thing': 2 }}          | ${{ 'python:thing': 'only', 'acme:thing': 'only' }}                    | ${'NVD knows the module under the language, too'}
    ${'thing'}                | ${{ 'others/thing': 1 }}                           | ${{ 'others/thing': 'only' }}                                          | ${'records name it in words only'}
    ${'nodejs'}               | ${{ 'nodejs:node.js': 100, 'jenkins:nodejs': 3 }}  | ${{ 'nodejs:node.js': 'only' }}                                        | ${'a fact says so where no rule can'}
  `('$name of $products is $expected, as $because', ({ name, products, expected }) => {
    expect(resolved(String(name), products as Record<string, number>)).toEqual(expected)
  })
})

it('is looked up by few keys', () => {
  expect(listProductKeysOfName('thing')).toEqual([
    'cpe:*:thing',
    'name:*/thing',
    'cpe:*:libthing',
    'name:*/libthing',
  ])
})
