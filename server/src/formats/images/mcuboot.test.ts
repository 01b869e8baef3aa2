import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeMcubootImage } from '../../../test/given-mcuboot.ts'
import { examineImage } from './examine-image.ts'
import { createImageBytes } from './image-bytes.ts'
import { judgeImage, type TrustedKey } from './judge-image.ts'
import { describeKey, readKey } from './public-keys.ts'

const NOW = new Date('2026-11-30T00:00:00Z')

const pairs = {
  'RSA-2048': generateKeyPairSync('rsa', { modulusLength: 2048 }),
  'RSA-3072': generateKeyPairSync('rsa', { modulusLength: 3072 }),
  'ECDSA P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  Ed25519: generateKeyPairSync('ed25519'),
}

async function judge(content: Uint8Array, trusted: readonly KeyObject[]) {
  const keys = trusted.map(describeKey)
  const facts = await examineImage(createImageBytes(content), {
    publicKeys: keys,
    certificates: [],
  })
  const named = keys.map(({ fingerprint }, index): TrustedKey => ({
    id: `${index}`,
    name: `key ${index}`,
    fingerprint,
  }))
  return { ...judgeImage(facts, named, NOW), facts }
}

describe.each(Object.entries(pairs))('an image of MCUboot signed with %s', (_name, pair) => {
  const image = makeMcubootImage({ keys: [pair.privateKey], securityCounter: 7 })

  it('is verified by the trusted key, with what it states', async () => {
    const { state, reason, facts } = await judge(image, [pair.publicKey])

    expect([state, reason]).toEqual(['Verified', 'Signed with the trusted key key 0.'])
    expect(facts).toMatchObject({
      format: 'MCUboot',
      statement: { version: '2.4.1', securityCounter: 7 },
    })
  })

  it('is untrusted where another key is trusted', async () => {
    const { state, signatures } = await judge(
      image,
      [pairs.Ed25519.publicKey].filter((key) => key !== pair.publicKey),
    )

    expect(state).toBe('Untrusted')
    expect(signatures[0]?.keyId).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is not verified with any one byte changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: image.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        async (at, difference) => {
          const changed = Buffer.from(image)
          changed.writeUInt8(changed.readUInt8(at) ^ difference, at)

          const { state } = await judge(changed, [pair.publicKey])

          expect(state).not.toBe('Verified')
        },
      ),
    )
  })

  it('is broken with a byte of the image changed, and not merely untrusted', async () => {
    const changed = Buffer.from(image)
    changed.writeUInt8(changed.readUInt8(2_000) ^ 1, 2_000)

    expect(await judge(changed, [pair.publicKey])).toMatchObject({ state: 'Broken' })
  })
})

