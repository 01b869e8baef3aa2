import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../test/shared-data.ts'
import { formatPurl, formatPurlKey, makePurl, normalisePurl, parsePurl, readPurl } from './purl.ts'

describe('parsePurl', () => {
  it('takes a purl apart', () => {
    const purl = parsePurl(
      'pkg:deb/Debian/Attr@1:2.4.47-2%2Bb1?Distro=debian-12&arch=amd64&empty=#/a/./b/',
    )

    expect(purl).toEqual({
      type: 'deb',
      namespace: 'debian',
      name: 'attr',
      version: '1:2.4.47-2+b1',
      qualifiers: { arch: 'amd64', distro: 'debian-12' },
      subpath: 'a/b',
    })
  })

  it.each`
    text                           | fault
    ${''}                          | ${'it does not begin with pkg:'}
    ${'openssl@1.0'}               | ${'it does not begin with pkg:'}
    ${'pkg:openssl@1.0'}           | ${'it has no name'}
    ${'pkg:cran/@0.9'}             | ${'it has no name'}
    ${'pkg:3d/x'}                  | ${'3d is not a type'}
    ${'pkg:/'}                     | ${'it has no name'}
    ${'pkg:npm/%zz'}               | ${'a percent sign begins no UTF-8 character'}
    ${'pkg:npm/a%00b'}             | ${'it holds U+0000'}
    ${'pkg:npm/x?arch'}            | ${'the qualifier arch has no value'}
    ${'pkg:npm/x?in%20one=1'}      | ${'in%20one is not a qualifier'}
    ${'pkg:vcpkg/boost/asio@1.84'} | ${'a purl of type vcpkg has no namespace'}
    ${'pkg:swift/Alamofire'}       | ${'a purl of type swift has a namespace'}
    ${'pkg:julia/Dates'}           | ${'a purl of type julia has the qualifier uuid'}
    ${'pkg:cpan/LWP::UserAgent'}   | ${'LWP::UserAgent is not a name of type cpan'}
  `('of "$text" says that $fault', ({ text, fault }: { text: string; fault: string }) => {
    expect(readPurl(text)).toEqual({ fault })
    expect(parsePurl(text)).toBeUndefined()
  })

  it.each`
    text                                 | canonical
    ${'pkg://NPM/@babel/core'}           | ${'pkg:npm/%40babel/core'}
    ${'pkg:golang/stdlib@1.21.3'}        | ${'pkg:golang/stdlib@1.21.3'}
    ${'pkg:generic/a b@1!2*(3)'}         | ${'pkg:generic/a%20b@1%212%2A%283%29'}
    ${'pkg:generic/foo%2Fbar@1'}         | ${'pkg:generic/foo%2Fbar@1'}
    ${'pkg:pypi/Typing_Extensions@4'}    | ${'pkg:pypi/typing-extensions@4'}
    ${'pkg:git/example.org/a/b.git@v1'}  | ${'pkg:git/example.org/a/b.git@v1'}
    ${'pkg:generic/x?url=https://a.b/c'} | ${'pkg:generic/x?url=https:%2F%2Fa.b%2Fc'}
  `(
    'of $text is written $canonical',
    ({ text, canonical }: { text: string; canonical: string }) => {
      const purl = parsePurl(text)

      expect(purl === undefined ? undefined : formatPurl(purl)).toBe(canonical)
    },
  )

  it('takes any text, and what it accepts is canonical once written', () => {
    const piece = fc.constantFrom(
      'pkg:',
      'npm',
      'git',
      '/',
      '@',
      '?',
      '#',
      '=',
      '&',
      '%',
      '%2F',
      'a',
      'B',
      '.',
      '..',
      '+',
    )
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => `pkg:generic/${parts.join('')}`)

    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (any) => {
        const purl = parsePurl(any)
        if (purl !== undefined) expect(parsePurl(formatPurl(purl))).toEqual(purl)
      }),
    )
  })
})

it('makes no purl of a name that is not Unicode text, but does not throw either', () => {
  const made = makePurl({ type: 'generic', name: '\ud800' })

  expect('purl' in made ? formatPurl(made.purl) : undefined).toBe('pkg:generic/%EF%BF%BD')
})

