import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodePae } from '../dsse.ts'
import type { TrustedKey } from '../images/judge-image.ts'
import { limitTries } from '../images/key-tries.ts'
import { describeKey, type KeysAtHand } from '../images/public-keys.ts'
import { canonicalizeJson } from './canonical-json.ts'
import { examineSbom } from './examine-sbom.ts'
import { judgeSbom } from './judge-sbom.ts'
import { checkJsf } from './jsf.ts'
import { EXCLUDING_VECTORS, JSF_VECTORS } from './jsf-vectors.ts'

const NO_KEYS = limitTries({ publicKeys: [], certificates: [] }, 'documents')
const NOW = new Date('2026-11-30T10:00:00Z')

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ed = generateKeyPairSync('ed25519')

const PAIRS = {
  ES256: { ...ec, hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' as const } },
  RS256: { ...rsa, hash: 'sha256', options: {} },
  Ed25519: { ...ed, hash: null, options: {} },
}
type Algorithm = keyof typeof PAIRS

const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: [{ type: 'library', name: 'openssl', version: '3.0.15', hashes: [] }],
}

/** The document with a signature of its own, as the format says. */
function signJsf(document: object, algorithm: Algorithm, more: object = {}): object {
  const { privateKey, hash, options } = PAIRS[algorithm]
  const unsigned = { algorithm, ...more }
  const message = Buffer.from(canonicalizeJson({ ...document, signature: unsigned }))
  const value = sign(hash, message, { key: privateKey, ...options }).toString('base64url')
  return { ...document, signature: { ...unsigned, value } }
}

const embed = (key: KeyObject) => ({ publicKey: key.export({ format: 'jwk' }) })

function trust(...keys: KeyObject[]): { keys: KeysAtHand; trusted: TrustedKey[] } {
  const publicKeys = keys.map(describeKey)
  return {
    keys: { publicKeys, certificates: [] },
    trusted: publicKeys.map(({ fingerprint }, index) => ({
      id: `k${index}`,
      name: `key ${index}`,
      fingerprint,
    })),
  }
}

const ALL = trust(ec.publicKey, rsa.publicKey, ed.publicKey)

async function judge(
  file: string | Buffer,
  { keys, trusted }: typeof ALL = ALL,
  beside: readonly string[] = [],
) {
  return judgeSbom(await examineSbom(Buffer.from(file), { keys, beside }), trusted, NOW)
}

describe('a signature inside the document', () => {
  it.each(Object.entries(JSF_VECTORS))('is valid: vector %s', async (_name, document) => {
    const facts = await checkJsf(document, NO_KEYS)
    expect(facts.map(({ outcome }) => outcome)).toEqual(facts.map(() => 'Valid'))
  })

  it.each(Object.entries(JSF_VECTORS))(
    'is invalid once a member changed: vector %s',
    async (_name, one) => {
      const facts = await checkJsf({ ...one, name: 'Jim' }, NO_KEYS)
      expect(facts.map(({ outcome }) => outcome)).toEqual(facts.map(() => 'Invalid'))
    },
  )

  it.each(Object.entries(EXCLUDING_VECTORS))(
    'is not told valid, and is invalid once what it covers changed: vector %s',
    async (_name, one) => {
      const outcome = async (document: object) =>
        (await checkJsf({ ...document }, NO_KEYS)).map((fact) => fact.outcome)
      expect(await outcome(one)).toEqual(['NotSupported'])
      expect(await outcome({ ...one, myUnsignedData: 'other' })).toEqual(['NotSupported'])
      expect(await outcome({ ...one, mySignedData: 'other' })).toEqual(['Invalid'])
    },
  )

  it.each(['ES256', 'RS256', 'Ed25519'] as const)(
    'verifies by the trusted key, whether the key stands in it or not: %s',
    async (algorithm) => {
      const without = JSON.stringify(signJsf(BOM, algorithm))
      const within = JSON.stringify(signJsf(BOM, algorithm, embed(PAIRS[algorithm].publicKey)))
      const states = await Promise.all([judge(without), judge(within), judge(gzipSync(without))])
      expect(states.map(({ state }) => state)).toEqual(['Verified', 'Verified', 'Verified'])
      const untrusted = trust()
      const others = await Promise.all([judge(without, untrusted), judge(within, untrusted)])
      expect(others.map(({ state }) => state)).toEqual(['Untrusted', 'Untrusted'])
    },
  )

  it('verifies however the document is indented and ordered, and never once a value changed', async () => {
    const value = fc.jsonValue({ noUnicodeString: false })
    const text = fc.stringMatching(/^[a-z]{1,8}$/)
    const any = fc.record({ document: fc.dictionary(text, value), name: text, other: value })
    const property = fc.asyncProperty(any, async ({ document, name, other }) => {
      const { signature: _signature, ...rest } = document
      const signed = signJsf({ ...rest, ...BOM }, 'Ed25519')
      const reordered = Object.fromEntries(Object.entries(signed).toReversed())
      expect((await judge(JSON.stringify(reordered, undefined, 2))).state).toBe('Verified')
      const changed = { ...signed, [name]: other }
      const isSame = canonicalizeJson(changed) === canonicalizeJson(signed)
      const { state } = await judge(JSON.stringify(changed))
      if (!isSame) expect(state).not.toBe('Verified')
    })
    await fc.assert(property)
  })

  it('never verifies with one character of its value changed', async () => {
    const text = JSON.stringify(signJsf(BOM, 'ES256'))
    const from = text.indexOf('"value":"') + '"value":"'.length
    for (let at = from; text[at] !== '"'; at += 1) {
      const other = text[at] === 'A' ? 'B' : 'A'
      const { state } = await judge(`${text.slice(0, at)}${other}${text.slice(at + 1)}`)
      expect(state).not.toBe('Verified')
    }
  })

  it('is broken where a member is there twice, as readers see different documents', async () => {
    const text = JSON.stringify(signJsf(BOM, 'ES256'))
    const twice = text.replace('"version":1', '"version":2,"version":1')
    const found = await judge(twice)
    expect([found.state, found.reason]).toEqual(['Broken', expect.stringContaining('/version')])
    const hidden = text.replace('{', '{"signature":null,')
    expect((await judge(hidden)).state).toBe('Broken')
  })

  it('is not checked where it leaves out members, by what it leaves out', async () => {
    const { components, ...rest } = BOM
    const { privateKey, options } = PAIRS.ES256
    const signature = { algorithm: 'ES256' }
    const message = Buffer.from(canonicalizeJson({ ...rest, signature }))
    const value = sign('sha256', message, { key: privateKey, ...options }).toString('base64url')
    const excludes = ['components']
    const document = { ...rest, components, signature: { ...signature, excludes, value } }
    const { state, reason } = await judge(JSON.stringify(document))
    expect([state, reason]).toEqual(['NotChecked', expect.stringContaining('components')])
  })

  it.each([
    ['NotChecked', { algorithm: 'HS256', value: 'AA' }],
    ['NotChecked', { algorithm: '__proto__', value: 'AA' }],
    ['NotChecked', { algorithm: 'ES256', value: 'AA', extensions: ['x'], x: 1 }],
    ['Broken', 'yes'],
    ['Broken', { signers: [] }],
    ['Broken', { signers: Array.from({ length: 11 }, () => ({ algorithm: 'ES256' })) }],
    ['Broken', { chain: [{ algorithm: 'ES256', value: 'AA' }], value: 'AA' }],
    ['Broken', { algorithm: 'ES256', value: 'AA', certificatePath: ['AA'] }],
    ['Broken', { algorithm: 'ES256', value: '====' }],
    ['Untrusted', { algorithm: 'ES256', value: 'AA' }],
    ['NotSigned', undefined],
  ])('is %s: %j', async (state, signature) => {
    expect((await judge(JSON.stringify({ ...BOM, signature }))).state).toBe(state)
  })

  it('is never taken for verified, whatever stands there', async () => {
    const names = fc.constantFrom('algorithm', 'value', 'publicKey', 'certificatePath', 'keyId')
    const more = fc.constantFrom('excludes', 'signers', 'chain', 'extensions')
    const some = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('ES256', 'Ed25519', [{ algorithm: 'ES256' }]),
    )
    const any = fc.oneof(fc.jsonValue(), fc.dictionary(fc.oneof(names, more), some))
    await fc.assert(
      fc.asyncProperty(any, async (signature) => {
        const { state, reason } = await judge(JSON.stringify({ ...BOM, signature }))
        expect(state).not.toBe('Verified')
        expect(reason).not.toBe('')
      }),
    )
  })
})

