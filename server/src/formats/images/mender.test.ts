import { execFileSync } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { givenAuthority } from '../../../test/given-authority.ts'
import { refuseChangedBytes, tryChangedBytes } from '../../../test/changed-bytes.ts'
import { canRun } from '../../../test/image-tools.ts'
import { padToBlock, writeTarHeader } from '../tar.ts'

const authority = givenAuthority()
const { path, judge } = authority
afterAll(authority.remove)

const rsa = generateKeyPairSync('rsa', { modulusLength: 3072 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const content = Buffer.from('the root file system '.repeat(500))
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function tar(files: readonly (readonly [string, Buffer])[]): Buffer {
  const members = files.map(([name, bytes]) =>
    Buffer.concat([
      writeTarHeader(name, bytes.length),
      bytes,
      Buffer.alloc(padToBlock(bytes.length) - bytes.length),
    ]),
  )
  return Buffer.concat([...members, Buffer.alloc(1024)])
}

const PACKERS = {
  gz: (bytes: Buffer) => gzipSync(bytes),
  zst: (bytes: Buffer) => zstdCompressSync(bytes),
  none: (bytes: Buffer) => bytes,
}

interface Options {
  key?: KeyObject
  packing?: keyof typeof PACKERS
  files?: readonly (readonly [string, Buffer])[]
  manifest?: (lines: string[]) => string[]
}

function makeArtifact({
  key,
  packing = 'gz',
  files = [['rootfs.ext4', content]],
  manifest = (lines) => lines,
}: Options = {}): Buffer {
  const end = packing === 'none' ? 'tar' : `tar.${packing}`
  const pack = PACKERS[packing]
  const version = Buffer.from('{"format":"mender","version":3}')
  const info = {
    artifact_provides: { artifact_name: 'release-9' },
    artifact_depends: { device_type: ['gateway'] },
  }
  const header = pack(
    tar([
      ['header-info', Buffer.from(JSON.stringify(info))],
      [
        'headers/0000/type-info',
        Buffer.from('{"artifact_provides":{"rootfs-image.version":"2.4.1"}}'),
      ],
    ]),
  )
  const lines = [
    ...files.map(([name, bytes]) => `${hash(bytes)}  data/0000/${name}`),
    `${hash(header)}  header.${end}`,
    `${hash(version)}  version`,
  ]
  const stated = Buffer.from(`${manifest(lines).join('\n')}\n`)
  const signature = key && Buffer.from(signManifest(stated, key).toString('base64'))
  return tar([
    ['version', version],
    ['manifest', stated],
    ...(signature ? [['manifest.sig', signature] as const] : []),
    [`header.${end}`, header],
    [`data/0000.${end}`, pack(tar(files))],
  ])
}

/** mender-artifact writes both numbers of ECDSA beside each other. */
const signManifest = (manifest: Buffer, key: KeyObject) =>
  sign(
    'sha256',
    manifest,
    key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' } : key,
  )

describe.each([
  ['RSA', rsa],
  ['ECDSA', ec],
] as const)('an artifact of Mender signed with %s', (_name, { privateKey, publicKey }) => {
  it.each(['gz', 'zst', 'none'] as const)('and packed by %s is verified', async (packing) => {
    const verdict = await judge(makeArtifact({ key: privateKey, packing }), { keys: [publicKey] })

    expect(verdict).toMatchObject({
      state: 'Verified',
      facts: { format: 'Mender', statement: { version: '2.4.1', hardware: ['gateway'] } },
    })
  })

  it('is not verified by another key', async () => {
    const other = generateKeyPairSync('ed25519').publicKey

    const verdict = await judge(makeArtifact({ key: privateKey }), { keys: [other] })

    expect(verdict.state).toBe('Untrusted')
  })

  it('is not verified with any one byte of a member changed', async () => {
    const bytes = makeArtifact({ key: privateKey, packing: 'none' })
    const members = listContents(bytes)
    const start = bytes.indexOf(content)

    // The header of the payload's archive says more than the name and the size, which nobody signs: it is left out.
    await refuseChangedBytes({
      bytes,
      places: [...members.slice(0, -1), { start, end: start + content.length }],
      judge: (changed) => judge(changed, { keys: [publicKey] }),
    })
  })

  it('and packed by gzip is not verified with other files, whatever byte of them is changed', async () => {
    const bytes = makeArtifact({ key: privateKey })
    const [payload] = listContents(bytes).slice(-1)

    await tryChangedBytes({ bytes, places: payload ? [payload] : [] }, async (changed) => {
      const { state, facts } = await judge(changed, { keys: [publicKey] })

      // A few bits of gzip say nothing of the content, and the files behind it are what is signed.
      if (state === 'Verified')
        expect(facts.hashes).toContainEqual({ of: 'rootfs.ext4', value: hash(content) })
      else expect(state).toBe('Broken')
    })
  })
})

function listContents(artifact: Buffer): { start: number; end: number }[] {
  const places: { start: number; end: number }[] = []
  for (let at = 0; artifact.readUInt8(at) !== 0;) {
    const size = Number.parseInt(artifact.toString('latin1', at + 124, at + 135), 8)
    places.push({ start: at + 512, end: at + 512 + size })
    at += 512 + padToBlock(size)
  }
  return places
}

describe('an artifact of Mender', () => {
  const key = rsa.privateKey

  it('without a signature is not signed', async () => {
    expect(await judge(makeArtifact(), { keys: [rsa.publicKey] })).toMatchObject({
      state: 'NotSigned',
    })
  })

  it.each`
    what                          | artifact
    ${'a file that is not named'} | ${makeArtifact({ key, manifest: (lines) => lines.slice(1) })}
    ${'a name without a file'}    | ${makeArtifact({ key, manifest: (lines) => [...lines, `${hash(content)}  data/0000/other`] })}
    ${'a name twice'}             | ${makeArtifact({ key, manifest: (lines) => [...lines, ...lines] })}
    ${'a line that is none'}      | ${makeArtifact({ key, manifest: () => ['hello'] })}
    ${'two files of one name'}    | ${makeArtifact({ key, files: [['a', content], ['a', content]] })}
    ${'its end cut off'}          | ${makeArtifact({ key }).subarray(0, 3_000)}
  `('with $what is broken', async ({ artifact }: { artifact: Buffer }) => {
    const { state, reason } = await judge(artifact, { keys: [rsa.publicKey] })

    expect(state).toBe('Broken')
    expect(reason).toMatch(/\.$/)
  })

  it('is never verified when it was cut off anywhere, and never fails the examiner', async () => {
    const artifact = makeArtifact({ key })
    const end = listContents(artifact).at(-1)?.end ?? 0

    for (let length = 0; length < end; length += 97) {
      const { state } = await judge(artifact.subarray(0, length), { keys: [rsa.publicKey] })

      expect(state).not.toBe('Verified')
    }
  })
})

describe.skipIf(!canRun('mender-artifact'))(
  'what the mender-artifact of this machine packs',
  () => {
    const make = (...options: string[]) => {
      writeFileSync(path('key.pem'), rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }))
      writeFileSync(path('rootfs.ext4'), content)
      const what = ['-t', 'gateway', '-n', 'release-9', '-f', path('rootfs.ext4')]
      const files = ['-k', path('key.pem'), '-o', path('a.mender')]
      execFileSync('mender-artifact', [...options, 'write', 'rootfs-image', ...what, ...files], {
        stdio: 'pipe',
      })
      return readFileSync(path('a.mender'))
    }

    it.each(['gzip', 'none'])('by %s is verified', async (packing) => {
      const verdict = await judge(make('--compression', packing), { keys: [rsa.publicKey] })

      expect(verdict).toMatchObject({ state: 'Verified', facts: { format: 'Mender' } })
    })

    it('by lzma is recognised and not checked', async () => {
      const verdict = await judge(make('--compression', 'lzma'), { keys: [rsa.publicKey] })

      expect(verdict).toMatchObject({ state: 'NotChecked', facts: { format: 'Mender' } })
      expect(verdict.reason).toContain('recognised, not checked, because xz')
    })
  },
)

/** Skips without mender-artifact: `apt-get install mender-artifact`. */
it.skipIf(!canRun('mender-artifact'))(
  'an artifact that the mender-artifact of this machine makes is verified',
  async () => {
    for (const [name, pair] of [
      ['rsa', rsa],
      ['ec', ec],
    ] as const) {
      const type = name === 'rsa' ? 'pkcs1' : 'sec1'
      const pem = pair.privateKey.export({ type, format: 'pem' }).toString()
      writeFileSync(path('key.pem'), pem)
      writeFileSync(path('rootfs.ext4'), content)
      const what = ['-t', 'gateway', '-n', 'release-9', '--software-version', '2.4.1']
      const files = ['-f', path('rootfs.ext4'), '-k', path('key.pem'), '-o', path('a.mender')]
      execFileSync('mender-artifact', ['write', 'rootfs-image', ...what, ...files], {
        stdio: 'pipe',
      })

      const verdict = await judge(readFileSync(path('a.mender')), { keys: [pair.publicKey] })

      expect(verdict).toMatchObject({
        state: 'Verified',
        facts: { statement: { version: '2.4.1', hardware: ['gateway'] } },
      })
    }
  },
)