it.each`
  purl                              | key
  ${'pkg:pypi/zope.interface'}      | ${'purl:pypi/zope-interface'}
  ${'pkg:pypi/Flask__Login'}        | ${'purl:pypi/flask-login'}
  ${'pkg:nuget/Newtonsoft.Json'}    | ${'purl:nuget/newtonsoft.json'}
  ${'pkg:golang/github.com/A/B@v1'} | ${'purl:golang/github.com/a/b'}
  ${'pkg:npm/JSONStream'}           | ${'purl:npm/jsonstream'}
  ${'pkg:maven/Org.Example/Name'}   | ${'purl:maven/Org.Example/Name'}
  ${'pkg:rpm/rhel/openssl'}         | ${'purl:rpm/redhat/openssl'}
  ${'pkg:rpm/rocky/openssl'}        | ${'purl:rpm/rocky-linux/openssl'}
  ${'pkg:deb/openssl'}              | ${'purl:deb/openssl'}
`('$purl is joined by $key', ({ purl, key }: { purl: string; key: string }) => {
  const parsed = parsePurl(purl)

  expect(parsed === undefined ? undefined : formatPurlKey(parsed)).toBe(key)
})

interface PurlTest {
  test_type: 'parse' | 'build' | 'validate'
  input: string | Record<string, string | null>
  expected_output: unknown
  expected_failure?: boolean
}

/** What the vectors say and we answer otherwise, with the reason. */
const DEVIATIONS: Record<string, string> = {
  'validate "pkg:git/github/Package-url/purl-Spec@244fd47e07d1004f0aed9c"':
    'The definition of the type says that name and namespace keep their case',
  'parse "pkg:Rpm/fedora/curl@7.50.3-1.fc25?Arch=i386&Distro=fedora-25"':
    'The specification has parsers write type and keys small, as the vectors of Maven demand',
}

function passes({ test_type, input, expected_output, expected_failure }: PurlTest): boolean {
  const reading = typeof input === 'string' ? readPurl(input) : makePurl(looseParts(input))
  if (!('purl' in reading)) return expected_failure === true
  const { purl } = reading
  const qualifiers = Object.keys(purl.qualifiers).length === 0 ? null : purl.qualifiers
  const parts = { namespace: null, version: null, subpath: null, ...definedOf(purl), qualifiers }
  try {
    expect(test_type === 'parse' ? parts : formatPurl(purl)).toEqual(expected_output)
    return true
  } catch {
    return false
  }
}

function looseParts(input: Record<string, unknown>) {
  return { type: '', name: '', ...definedOf(input) }
}

function definedOf(object: object): object {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  )
}

describeWithSharedData('purl vectors', (folder) => {
  const conformance = join(folder, 'conformance/purl')
  const files = [
    'spec/specification-test.json',
    ...readdirSync(join(conformance, 'types')).map((file) => `types/${file}`),
  ]

  it('hold, 463 of 465, but for the named ones', () => {
    const tests = files.flatMap((file) => {
      const text = readFileSync(join(conformance, file), 'utf8')
      return (JSON.parse(text) as { tests: PurlTest[] }).tests
    })

    const failed = tests
      .filter((test) => !passes(test))
      .map(({ test_type, input }) => `${test_type} ${JSON.stringify(input)}`)

    expect(failed.toSorted()).toEqual(Object.keys(DEVIATIONS).toSorted())
    expect(tests.length - failed.length).toBe(463)
  })
})

it.each`
  declared                     | written                      | because
  ${'pkg:PyPI/My_Package@1.0'} | ${'pkg:pypi/my-package@1.0'} | ${'its type has rules'}
  ${'pkg://npm/%40Acme/x@1'}   | ${'pkg:npm/%40Acme/x@1'}     | ${'it is canonical'}
  ${'pkg:generic/%zz'}         | ${'pkg:generic/%zz'}         | ${'it is no purl'}
  ${'busybox 1.36'}            | ${'busybox 1.36'}            | ${'it is no purl'}
`(
  'writes $declared as $written, as $because',
  ({ declared, written }: Record<'declared' | 'written', string>) => {
    expect(normalisePurl(declared)).toBe(written)
  },
)