it('says that a signature in XML is not checked, and that an archive is not opened', async () => {
  const xml = '<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.6"'
  const signed = `${xml}><Signature xmlns="http://www.w3.org/2000/09/xmldsig#"/></bom>`
  const states = await Promise.all([
    judge(signed),
    judge(`${xml}/>`),
    judge(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0])),
    judge('x'),
  ])
  expect(states.map(({ state }) => state)).toEqual([
    'NotChecked',
    'NotSigned',
    'NotChecked',
    'NotSigned',
  ])
})

describe('a signature beside the document', () => {
  const text = JSON.stringify(BOM)
  const detached = sign('sha256', Buffer.from(text), ec.privateKey).toString('base64')

  function seal(statement: object, payloadType = 'application/vnd.in-toto+json'): string {
    const payload = Buffer.from(JSON.stringify(statement))
    const sig = sign('sha256', encodePae(payloadType, payload), ec.privateKey).toString('base64')
    const signatures = [{ keyid: '', sig }]
    return JSON.stringify({ payloadType, payload: payload.toString('base64'), signatures })
  }

  it('verifies the bytes, and no others', async () => {
    expect((await judge(text, ALL, [detached])).state).toBe('Verified')
    expect((await judge(`${text} `, ALL, [detached])).state).toBe('Untrusted')
    expect((await judge(text, trust(rsa.publicKey), [detached])).state).toBe('Untrusted')
  })

  it('verifies by an in-toto statement with the document, or of its hash', async () => {
    const sha256 = createHash('sha256').update(text).digest('hex')
    const subject = [{ name: 'sbom', digest: { sha256 } }]
    const states = await Promise.all([
      judge(JSON.stringify(BOM, undefined, 2), ALL, [seal({ subject: [], predicate: BOM })]),
      judge(text, ALL, [seal({ subject, predicate: {} })]),
      judge(text, ALL, [seal({ subject: [], predicate: { ...BOM, version: 2 } })]),
      judge(text, trust(), [seal({ subject, predicate: {} })]),
    ])
    expect(states.map(({ state }) => state)).toEqual([
      'Verified',
      'Verified',
      'Broken',
      'Untrusted',
    ])
  })

  it('does not outweigh a broken one inside', async () => {
    const signed = signJsf(BOM, 'ES256', embed(ec.publicKey))
    const changed = JSON.stringify({ ...signed, version: 2 })
    const beside = sign('sha256', Buffer.from(changed), ec.privateKey).toString('base64')
    expect((await judge(changed, ALL, [beside])).state).toBe('Broken')
  })
})
