import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { givenAuthority } from '../../../test/given-certificates.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { hashCertificate, MalformedCertificate, parseCertificate } from './certificate.ts'
import { parseCertificateHeader, parseForwarded } from './forwarded-certificate.ts'

const isMissing = spawnSync('which', ['openssl']).status !== 0
if (isMissing) process.stderr.write('forwarded-certificate.test.ts is skipped: no openssl\n')

/** As Envoy writes it: names of certificates stand there as they are. */
interface Element {
  hash: string
  cert?: string | undefined
  uri?: string | undefined
}

const writeElement = ({ hash, cert, uri }: Element) =>
  [`Hash=${hash}`, cert !== undefined && `Cert="${cert}"`, uri !== undefined && `URI=${uri}`]
    .filter((field) => field !== false)
    .join(';')

describe('the fields of x-forwarded-client-cert', () => {
  it.each`
    text                                      | elements
    ${'Hash=ab'}                              | ${[[['hash', 'ab']]]}
    ${'By=spiffe://a;hash=ab;URI='}           | ${[[['by', 'spiffe://a'], ['hash', 'ab'], ['uri', '']]]}
    ${'Subject="CN=a\\"b,O=c;d";DNS=x;DNS=y'} | ${[[['subject', 'CN=a"b,O=c;d'], ['dns', 'x'], ['dns', 'y']]]}
    ${'Hash=ab,Hash=cd;URI=u?a=b'}            | ${[[['hash', 'ab']], [['hash', 'cd'], ['uri', 'u?a=b']]]}
    ${'Subject="CN=ends\\\\";URI=u'}          | ${[[['subject', 'CN=ends\\\\'], ['uri', 'u']]]}
  `('of $text', ({ text, elements }: { text: string; elements: unknown }) => {
    expect(parseForwarded(text)).toEqual(elements)
  })

  it.each([
    'Hash',
    'Hash=ab;',
    'Hash=ab,',
    'Hash=ab, Hash=cd',
    'Hash="ab',
    'Hash=a"b',
    'Subject="a"b',
    'Subject="a\\',
    '=ab',
    'H-sh=ab',
  ])('refuses %j', (text) => {
    expect(() => parseForwarded(text)).toThrow(MalformedCertificate)
  })

  it('are what was written, whatever their values', () => {
    const value = fc
      .string({ unit: 'binary', maxLength: 20 })
      .map((text) => text.replaceAll('\\', ''))
    const name = fc.constantFrom('by', 'hash', 'cert', 'chain', 'subject', 'uri', 'dns')
    const field = fc.tuple(name, value)
    const elements = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 4,
    })
    fc.assert(
      fc.property(elements, (written) => {
        const text = written
          .map((element) =>
            element.map(([key, said]) => `${key}="${said.replaceAll('"', '\\"')}"`).join(';'),
          )
          .join(',')

        expect(parseForwarded(text)).toEqual(written)
      }),
      { numRuns: propertyRuns(1_000) },
    )
  })
})

describe.skipIf(isMissing)('the certificate of x-forwarded-client-cert', () => {
  const authority = isMissing ? undefined : givenAuthority()
  const made = (name: string) => {
    const pem = authority?.issue(name).pem ?? ''
    const hash = hashCertificate(parseCertificate(pem)).toString('hex')
    return { hash, cert: encodeURIComponent(pem) }
  }
  const [own, forged] = isMissing ? [] : [made('own'), made('forged')]
  if (!own || !forged) return
  const read = (text: string) => hashCertificate(parseCertificateHeader(text)).toString('hex')

  it('is that of the only element, with whatever fields', () => {
    const { hash, cert } = own
    const all = `By=spiffe://a/b;By=c;Hash=${hash.toUpperCase()};Cert="${cert}";Chain="${cert}${forged.cert}";Subject="CN=\\"a\\",O=b;c";URI=;URI=urn:x;DNS=a;DNS=b`

    expect(read(all)).toBe(hash)
    expect(read(`hash=${hash};cert="${cert}"`)).toBe(hash)
  })

  const mine = writeElement(own)
  const theirs = writeElement(forged)
  const { hash } = own
  it.each([
    ['appended to what the client sent', `${theirs},${mine}`],
    ['with what the client sent behind it', `${mine},${theirs}`],
    ['twice the same', `${mine},${mine}`],
    ['without a hash', `Cert="${own.cert}"`],
    ['with the hash of another one', `Hash=${forged.hash};Cert="${own.cert}"`],
    ['without a certificate', `Hash=${hash};Subject="CN=own"`],
    ['with an empty certificate', `Hash=${hash};Cert=""`],
    ['with two certificates', `${mine};Cert="${forged.cert}"`],
    ['with a URI that holds another element', writeElement({ ...own, uri: `x,${theirs}` })],
    ['with a URI that holds a certificate', writeElement({ hash, uri: `x;Cert="${forged.cert}"` })],
    [
      'with a URI that ends the quoted text of the client',
      `${theirs};URI=",${writeElement({ hash, uri: '";DNS=x' })}`,
    ],
    ['with a chain as the certificate', `Hash=${hash};Cert="${own.cert}${forged.cert}"`],
  ])('is refused %s', (_, text) => {
    expect(() => read(text)).toThrow(MalformedCertificate)
  })

  it('is never one that the client chose, whatever it sends before it and has as its names', () => {
    const part = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('"', ',', ';', '\\', '=', 'URI=', 'DNS="', 'X') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          theirs,
          `Cert="${forged.cert}"`,
          `Hash=${forged.hash}`,
          `hash="${forged.hash}"`,
          mine,
        ),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 5 }) },
    )
    const chosen = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''))
    const header = fc.record({
      before: fc.option(chosen),
      cert: fc.constantFrom(own.cert, undefined),
      uri: fc.option(chosen, { nil: undefined }),
    })
    fc.assert(
      fc.property(header, ({ before, cert, uri }) => {
        const element = writeElement({ hash, cert, uri })
        let found = hash
        try {
          found = read(before === null ? element : `${before},${element}`)
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedCertificate)
        }

        expect(found).toBe(hash)
      }),
      { numRuns: propertyRuns(3_000) },
    )
  })
})
