/** Images that the imgtool of this machine makes, by all of its options that change what is signed. */
import { execFileSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canRun } from '../../../test/image-tools.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { examineImage } from './examine-image.ts'
import { createImageBytes } from './image-bytes.ts'
import { judgeImage } from './judge-image.ts'
import { describeKey, readKey } from './public-keys.ts'

const imgtool = process.env['IMGTOOL'] ?? 'imgtool'

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-imgtool-'))
const path = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: string[]) => execFileSync(imgtool, args, { stdio: 'pipe' })

const KEY_TYPES = ['rsa-2048', 'rsa-3072', 'ecdsa-p256', 'ecdsa-p384', 'ed25519'] as const
type KeyType = (typeof KEY_TYPES)[number]

const publicKeys = new Map<KeyType, KeyObject>()

const readPublic = (file: string): KeyObject =>
  readKey(run('getpub', '-k', path(file), '-e', 'pem').toString()).publicKey.key

async function judge(content: Uint8Array, key: KeyObject | undefined) {
  const publicKey = key && describeKey(key)
  const keys = { publicKeys: publicKey ? [publicKey] : [], certificates: [] }
  const facts = await examineImage(createImageBytes(content), keys)
  const trusted = publicKey
    ? [{ id: '1', name: 'Release key', fingerprint: publicKey.fingerprint }]
    : []
  return { ...judgeImage(facts, trusted, new Date()), facts }
}

const SLOT = ['--slot-size', '0x20000']

/** Signed by the key of its type. */
function makeImage(body: Buffer, type: KeyType, options: readonly string[]): Buffer {
  writeFileSync(path('body'), body)
  const layout = ['--header-size', '0x100', ...SLOT, '--pad-header', '-k', path(type)]
  run('sign', ...layout, ...options, path('body'), path('image'))
  return readFileSync(path('image'))
}

const BODY = Buffer.from('the application '.repeat(300))

/** Where the last TLV ends: what is signed, and what names hash, key and signature. */
/** Of what is signed, and of all that judges it. */
function findEnds(image: Buffer, isBig: boolean) {
  const u16 = (at: number) => (isBig ? image.readUInt16BE(at) : image.readUInt16LE(at))
  const size = isBig ? image.readUInt32BE(12) : image.readUInt32LE(12)
  const signedEnd = u16(8) + size + u16(10)
  return { signed: signedEnd, all: signedEnd + u16(signedEnd + 2) }
}

async function refuseChanges(
  image: Buffer,
  key: KeyObject | undefined,
  { isBig = false, isSealed = false } = {},
) {
  const { signed, all } = findEnds(image, isBig)
  // The sealed key of the image stands behind the signed part, and a device that has not the other half finds out.
  const end = isSealed ? signed : all
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: end - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, difference) => {
        const changed = Buffer.from(image)
        changed.writeUInt8(changed.readUInt8(at) ^ difference, at)

        const { state } = await judge(changed, key)

        expect(state).not.toBe('Verified')
      },
    ),
    { numRuns: propertyRuns(200, 20) },
  )
}

