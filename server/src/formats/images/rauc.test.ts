import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUTHORITY, givenAuthority, LEAF } from '../../../test/given-authority.ts'
import {
  nameUncoveredOfCms,
  refuseChangedBytes,
  tryChangedBytes,
} from '../../../test/changed-bytes.ts'
import { canRun } from '../../../test/image-tools.ts'
import { examineImage } from './examine-image.ts'

const authority = givenAuthority()
const { path, issue, judge, signCms } = authority
afterAll(authority.remove)
beforeAll(() => {
  issue('root', { extensions: AUTHORITY })
  issue('middle', { by: 'root', extensions: AUTHORITY })
  issue('signer', { by: 'middle', extensions: LEAF })
})

const hasRauc = canRun('rauc')

function makeBundle(format: string, imageBytes = 700_000): Buffer {
  rmSync(path('content'), { recursive: true, force: true })
  rmSync(path('bundle.raucb'), { force: true })
  mkdirSync(path('content'))
  // More than one block of hashes, so that the tree has two levels.
  writeFileSync(path('content/rootfs.img'), randomBytes(imageBytes))
  writeFileSync(
    path('content/manifest.raucm'),
    `[update]\ncompatible=Gateway\nversion=2.4.1\n\n[bundle]\nformat=${format}\n\n[image.rootfs]\nfilename=rootfs.img\n`,
  )
  const signer = ['--cert', path('signer.pem'), '--key', path('signer.key')]
  const chain = ['--intermediate', path('middle.pem'), '--keyring', path('root.pem')]
  execFileSync('rauc', [...signer, ...chain, 'bundle', path('content'), path('bundle.raucb')], {
    stdio: 'pipe',
  })
  return readFileSync(path('bundle.raucb'))
}

/** Skips without rauc: `apt-get install rauc squashfs-tools`. */
describe.skipIf(!hasRauc)('a bundle that the rauc of this machine makes', () => {
  it.each`
    format      | version    | compatible
    ${'plain'}  | ${null}    | ${null}
    ${'verity'} | ${'2.4.1'} | ${'Gateway'}
    ${'crypt'}  | ${'2.4.1'} | ${'Gateway'}
  `(
    'with format $format is verified by the root, and by no other',
    async ({
      format,
      version,
      compatible,
    }: {
      format: string
      version: string | null
      compatible: string | null
    }) => {
      const bundle = makeBundle(format)
      issue('stranger', { extensions: AUTHORITY })

      const verdict = await judge(bundle, { certificates: ['root'] })

      expect(verdict).toMatchObject({
        state: 'Verified',
        facts: { format: 'RAUC', variant: format, statement: { version, compatible } },
      })
      expect(await judge(bundle, { certificates: ['stranger'] })).toMatchObject({
        state: 'Untrusted',
      })
    },
  )

  it.each(['plain', 'verity', 'crypt'])(
    'with format %s is not verified with any one byte of it changed, of its payload, its message or their sizes',
    async (format) => {
      const bytes = makeBundle(format, 60_000)
      const messageAt = bytes.length - 8 - Number(bytes.readBigUInt64BE(bytes.length - 8))
      const message = bytes.subarray(messageAt, -8)

      await refuseChangedBytes({
        bytes,
        // The message is small beside the payload, and most of what can be wrong is there.
        places: [
          { start: 0, end: messageAt },
          { start: messageAt, end: bytes.length },
        ],
        judge: (changed) => judge(changed, { certificates: ['root'] }),
        nameUncovered: (at) => nameUncoveredOfCms(message, at - messageAt),
      })
    },
  )

  it('and encrypted for devices says what nobody can tell without their key, whatever byte is changed', async () => {
    issue('device', { extensions: ['keyUsage=keyEncipherment'], key: ['-newkey', 'rsa:2048'] })
    makeBundle('crypt', 60_000)
    const chain = ['--keyring', path('root.pem'), '--to', path('device.pem')]
    rmSync(path('sealed.raucb'), { force: true })
    execFileSync('rauc', ['encrypt', ...chain, path('bundle.raucb'), path('sealed.raucb')], {
      stdio: 'pipe',
    })
    const bytes = readFileSync(path('sealed.raucb'))

    const { state, reason, facts } = await judge(bytes, { certificates: ['root'] })

    expect([state, facts.format, facts.variant]).toEqual(['NotChecked', 'RAUC', 'crypt'])
    expect(reason).toContain('encrypted for 1 recipient,')
    expect(reason).toContain('nobody can tell here who signed the bundle')
    const places = [
      { start: 0, end: bytes.length },
      { start: bytes.length - 2_000, end: bytes.length },
    ]
    await tryChangedBytes({ bytes, places }, async (changed) => {
      expect((await judge(changed, { certificates: ['root'] })).state).not.toBe('Verified')
    })
  })
})

