/** What the signatures of one upload may cost, and that a bound never reads as an answer. */
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  sign,
  X509Certificate,
} from 'node:crypto'
import { readFileSync } from 'node:fs'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Certificate, SubjectPublicKeyInfo } from '@peculiar/asn1-x509'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AUTHORITY, givenAuthority, LEAF } from '../../../test/given-authority.ts'
import { isDeep } from '../../../test/property-runs.ts'
import { checkDsse, encodePae } from '../dsse.ts'
import { canonicalizeJson } from '../sbom-signatures/canonical-json.ts'
import { examineSbom } from '../sbom-signatures/examine-sbom.ts'
import { judgeSbom } from '../sbom-signatures/judge-sbom.ts'
import { readCertificateFacts } from './certificate-chain.ts'
import { checkDetached, type DetachedSignature } from './detached-signature.ts'
import { createImageBytes } from './image-bytes.ts'
import { describeImage, type SignatureFact } from './image-facts.ts'
import { judgeImage, type TrustedKey } from './judge-image.ts'
import { limitTries, MOST_TRIES } from './key-tries.ts'
import { describeKey, KeyFault, type PublicKey, readKeptKey, readKey } from './public-keys.ts'

const makeEc = () => describeKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)
const OTHERS = Array.from({ length: 210 }, makeEc)
const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const FILE = Buffer.from('an image of an unknown format')

const have = (publicKeys: readonly PublicKey[]) =>
  limitTries({ publicKeys, certificates: [] }, 'files')

const signRaw = (text: string): DetachedSignature => ({
  kind: 'raw',
  signature: sign('sha256', Buffer.from(text), signer.privateKey),
})

const judgeFacts = (signatures: readonly SignatureFact[]) =>
  judgeImage(describeImage('NotKnown', { signatures }), [], new Date())

const sumUntried = (facts: readonly SignatureFact[]) =>
  facts.reduce((sum, { untriedCount = 0 }) => sum + untriedCount, 0)

describe('signatures beside a file that name no key', () => {
  it('are tried 200 times at most, of however many keys and signatures, and say where that was not all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 0, max: OTHERS.length }),
        async (signatureCount, keyCount) => {
          const signatures = Array.from({ length: signatureCount }, (_, index) =>
            signRaw(`other bytes ${index}`),
          )
          const keys = have(OTHERS.slice(0, keyCount))

          const facts = await checkDetached(createImageBytes(FILE), signatures, keys)

          const all = signatureCount * keyCount
          const tried = all - sumUntried(facts)
          expect(tried).toBe(Math.min(all, MOST_TRIES))
          expect(keys.room.tries).toBe(MOST_TRIES - tried)
          const { state, reason } = judgeFacts(facts)
          if (all <= MOST_TRIES) {
            expect(state).toBe('Untrusted')
            expect(reason).toContain('None of the trusted keys has made the signature')
          } else {
            expect(state).toBe('NotChecked')
            expect(reason).toContain('not tried, so nobody can tell here whether a trusted key')
          }
        },
      ),
      { numRuns: isDeep ? 3_000 : 8 },
    )
  })

  it('are tried with fewer keys where the file is large, as each try hashes all of it', async () => {
    const keys = have(OTHERS)
    // eslint-disable-next-line typescript/require-await -- the same shape as a file has
    const stream = async function* () {
      yield FILE
    }
    const image = { size: 4 * 1024 ** 3, read: () => Promise.resolve(FILE), stream }

    const facts = await checkDetached(image, [signRaw('one'), signRaw('two')], keys)

    expect(2 * OTHERS.length - sumUntried(facts)).toBe(8)
    expect(judgeFacts(facts).state).toBe('NotChecked')
  })

  it('are verified by a trusted key that was tried, whatever was not', async () => {
    const own = describeKey(signer.publicKey)
    const keys = have([own, ...OTHERS])
    const signatures = [signRaw(FILE.toString()), signRaw('other bytes'), signRaw('more')]

    const facts = await checkDetached(createImageBytes(FILE), signatures, keys)

    const trusted = [{ id: '1', name: 'Release key', fingerprint: own.fingerprint }]
    const verdict = judgeImage(
      describeImage('NotKnown', { signatures: facts }),
      trusted,
      new Date(),
    )
    expect(verdict.state).toBe('Verified')
  })
})

