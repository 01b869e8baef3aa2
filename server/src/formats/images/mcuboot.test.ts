import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { canRun } from '../../../test/given-authority.ts'
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

  it('tells what stands behind it and belongs to no signature', async () => {
    const image = Buffer.concat([makeMcubootImage({ keys: [privateKey] }), Buffer.alloc(500, 0xff)])

    const { state, facts } = await judge(image, [publicKey])

    expect(state).toBe('Verified')
    expect(facts.notes).toEqual(['500 bytes after the image belong to no signature.'])
  })

  it.each`
    what                           | image
    ${'two hashes'}                | ${makeMcubootImage({ keys: [privateKey], unguarded: [[0x10, Buffer.alloc(32)]] })}
    ${'two security counters'}     | ${makeMcubootImage({ keys: [privateKey], securityCounter: 1, guarded: [[0x50, Buffer.alloc(4)]] })}
    ${'a counter of two bytes'}    | ${makeMcubootImage({ keys: [privateKey], guarded: [[0x50, Buffer.alloc(2)]] })}
    ${'33 signatures'}             | ${makeMcubootImage({ unguarded: Array.from({ length: 33 }, () => [0x24, Buffer.alloc(64)] as const) })}
    ${'a public key that is none'} | ${makeMcubootImage({ keys: [privateKey], unguarded: [[0x02, Buffer.alloc(40)]] })}
    ${'a size beyond the file'}    | ${withSize(makeMcubootImage({ keys: [privateKey] }), 0xffff_fff0)}
    ${'a size within the image'}   | ${withSize(makeMcubootImage({ keys: [privateKey] }), 10)}
    ${'a header size of 0'}        | ${withHeaderSize(makeMcubootImage({ keys: [privateKey] }), 0)}
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

const imgtool = process.env['IMGTOOL'] ?? 'imgtool'
const hasImgtool = canRun(imgtool, 'version')

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-mcuboot-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Skips without imgtool: `pip install imgtool`, and IMGTOOL where it is not in the PATH. */
describe.skipIf(!hasImgtool)('an image that the imgtool of this machine makes', () => {
  it.each`
    type            | sign
    ${'rsa-2048'}   | ${[]}
    ${'rsa-3072'}   | ${[]}
    ${'ecdsa-p256'} | ${['--public-key-format', 'full']}
    ${'ed25519'}    | ${['--sha', '512']}
    ${'ed25519'}    | ${['--pure']}
  `(
    'with $type $sign is verified, and not with a byte changed',
    async ({ type, sign }: { type: string; sign: string[] }) => {
      const path = (name: string) => join(folder, `${type}-${sign.join('')}-${name}`)
      writeFileSync(path('body'), Buffer.alloc(5_000, 0xa5))
      execFileSync(imgtool, ['keygen', '-k', path('key'), '-t', type], { stdio: 'ignore' })
      const pem = execFileSync(imgtool, ['getpub', '-k', path('key'), '-e', 'pem']).toString()
      const layout = ['--header-size', '0x200', '--slot-size', '0x20000', '--pad-header']
      const options = [...layout, '--version', '3.1.4+1', '--security-counter', '9', ...sign]
      execFileSync(imgtool, ['sign', '-k', path('key'), ...options, path('body'), path('image')], {
        stdio: 'ignore',
      })
      const image = readFileSync(path('image'))
      const { publicKey } = readKey(pem)

      const whole = await judge(image, [publicKey.key])
      image.writeUInt8(0, 2_000)
      const changed = await judge(image, [publicKey.key])

      expect(whole).toMatchObject({
        state: 'Verified',
        facts: { statement: { version: '3.1.4+1', securityCounter: 9 } },
      })
      expect(changed.state).toBe('Broken')
    },
  )
})
