import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../test/property-runs.ts'
import { checkDsse, DsseFault, encodePae, readDsseEnvelope } from './dsse.ts'
import { limitTries } from './images/key-tries.ts'
import { describeKey } from './images/public-keys.ts'

/** From the specification: https://github.com/secure-systems-lab/dsse/blob/v1.0.0/protocol.md#test-vectors */
const PUBLISHED = {
  payload: 'aGVsbG8gd29ybGQ=',
  payloadType: 'http://example.com/HelloWorld',
  signatures: [
    {
      sig: 'A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==',
    },
  ],
}

const encodeNumber = (decimal: bigint) =>
  Buffer.from(decimal.toString(16).padStart(64, '0'), 'hex').toString('base64url')

const PUBLISHED_KEY = createPublicKey({
  format: 'jwk',
  key: {
    kty: 'EC',
    crv: 'P-256',
    x: encodeNumber(46950820868899156662930047687818585632848591499744589407958293238635476079160n),
    y: encodeNumber(5640078356564379163099075877009565129882514886557779369047442380624545832820n),
  },
})

const haveKeys = (...keys: KeyObject[]) =>
  limitTries(
    {
      publicKeys: keys.map((key) => describeKey(key)),
      certificates: [],
    },
    'statements',
  )

describe('the example of the specification', () => {
  it('has the encoding that is signed', () => {
    expect(encodePae('http://example.com/HelloWorld', Buffer.from('hello world')).toString()).toBe(
      'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
    )
  })

  it('is valid by its key, and has no key where that is not at hand', async () => {
    const envelope = readDsseEnvelope(PUBLISHED)
    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).publicKey

    expect(await checkDsse(envelope, haveKeys(other, PUBLISHED_KEY))).toMatchObject([
      { outcome: 'Valid', keyFingerprint: describeKey(PUBLISHED_KEY).fingerprint },
    ])
    expect(await checkDsse(envelope, haveKeys(other))).toMatchObject([
      { outcome: 'NoKey', keyFingerprint: null },
    ])
  })
})

const SIGNERS = [
  ['Ed25519', generateKeyPairSync('ed25519'), null],
  ['ECDSA P-256', generateKeyPairSync('ec', { namedCurve: 'prime256v1' }), 'sha256'],
  [
    'ECDSA P-384 with its own hash',
    generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
    'sha384',
  ],
  ['ECDSA P-384 as cosign signs', generateKeyPairSync('ec', { namedCurve: 'secp384r1' }), 'sha256'],
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }), 'sha256'],
] as const

const TYPE = 'application/vnd.in-toto+json'

describe.each(SIGNERS)('signed with %s', (_, { publicKey, privateKey }, hash) => {
  const signed = (payload: Buffer) => ({
    payloadType: TYPE,
    payload: payload.toString('base64'),
    signatures: [{ sig: sign(hash, encodePae(TYPE, payload), privateKey).toString('base64url') }],
  })

  it('is valid, and with one byte of the payload or its type changed it never is', async () => {
    const changes = fc.record({
      payload: fc.uint8Array({ minLength: 1, maxLength: 300 }),
      at: fc.nat(),
      bits: fc.integer({ min: 1, max: 255 }),
      isOfType: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(changes, async ({ payload, at, bits, isOfType }) => {
        const envelope = readDsseEnvelope(signed(Buffer.from(payload)))
        const changed = Buffer.from(isOfType ? TYPE : payload)
        changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ bits
        const other = isOfType
          ? { ...envelope, payloadType: changed.toString('latin1') }
          : { ...envelope, payload: changed }

        expect((await checkDsse(envelope, haveKeys(publicKey)))[0]?.outcome).toBe('Valid')
        expect((await checkDsse(other, haveKeys(publicKey)))[0]?.outcome).toBe('NoKey')
      }),
      { numRuns: propertyRuns(60, 20) },
    )
  })
})

it('is invalid where it names a key at hand that has not signed it', async () => {
  const [, { publicKey, privateKey }] = SIGNERS[1]
  const { fingerprint } = describeKey(publicKey)
  const sig = sign('sha256', encodePae(TYPE, Buffer.from('one')), privateKey).toString('base64')
  const names = [
    fingerprint,
    `SHA256:${Buffer.from(fingerprint, 'hex').toString('base64').slice(0, -1)}`,
  ]
  for (const keyid of names) {
    const envelope = {
      payloadType: TYPE,
      payload: Buffer.from('two').toString('base64'),
      signatures: [{ sig, keyid }],
    }
    expect(await checkDsse(readDsseEnvelope(envelope), haveKeys(publicKey))).toMatchObject([
      { outcome: 'Invalid' },
    ])
  }
})

it.each([
  ['no payload type', { ...PUBLISHED, payloadType: '' }, 'no payloadType'],
  ['a payload that is not Base64', { ...PUBLISHED, payload: 'aGVs*G8gd29ybGQ=' }, 'not Base64'],
  [
    'bits after the end of the payload',
    { ...PUBLISHED, payload: 'aGVsbG8gd29ybGR=' },
    'not Base64',
  ],
  ['both alphabets at once', { ...PUBLISHED, payload: '-_+/' }, 'not Base64'],
  ['white space in the payload', { ...PUBLISHED, payload: 'aGVs bG8gd29ybGQ=' }, 'not Base64'],
  ['no signature', { ...PUBLISHED, signatures: [] }, 'no signature'],
  ['a signature that is none', { ...PUBLISHED, signatures: [{ sig: '!' }] }, 'Signature 1'],
  ['an empty signature', { ...PUBLISHED, signatures: [{ sig: '' }] }, 'Signature 1'],
  [
    'eleven signatures',
    { ...PUBLISHED, signatures: Array.from({ length: 11 }, () => PUBLISHED.signatures[0]) },
    '11 signatures',
  ],
  ['a list in place of the envelope', [PUBLISHED], 'not a JSON object'],
])('is refused with %s', (_, envelope, says) => {
  expect(() => readDsseEnvelope(envelope)).toThrow(DsseFault)
  expect(() => readDsseEnvelope(envelope)).toThrow(says)
})