/** As RAUC writes it, with a squashfs that nobody looks into. */
function assemble(payload: Buffer, message: Buffer): Buffer {
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(message.length))
  return Buffer.concat([payload, message, size])
}

describe('a bundle of RAUC', () => {
  const payload = Buffer.concat([Buffer.from('hsqs'), randomBytes(3 * 4096 - 4)])
  const sign = (content: string | Buffer, ...options: string[]) =>
    signCms(content, 'signer', '-certfile', path('middle.pem'), ...options)

  it('with format plain is verified when openssl signed its payload, and not with any one byte changed', async () => {
    const bundle = assemble(payload, sign(payload))

    await refuseChangedBytes({
      bytes: bundle,
      places: [
        { start: 0, end: payload.length },
        { start: payload.length, end: bundle.length },
      ],
      judge: (changed) => judge(changed, { certificates: ['root'] }),
      nameUncovered: (at) =>
        nameUncoveredOfCms(bundle.subarray(payload.length, -8), at - payload.length),
    })
  })

  it.each`
    what                           | manifest
    ${'another root hash'}         | ${verity({ root: 'a'.repeat(64), size: 4096 })}
    ${'a tree longer than it all'} | ${verity({ root: 'a'.repeat(64), size: 8_192_000 })}
    ${'a tree of half a block'}    | ${verity({ root: 'a'.repeat(64), size: 100 })}
    ${'no root hash'}              | ${'[bundle]\nformat=verity\n'}
    ${'an unknown format'}         | ${'[bundle]\nformat=casync\n'}
    ${'a group twice'}             | ${'[bundle]\nformat=verity\n[bundle]\n'}
    ${'two versions'}              | ${'[update]\nversion=1\nversion=2\n'}
    ${'a line of something else'}  | ${'hello'}
  `('whose signed manifest has $what is broken', async ({ manifest }: { manifest: string }) => {
    const bundle = assemble(payload, sign(manifest, '-nodetach'))

    const { state, reason } = await judge(bundle, { certificates: ['root'] })

    expect(state).toBe('Broken')
    expect(reason).toMatch(/\.$/)
  })

  it('of 4 GiB is read by its places, with the message at its end and 64 KiB at once', async () => {
    const payloadBytes = 4 * 1024 ** 3
    const standIn = Buffer.from('4 GiB')
    const message = sign(standIn)
    const tail = assemble(Buffer.alloc(0), message)
    const size = payloadBytes + tail.length
    let longest = 0
    const read = (offset: number, length: number) => {
      longest = Math.max(longest, length)
      const own = tail.subarray(Math.max(0, offset - payloadBytes))
      return Promise.resolve(offset < payloadBytes ? Buffer.alloc(length) : own.subarray(0, length))
    }
    const ranges: string[] = []
    // eslint-disable-next-line typescript/require-await -- the same shape as a file has
    const stream = async function* (start: number, end: number) {
      ranges.push(`${start}-${end}`)
      if (end === payloadBytes) yield standIn
    }

    const facts = await examineImage({ size, read, stream }, { publicKeys: [], certificates: [] })

    expect(facts).toMatchObject({ format: 'RAUC', variant: 'plain', fault: null })
    expect(facts.signatures.map(({ outcome }) => outcome)).toEqual(['Valid'])
    expect(ranges).toEqual([`0-${payloadBytes}`, `0-${size}`])
    expect(longest).toBeLessThanOrEqual(64 * 1024)
  })

  it('whose signature is longer than RAUC takes is broken', async () => {
    const message = Buffer.concat([
      Buffer.from([0x30, 0x83, 0x01, 0x11, 0x70]),
      Buffer.alloc(70_000),
    ])

    expect(await judge(assemble(payload, message), {})).toMatchObject({ state: 'Broken' })
  })

  it('with a message of nested elements is broken, and ends no process', async () => {
    const deep = Buffer.concat(Array.from({ length: 15_000 }, () => Buffer.from([0x30, 0x80])))

    expect(await judge(assemble(payload, deep), {})).toMatchObject({ state: 'Broken' })
  })
})

function verity({ root, size }: { root: string; size: number }): string {
  return `[bundle]\nformat=verity\nverity-hash=${root}\nverity-salt=${root}\nverity-size=${size}\n`
}
