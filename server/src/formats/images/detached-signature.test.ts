import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { refuseChangedBytes } from '../../../test/changed-bytes.ts'
import { canRun } from '../../../test/image-tools.ts'
import { parseDetachedSignature, SignatureFault } from './detached-signature.ts'
import { examineImage } from './examine-image.ts'
import { createImageBytes } from './image-bytes.ts'
import { judgeImage } from './judge-image.ts'
import { describeKey, type PublicKey, readKey } from './public-keys.ts'

const content = Buffer.from('a file of a format that nobody knows '.repeat(40))

async function judge(bytes: Buffer, signature: string, publicKey: PublicKey) {
  const keys = { publicKeys: [publicKey], certificates: [] }
  const detached = [parseDetachedSignature(signature)]
  const facts = await examineImage(createImageBytes(bytes), keys, detached)
  const trusted = [{ id: '1', name: 'Release key', fingerprint: publicKey.fingerprint }]
  return judgeImage(facts, trusted, new Date())
}

const KEY_ID = Buffer.from('1122334455667788', 'hex')

/** As minisign writes it: prehashed, unless it is told to be compatible with old versions. */
function signMinisign(bytes: Buffer, key: KeyObject, isPrehashed = true): string {
  const message = isPrehashed ? createHash('blake2b512').update(bytes).digest() : bytes
  const signature = sign(null, message, key)
  const comment = 'timestamp:1796000000'
  const global = sign(null, Buffer.concat([signature, Buffer.from(comment)]), key)
  const first = Buffer.concat([Buffer.from(isPrehashed ? 'ED' : 'Ed'), KEY_ID, signature])
  return `untrusted comment: signature\n${first.toString('base64')}\ntrusted comment: ${comment}\n${global.toString('base64')}\n`
}

const ed25519 = generateKeyPairSync('ed25519')
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const named = { ...describeKey(ed25519.publicKey), minisignKeyId: '8877665544332211' }

const KINDS = [
  ['minisign', signMinisign(content, ed25519.privateKey), named],
  ['minisign -l', signMinisign(content, ed25519.privateKey, false), named],
  [
    'cosign sign-blob',
    sign('sha256', content, ec.privateKey).toString('base64'),
    describeKey(ec.publicKey),
  ],
  [
    'openssl dgst with RSA',
    sign('sha256', content, rsa.privateKey).toString('hex'),
    describeKey(rsa.publicKey),
  ],
  [
    'openssl pkeyutl with Ed25519',
    sign(null, content, ed25519.privateKey).toString('base64'),
    describeKey(ed25519.publicKey),
  ],
] as const

describe.each(KINDS)(
  'a file of an unknown format with a signature of %s beside it',
  (_kind, signature, key) => {
    it('is verified by the trusted key, and by no other', async () => {
      const other = describeKey(generateKeyPairSync('ed25519').publicKey)

      expect(await judge(content, signature, key)).toMatchObject({ state: 'Verified' })
      expect(await judge(content, signature, other)).toMatchObject({ state: 'Untrusted' })
    })

    it('is not verified with any one byte of the file or of the signature changed', async () => {
      const bytes = Buffer.concat([content, Buffer.from(signature)])

      await refuseChangedBytes({
        bytes,
        judge: (changed) => {
          const [file, text] = [content.length, bytes.length].map((end, index) =>
            changed.subarray(index === 0 ? 0 : content.length, end),
          )
          return judgeIfRead(file ?? content, (text ?? content).toString('latin1'), key)
        },
        nameUncovered: (at) => nameUnsigned(signature, at - content.length),
      })
    })
  },
)

/** A text that is no signature is refused before the file is read. */
async function judgeIfRead(file: Buffer, signature: string, key: PublicKey) {
  try {
    return await judge(file, signature, key)
  } catch (error) {
    expect(error).toBeInstanceOf(SignatureFault)
    return { state: 'Refused' }
  }
}

/** What says the same in other bytes, or is no part of what minisign signs. */
function nameUnsigned(signature: string, at: number): string {
  if (at < 0) return ''
  const isMinisign = signature.startsWith('untrusted comment:')
  if (!isMinisign) return /^[0-9a-f]+$/.test(signature) ? 'letters of hexadecimal in capitals' : ''
  const [comment = '', first = ''] = signature.split('\n')
  const keyIdAt = comment.length + 1
  if (at < comment.length) return 'the untrusted comment'
  // Of the bytes 2 to 10, which its key is looked up by.
  return at >= keyIdAt && at < keyIdAt + Math.ceil((10 * 4) / 3) && first !== ''
    ? 'the id of the key'
    : ''
}

it('is broken where minisign names the trusted key and it is not its signature', async () => {
  const changed = Buffer.from(content)
  changed.writeUInt8(0, 7)

  const verdict = await judge(changed, signMinisign(content, ed25519.privateKey), named)

  expect(verdict.state).toBe('Broken')
})

it('is not verified with another trusted comment', async () => {
  const signature = signMinisign(content, ed25519.privateKey).replace('timestamp:', 'timestamp=')

  expect(await judge(content, signature, named)).toMatchObject({ state: 'Broken' })
})

it.each`
  what                         | text
  ${'any text'}                | ${'hello'}
  ${'a short one'}             | ${'AAAA'}
  ${'a long one'}              | ${'A'.repeat(4_000)}
  ${'one of minisign cut off'} | ${signMinisign(content, ed25519.privateKey).slice(0, 120)}
`('refuses $what', ({ text }: { text: string }) => {
  expect(() => parseDetachedSignature(text)).toThrow(/\.$/)
})

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-minisign-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Skips without minisign: `apt-get install minisign`. */
it.skipIf(!canRun('minisign', '-v'))(
  'is verified when the minisign of this machine signed it',
  async () => {
    const path = (name: string) => join(folder, name)
    writeFileSync(path('image.bin'), content)
    const keys = ['-p', path('key.pub'), '-s', path('key.sec'), '-W']
    execFileSync('minisign', ['-G', ...keys], { stdio: 'pipe' })
    execFileSync('minisign', ['-S', '-s', path('key.sec'), '-m', path('image.bin')], {
      stdio: 'pipe',
    })
    const read = readKey(readFileSync(path('key.pub'), 'utf8'))
    const minisignKeyId = read.kind === 'PublicKey' ? (read.minisignKeyId ?? '') : ''
    const signature = readFileSync(path('image.bin.minisig'), 'utf8')

    const verdict = await judge(content, signature, { ...read.publicKey, minisignKeyId })

    expect(verdict).toMatchObject({ state: 'Verified' })
    expect(verdict.signatures[0]?.keyId).toBe(minisignKeyId)
  },
)