const ed25519 = generateKeyPairSync('ed25519')
const manyEd25519 = Array.from({ length: 210 }, () =>
  describeKey(generateKeyPairSync('ed25519').publicKey),
)
const rsa = describeKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)

/** Documents and what stands beside them, each by a key that is not at hand. */
const DOCUMENT = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 }
const PLAIN = JSON.stringify(DOCUMENT)

function signInside(): string {
  const unsigned = { algorithm: 'ES256' }
  const message = Buffer.from(canonicalizeJson({ ...DOCUMENT, signature: unsigned }))
  const key = { key: signer.privateKey, dsaEncoding: 'ieee-p1363' } as const
  const value = sign('sha256', message, key).toString('base64url')
  return JSON.stringify({ ...DOCUMENT, signature: { ...unsigned, value } })
}

function makeEnvelope(): string {
  const payload = Buffer.from(
    JSON.stringify({
      subject: [{ digest: { sha256: createHash('sha256').update(PLAIN).digest('hex') } }],
    }),
  )
  const sig = sign('sha256', encodePae('x', payload), signer.privateKey).toString('base64')
  const signatures = [{ sig }, { sig }, { sig }]
  return JSON.stringify({ payloadType: 'x', payload: payload.toString('base64'), signatures })
}

describe('signatures of an SBOM have the same bound and the same words', () => {
  it.each([
    ['JSF', signInside(), []],
    ['DSSE', PLAIN, [makeEnvelope()]],
    ['cosign', PLAIN, [sign('sha256', Buffer.from('other'), signer.privateKey).toString('base64')]],
  ])('%s', async (_kind, document, beside) => {
    const examine = (publicKeys: readonly PublicKey[]) =>
      examineSbom(Buffer.from(document), { keys: { publicKeys, certificates: [] }, beside })

    const few = judgeSbom(await examine(OTHERS.slice(0, 20)), [], new Date())
    const many = judgeSbom(await examine(OTHERS), [], new Date())

    expect(few.state).toBe('Untrusted')
    expect(many.state).toBe('NotChecked')
    expect(many.reason).toContain('not tried, so nobody can tell here whether a trusted key')
  })

  it('also where a statement brings ten signatures', async () => {
    const payload = Buffer.from('{}')
    const signature = sign('sha256', encodePae('x', Buffer.from('other')), signer.privateKey)
    const signatures = Array.from({ length: 10 }, () => ({ keyId: null, signature }))
    const keys = limitTries({ publicKeys: OTHERS, certificates: [] }, 'statements')

    const facts = await checkDsse({ payloadType: 'x', payload, signatures }, keys)

    expect(10 * OTHERS.length - sumUntried(facts)).toBe(MOST_TRIES)
  })
})

describe('old signatures of minisign and Ed25519 over a file itself, which each try hashes whole,', () => {
  it.each([
    ['Ed25519', { kind: 'raw', signature: sign(null, Buffer.from('other'), ed25519.privateKey) }],
    [
      'minisign -l',
      {
        kind: 'minisign',
        keyId: '1122334455667788',
        isPrehashed: false,
        signature: sign(null, Buffer.from('other'), ed25519.privateKey),
        commented: Buffer.alloc(0),
        commentSignature: Buffer.alloc(64),
      },
    ],
  ] as const)('%s: are tried 200 times at most', async (_kind, signature) => {
    const keys = have(manyEd25519)

    const facts = await checkDetached(createImageBytes(FILE), [signature, signature], keys)

    expect(2 * manyEd25519.length - sumUntried(facts)).toBe(MOST_TRIES)
    expect(judgeFacts(facts).state).toBe('NotChecked')
  })
})