/** Skips without imgtool: `pip install imgtool`, and IMGTOOL where it is not in the PATH. */
describe.skipIf(!canRun(imgtool, 'version'))(
  'an image that the imgtool of this machine makes',
  () => {
    beforeAll(() => {
      for (const type of KEY_TYPES) {
        run('keygen', '-k', path(type), '-t', type)
        publicKeys.set(type, readPublic(type))
      }
      for (const type of ['rsa-2048', 'ecdsa-p256', 'x25519'] as const) {
        run('keygen', '-k', path(`seal-${type}`), '-t', type)
        writeFileSync(
          path(`seal-${type}.pub`),
          run('getpub', '-k', path(`seal-${type}`), '-e', 'pem'),
        )
      }
      writeFileSync(path('tlv'), Buffer.from('a TLV of our own'))
    })

    it.each`
      type            | options
      ${'rsa-2048'}   | ${[]}
      ${'rsa-2048'}   | ${['--public-key-format', 'full']}
      ${'rsa-3072'}   | ${[]}
      ${'ecdsa-p256'} | ${[]}
      ${'ecdsa-p256'} | ${['--public-key-format', 'full']}
      ${'ecdsa-p256'} | ${['--pad-sig']}
      ${'ecdsa-p384'} | ${[]}
      ${'ecdsa-p384'} | ${['--sha', '384', '--public-key-format', 'full']}
      ${'ed25519'}    | ${['--sha', '256']}
      ${'ed25519'}    | ${['--sha', '512']}
      ${'ed25519'}    | ${['--pure']}
      ${'ed25519'}    | ${['--pure', '--public-key-format', 'full']}
      ${'rsa-2048'}   | ${['--dependencies', '(1, 1.2.3+0), (2, 2.0.0+0)']}
      ${'ecdsa-p256'} | ${['--boot-record', 'APP']}
      ${'ecdsa-p256'} | ${['--custom-tlv', '0xa0', '0x01020304', '--custom-tlv', '0xa1', 'text']}
      ${'ed25519'}    | ${['--custom-tlv-file', '0xb0', 'FILE']}
      ${'ed25519'}    | ${['--vid', 'example.com', '--cid', 'gateway']}
      ${'ecdsa-p256'} | ${['--pad']}
      ${'ecdsa-p256'} | ${['--pad', '--confirm', '--align', '16', '--max-align', '16']}
      ${'rsa-3072'}   | ${['--test', '--overwrite-only']}
      ${'ecdsa-p256'} | ${['--endian', 'big']}
      ${'ed25519'}    | ${['--compression', 'lzma2']}
      ${'ecdsa-p256'} | ${['--load-addr', '0x20000000', '--non-bootable']}
      ${'ed25519'}    | ${['--encrypt', 'SEAL-x25519', '--clear']}
    `(
      'with $type $options is verified with what it states, and not with any one byte changed',
      async ({ type, options }: { type: KeyType; options: string[] }) => {
        const named = options.map((one) =>
          one === 'FILE'
            ? path('tlv')
            : one.replace(/^SEAL-(.*)$/, (_all, key) => path(`seal-${key}.pub`)),
        )
        const image = makeImage(BODY, type, [
          '--version',
          '3.1.4+1',
          '--security-counter',
          '9',
          ...named,
        ])
        const key = publicKeys.get(type)

        expect(await judge(image, key)).toMatchObject({
          state: 'Verified',
          facts: { statement: { version: '3.1.4+1', securityCounter: 9 } },
        })
        expect(await judge(image, undefined)).toMatchObject({ state: 'Untrusted' })
        await refuseChanges(image, key, {
          isBig: options.includes('big'),
          isSealed: options.includes('--encrypt'),
        })
      },
    )

    it.each(['rsa-2048', 'ecdsa-p256', 'x25519'])(
      'that is encrypted for a key of %s is not checked, and says that it is encrypted',
      async (seal) => {
        for (const bits of ['128', '256']) {
          const sealed = ['--encrypt', path(`seal-${seal}.pub`), '--encrypt-keylen', bits]
          const image = makeImage(BODY, 'ed25519', ['--version', '1.0.0', ...sealed])

          const { state, reason, facts } = await judge(image, publicKeys.get('ed25519'))

          expect(state).toBe('NotChecked')
          expect(reason).toContain('encrypted')
          expect(facts.statement.version).toBe('1.0.0')
        }
      },
    )

    it('says how many bytes of the trailer of its slot no signature covers', async () => {
      const image = makeImage(BODY, 'ecdsa-p256', ['--version', '1.0.0', '--confirm'])

      const { facts } = await judge(image, publicKeys.get('ecdsa-p256'))

      const rest = image.length - findEnds(image, false).all
      expect(facts.notes).toEqual([`${rest} bytes after the image belong to no signature.`])
    })

    it('without a key is not signed', async () => {
      writeFileSync(path('body'), BODY)
      const layout = ['--header-size', '0x100', ...SLOT, '--pad-header', '--version', '1.0.0']
      run('sign', ...layout, path('body'), path('image'))

      expect(await judge(readFileSync(path('image')), undefined)).toMatchObject({
        state: 'NotSigned',
      })
    })

    const anyImage = fc.record({
      type: fc.constantFrom(...KEY_TYPES),
      body: fc.uint8Array({ minLength: 1, maxLength: 3_000 }),
      version: fc.tuple(
        fc.nat({ max: 255 }),
        fc.nat({ max: 255 }),
        fc.nat({ max: 65_535 }),
        fc.nat({ max: 4_294_967_295 }),
      ),
      counter: fc.option(fc.nat({ max: 4_294_967_295 })),
      dependency: fc.option(fc.nat({ max: 255 })),
      tlv: fc.option(
        fc.tuple(fc.integer({ min: 0xa0, max: 0xfffe }), fc.stringMatching(/^[a-z]{1,40}$/)),
      ),
      isRecorded: fc.boolean(),
      isPadded: fc.boolean(),
      isFull: fc.boolean(),
    })

    it('of any content, key and options is verified, and not with any one byte changed', async () => {
      await fc.assert(
        fc.asyncProperty(anyImage, async (given) => {
          const [major, minor, revision, build] = given.version
          const version = `${major}.${minor}.${revision}`
          const image = makeImage(Buffer.from(given.body), given.type, [
            '--version',
            `${version}+${build}`,
            ...(given.counter === null ? [] : ['--security-counter', `${given.counter}`]),
            ...(given.dependency === null
              ? []
              : ['--dependencies', `(${given.dependency}, 1.0.0+0)`]),
            ...(given.tlv === null
              ? []
              : ['--custom-tlv', `0x${given.tlv[0].toString(16)}`, given.tlv[1]]),
            ...(given.isRecorded ? ['--boot-record', 'APP'] : []),
            ...(given.isPadded ? ['--pad'] : []),
            ...(given.isFull ? ['--public-key-format', 'full'] : []),
          ])
          const key = publicKeys.get(given.type)

          const { state, facts } = await judge(image, key)

          expect([state, facts.statement.version, facts.statement.securityCounter]).toEqual([
            'Verified',
            build === 0 ? version : `${version}+${build}`,
            given.counter,
          ])
          await refuseChanges(image, key)
        }),
        { numRuns: propertyRuns(40, 3), endOnFailure: true },
      )
    })
  },
)