describe('an image of MCUboot', () => {
  const { privateKey, publicKey } = pairs['ECDSA P-256']

  it('without a signature is not signed', async () => {
    expect(await judge(makeMcubootImage(), [publicKey])).toMatchObject({ state: 'NotSigned' })
  })

  it('that is encrypted cannot be checked, and says so', async () => {
    const image = makeMcubootImage({ keys: [privateKey], flags: 4 })
    image.writeUInt8(image.readUInt8(2_000) ^ 1, 2_000)

    const { state, reason, facts } = await judge(image, [publicKey])

    expect(state).toBe('NotChecked')
    expect(reason).toContain('encrypted')
    expect(facts.statement.version).toBe('2.4.1')
  })

  it('with ten signatures is verified by the one trusted key among theirs', async () => {
    const others = Array.from({ length: 9 }, () => generateKeyPairSync('ed25519').privateKey)
    const image = makeMcubootImage({ keys: [...others, privateKey] })

    const { state, signatures } = await judge(image, [publicKey])

    expect(state).toBe('Verified')
    expect(signatures).toHaveLength(10)
    expect(signatures.filter(({ trustedKey }) => trustedKey !== null)).toHaveLength(1)
  })

  it.each`
    what                                      | image
    ${'no key'}                               | ${makeMcubootImage({ unguarded: [[0x22, Buffer.alloc(70, 0x30)]] })}
    ${'the key of the signature before only'} | ${withSecondSignature()}
  `('whose signature names $what is not verified', async ({ image }: { image: Buffer }) => {
    const { state, reason } = await judge(image, [publicKey])

    expect(state).toBe('NotChecked')
    expect(reason).toContain('MCUboot skips')
  })

  it('tells what stands behind it and belongs to no signature', async () => {
    const image = Buffer.concat([makeMcubootImage({ keys: [privateKey] }), Buffer.alloc(500, 0xff)])

    const { state, facts } = await judge(image, [publicKey])

    expect(state).toBe('Verified')
    expect(facts.notes).toEqual(['500 bytes after the image belong to no signature.'])
  })

  it.each`
    what                                              | image
    ${'a hash of its own in the part that is signed'} | ${makeMcubootImage({ keys: [privateKey], guarded: [[0x10, Buffer.alloc(32)]] })}
    ${'two hashes'}                                   | ${makeMcubootImage({ keys: [privateKey], unguarded: [[0x10, Buffer.alloc(32)]] })}
    ${'two security counters'}                        | ${makeMcubootImage({ keys: [privateKey], securityCounter: 1, guarded: [[0x50, Buffer.alloc(4)]] })}
    ${'a counter of two bytes'}                       | ${makeMcubootImage({ keys: [privateKey], guarded: [[0x50, Buffer.alloc(2)]] })}
    ${'33 signatures'}                                | ${makeMcubootImage({ unguarded: Array.from({ length: 33 }, () => [0x24, Buffer.alloc(64)] as const) })}
    ${'a public key that is none'}                    | ${makeMcubootImage({ keys: [privateKey], unguarded: [[0x02, Buffer.alloc(40)]] })}
    ${'a size beyond the file'}                       | ${withSize(makeMcubootImage({ keys: [privateKey] }), 0xffff_fff0)}
    ${'a size within the image'}                      | ${withSize(makeMcubootImage({ keys: [privateKey] }), 10)}
    ${'a header size of 0'}                           | ${withHeaderSize(makeMcubootImage({ keys: [privateKey] }), 0)}
  `('with $what is broken', async ({ image }: { image: Buffer }) => {
    const { state, reason } = await judge(image, [publicKey])

    expect(state).toBe('Broken')
    expect(reason).toMatch(/\.$/)
  })

  it('is never verified when it was cut off anywhere, and never fails the examiner', async () => {
    const image = makeMcubootImage({
      keys: [privateKey],
      securityCounter: 1,
      body: Buffer.alloc(64),
    })

    for (let length = 0; length < image.length; length++)
      expect((await judge(image.subarray(0, length), [publicKey])).state).not.toBe('Verified')
  })

  it('of 4 GiB is hashed piece by piece', async () => {
    const size = 4 * 1024 ** 3
    const header = makeMcubootImage({ body: Buffer.alloc(0) }).subarray(0, 32)
    header.writeUInt32LE(size - 32 - 4, 12)
    let longest = 0
    const facts = await examineImage(
      {
        size,
        read: (offset, length) => {
          longest = Math.max(longest, length)
          const bytes = Buffer.alloc(Math.min(length, size - offset))
          if (offset === 0) header.copy(bytes)
          return Promise.resolve(bytes)
        },
        stream: () => ({
          [Symbol.asyncIterator]: () => ({
            next: () => Promise.resolve({ done: true, value: undefined }),
          }),
        }),
      },
      { publicKeys: [], certificates: [] },
    )

    expect(facts.fault).toMatch(/^No list of TLVs begins at byte 4294967292/)
    expect(longest).toBeLessThanOrEqual(64 * 1024)
  })
})

/** The first one is of another kind, so that the second takes nothing from it. */
function withSecondSignature(): Buffer {
  const [first, second] = [0x24, 0x22].map((type) => [type, Buffer.alloc(70, 0x30)] as const)
  return makeMcubootImage({ unguarded: first && second ? [first, second] : [] })
}

function withSize(image: Buffer, size: number): Buffer {
  image.writeUInt32LE(size, 12)
  return image
}

function withHeaderSize(image: Buffer, size: number): Buffer {
  image.writeUInt16LE(size, 8)
  return image
}

interface Vector {
  made: string
  publicKey: string
  image: string
  version: string
  securityCounter: number | null
  testKey: string | null
}

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, 'fixtures/imgtool-2.5.0.json'), 'utf8'),
) as Vector[]

describe('an image that imgtool 2.5.0 made', () => {
  it.each(vectors)(
    'by $made is verified',
    async ({ publicKey, image, version, securityCounter, testKey }) => {
      const bytes = Buffer.from(image, 'base64')
      const { publicKey: trusted } = readKey(publicKey)

      const verdict = await judge(bytes, [trusted.key])

      expect(verdict).toMatchObject({
        state: 'Verified',
        testKey,
        facts: { statement: { version, securityCounter } },
      })
      expect((await judge(bytes, [])).testKey).toBe(testKey)
    },
  )
})
