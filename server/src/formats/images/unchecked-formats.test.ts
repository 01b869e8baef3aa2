import { generateKeyPairSync, sign } from 'node:crypto'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { parseDetachedSignature } from './detached-signature.ts'
import { examineImage } from './examine-image.ts'
import { createImageBytes } from './image-bytes.ts'
import { judgeImage } from './judge-image.ts'
import { describeKey } from './public-keys.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

async function judge(content: Buffer, signature?: string) {
  const key = describeKey(publicKey)
  const keys = { publicKeys: [key], certificates: [] }
  const detached = signature === undefined ? [] : [parseDetachedSignature(signature)]
  const facts = await examineImage(createImageBytes(content), keys, detached)
  const trusted = [{ id: '1', name: 'Release key', fingerprint: key.fingerprint }]
  return { ...judgeImage(facts, trusted, new Date()), facts }
}

/** Bytes at their places, in a file of 4 KiB. */
function place(...parts: readonly (readonly [number, Buffer | string])[]): Buffer {
  const file = Buffer.alloc(4096)
  for (const [at, bytes] of parts) Buffer.from(bytes as string, 'latin1').copy(file, at)
  return file
}

const hex = (text: string) => Buffer.from(text, 'hex').toString('latin1')

function makeEsp(): Buffer {
  const image = place([0, hex('e906')], [32, hex('3254cdab')], [48, 'v2.4.1'], [80, 'gateway'])
  image.writeUInt32LE(3, 36)
  return image
}

const FORMATS = [
  ['FIT', 'FIT image', place([0, hex('d00dfeed')], [56, `${hex('00000001')}images\0\0`])],
  ['UImage', 'uImage', place([0, hex('27051956')])],
  ['UF2', 'UF2', place([0, hex('5546320a57515d9e')], [508, hex('306fb10a')])],
  ['AndroidSparse', 'sparse image', place([0, hex('3aff26ed01000000')])],
  ['ESP-IDF', 'ESP-IDF', makeEsp()],
  ['Other', 'device tree', place([0, hex('d00dfeed')])],
  ['Other', 'squashfs', place([0, 'hsqs'])],
  ['Other', 'gzip', gzipSync('an image')],
  ['Other', 'zstd', zstdCompressSync('an image')],
  ['Other', 'ext4', place([1080, hex('53ef')])],
  ['Other', 'cpio', place([0, `070701${'0'.repeat(104)}rootfs.ext4`])],
  ['Other', 'ELF', place([0, hex('7f454c46')])],
  [
    'Other',
    'Intel HEX',
    Buffer.from(':020000040000FA\r\n:10000000FF3F00200D010000150100001901000090\r\n'),
  ],
] as const

describe('a format that is recognised and not checked', () => {
  it.each(FORMATS)(
    'as %s (%s) says what it is, and why nothing is told',
    async (format, word, file) => {
      const { state, reason, facts } = await judge(file)

      expect([state, facts.format, facts.signatures]).toEqual(['NotChecked', format, []])
      expect(reason).toContain(word)
      expect(reason).toMatch(
        /: recognised, not checked, because .*\. Put a signature beside the file/,
      )
    },
  )

  it.each(FORMATS)(
    'as %s (%s) is verified by a signature beside it alone',
    async (_format, _word, file) => {
      const signature = sign('sha256', file, privateKey).toString('base64')
      const changed = Buffer.from(file)
      changed.writeUInt8(changed.readUInt8(file.length - 1) ^ 1, file.length - 1)

      expect(await judge(file, signature)).toMatchObject({
        state: 'Verified',
        reason: 'Signed beside the file with the trusted key Release key.',
      })
      expect((await judge(changed, signature)).state).not.toBe('Verified')
    },
  )

  it('states the version and the counter of ESP-IDF', async () => {
    const { facts } = await judge(makeEsp())

    expect(facts.statement).toMatchObject({ version: 'v2.4.1', securityCounter: 3 })
  })

  it('is not any other file', async () => {
    expect(await judge(Buffer.from('any bytes'))).toMatchObject({ state: 'FormatNotKnown' })
    expect(await judge(Buffer.alloc(0))).toMatchObject({ state: 'FormatNotKnown' })
  })
})