describe('an RSA key of 16,384 bits', () => {
  const n = Buffer.alloc(2_048, 0xf1).toString('base64url')
  const huge = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
  const pem = huge.export({ type: 'spki', format: 'pem' }).toString()

  it('is trusted no more, and is read where it was trusted before', () => {
    expect(() => readKey(pem)).toThrow(KeyFault)
    expect(() => readKey(pem)).toThrow(
      'An RSA key of 16384 bits takes too long to check: use 8192 or less.',
    )
    expect(readKeptKey(pem).publicKey.fingerprint).toHaveLength(64)
  })

  it('is never tried, which the reason says', async () => {
    const signature: DetachedSignature = { kind: 'raw', signature: Buffer.alloc(2_048, 1) }

    const facts = await checkDetached(
      createImageBytes(FILE),
      [signature],
      have([describeKey(huge), rsa]),
    )

    expect(sumUntried(facts)).toBe(1)
    expect(judgeFacts(facts).reason).toContain(
      'Of the keys that may have made a signature, 1 was not tried',
    )
  })
})

const authority = givenAuthority()
const { path, issue } = authority
afterAll(authority.remove)
beforeAll(() => {
  issue('root', { extensions: AUTHORITY })
  issue('signer', { by: 'root', extensions: LEAF })
})

const readDer = (name: string) => new X509Certificate(readFileSync(path(`${name}.pem`))).raw

const trust = (ders: readonly Buffer[]) =>
  ders.map((der, index): TrustedKey => {
    const certificate = readCertificateFacts(der)
    const { fingerprint } = describeKey(certificate.certificate.publicKey)
    return { id: String(index), name: `key ${index}`, fingerprint, certificate }
  })

/** Authorities of one name, each with a key of its own that issued nothing. */
const NAMESAKES = 205
let namesakes: readonly Buffer[]
let trustedNamesakes: readonly TrustedKey[]
beforeAll(() => {
  const certificate = AsnConvert.parse(readDer('root'), Certificate)
  namesakes = OTHERS.slice(0, NAMESAKES).map(({ key }) => {
    const spki = key.export({ type: 'spki', format: 'der' })
    certificate.tbsCertificate.subjectPublicKeyInfo = AsnConvert.parse(spki, SubjectPublicKeyInfo)
    return Buffer.from(AsnConvert.serialize(certificate))
  })
  trustedNamesakes = trust(namesakes)
})

const signedBy = (name: string, more: readonly Buffer[] = []): SignatureFact => ({
  scheme: 'CMS',
  outcome: 'Valid',
  keyId: null,
  keyFingerprint: describeKey(new X509Certificate(readDer(name)).publicKey).fingerprint,
  certificates: [readDer(name), ...more].map((der) => der.toString('base64')),
  detail: null,
})

/** An hour from now, as certificates begin with the second in which they are made. */
const soon = () => new Date(Date.now() + 3_600_000)

describe('certificates of one name', () => {
  it.each`
    count  | withRoot | state           | says
    ${150} | ${true}  | ${'Verified'}   | ${'Signed with the trusted key the root.'}
    ${150} | ${false} | ${'Untrusted'}  | ${'No trusted certificate has issued that of the signer'}
    ${205} | ${false} | ${'NotChecked'} | ${'200 signatures of certificates were checked, and the others were not'}
    ${205} | ${true}  | ${'NotChecked'} | ${'nobody can tell here whether one leads to a trusted certificate'}
  `(
    'of which $count are trusted (and the one that issued: $withRoot) make a file $state',
    ({
      count,
      withRoot,
      state,
      says,
    }: {
      count: number
      withRoot: boolean
      state: string
      says: string
    }) => {
      const root = trust([readDer('root')]).map((one) => ({ ...one, name: 'the root' }))
      const trusted = [...trustedNamesakes.slice(0, count), ...(withRoot ? root : [])]
      const facts = describeImage('RAUC', { signatures: [signedBy('signer')] })

      const verdict = judgeImage(facts, trusted, soon())

      expect(verdict.state).toBe(state)
      expect(verdict.reason).toContain(says)
      expect(judgeSbom({ ...facts }, trusted, soon())).toMatchObject({
        state,
        reason: verdict.reason,
      })
    },
  )

  it('cost 200 checks of signatures at most, of however many signers with 50 certificates each', () => {
    const verify = vi.spyOn(X509Certificate.prototype, 'verify')
    const signatures = Array.from({ length: 32 }, () => signedBy('signer', namesakes.slice(0, 50)))

    const { state } = judgeImage(describeImage('RAUC', { signatures }), trustedNamesakes, soon())
    const count = verify.mock.calls.length
    verify.mockRestore()

    expect(state).toBe('NotChecked')
    expect(count).toBe(200)
  })
})
